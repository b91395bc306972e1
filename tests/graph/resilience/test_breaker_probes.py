"""A single probe finds out whether a tool is back, also among many runs, and a late outcome counts once."""

from __future__ import annotations

import asyncio
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from reinforced_agent import Breakers, Limits, tool
from tests.graph.house import call, calls, wait_until
from tests.graph.services import ONCE, Asked, Clock, Desk, Service, down_desk, fail_once


def test_a_probe_that_fails_opens_it_again() -> None:
    """The next call is stopped for another cool-down."""
    service, desk = down_desk()
    desk.clock.now += 30
    assert desk.ask().status == "failed"
    assert len(service.asked) == 6
    assert desk.ask().status == "open"
    assert len(service.asked) == 6


def test_a_probe_is_a_single_attempt() -> None:
    """A probe that fails isn't tried again within its call."""
    service = Service(ConnectionError("no route"))
    desk = Desk(service.rates(), limits=Limits(call_attempts=3))
    desk.fail(5)
    service.asked.clear()
    desk.clock.now += 30
    desk.ask()
    assert len(service.asked) == 1


def run_many(desk: Desk, count: int, mode: str) -> list[Asked]:
    """Run that many graphs at the same time."""
    built = [desk.agent(calls(call("rate", {"currency": "NOK"}, "c1")), "Done.") for _ in range(count)]
    question = {"messages": [("user", "please")]}
    if mode == "threads":
        with ThreadPoolExecutor(count) as pool:
            results = list(pool.map(lambda pair: pair[0].invoke(question), built))
    else:

        async def gather() -> list[Any]:
            return list(await asyncio.gather(*(agent.ainvoke(question) for agent, _ in built)))

        results = asyncio.run(gather())
    return [Asked(result, model) for result, (_, model) in zip(results, built, strict=True)]


@pytest.mark.parametrize("mode", ["threads", "asyncio"])
@pytest.mark.parametrize("works", [True, False], ids=["works", "fails"])
def test_exactly_one_probe_of_fifty_runs(mode: str, works: bool) -> None:  # noqa: FBT001
    """However many runs want the tool at the same moment, one call goes out; the others are stopped."""
    service = Service(ConnectionError("no route"))
    gate = threading.Event()

    @tool(risk="read")
    def rate(currency: str) -> str:
        """Tell the rate of a currency."""
        return str(service.rate(currency))

    desk = Desk(rate, limits=ONCE)
    desk.fail(5)
    service.asked.clear()
    service.fault = None if works else service.fault
    desk.clock.now += 30
    service.gate = gate
    threading.Thread(target=_open_when_all_others_ended, args=(desk, gate, 49), daemon=True).start()
    asked = run_many(desk, 50, mode)
    assert len(service.asked) == 1
    statuses = [one.status for one in asked]
    assert statuses.count("open") == 49
    assert statuses.count("done" if works else "failed") == 1
    assert desk.state() == ("closed" if works else "open")


def _open_when_all_others_ended(desk: Desk, gate: threading.Event, others: int) -> None:
    """Hold the probe until all the other calls were stopped."""
    moment = threading.Event()
    for _ in range(4_000):
        stopped = sum(one["stopped"] for one in desk.breakers.snapshot().values())
        waiting = desk.breakers.snapshot()["rate"]["state"] == "half_open"
        if waiting and stopped >= others:
            break
        moment.wait(0.005)
    gate.set()


def test_a_probe_that_hangs_runs_out_of_its_time_and_frees_its_place() -> None:
    """Its time-out is a failure; after the next cool-down another probe goes out."""
    service = Service(ConnectionError("no route"))
    desk = Desk(service.rates(timeout=0.05), limits=ONCE)
    desk.fail(5)
    desk.clock.now += 30
    service.gate = threading.Event()
    assert desk.ask().status == "failed"
    assert desk.state() == "open"
    service.gate.set()
    service.fault = None
    desk.clock.now += 30
    assert desk.ask().status == "done"
    assert desk.state() == "closed"


def test_a_probe_that_is_cancelled_frees_its_place_and_counts_nothing() -> None:
    """The run of the probe is cancelled; the next call is the probe."""
    entered = asyncio.Event()

    async def story() -> tuple[str, str, str]:
        hanging = True

        async def rate(currency: str) -> str:
            """Tell the rate of a currency."""
            if hanging:
                entered.set()
                await asyncio.Event().wait()
            return f"{currency}: 11.7"

        desk = Desk(tool(rate, risk="read"), limits=ONCE)
        spec = tool(rate, risk="read")
        for _ in range(5):
            fail_once(desk.breakers, spec)
        desk.clock.now += 30
        agent, _ = desk.agent(calls(call("rate", {"currency": "NOK"}, "c1")), "Done.")
        run = asyncio.create_task(agent.ainvoke({"messages": [("user", "please")]}))
        await entered.wait()
        during = desk.state()
        stopped = desk.breakers.peek(spec, {"currency": "NOK"})
        run.cancel()
        with pytest.raises(asyncio.CancelledError):
            await run
        hanging = False
        agent, _ = desk.agent(calls(call("rate", {"currency": "NOK"}, "c1")), "Done.")
        result = await agent.ainvoke({"messages": [("user", "please")]})
        assert stopped is not None
        return during, result["calls"]["c1"]["status"], desk.state()

    assert asyncio.run(story()) == ("half_open", "done", "closed")


def test_a_store_shares_breakers_between_processes() -> None:
    """Two registries over one store see one breaker, and only one of them sends the probe."""
    kept: dict[str, Any] = {}
    clock = Clock()

    class Table:
        """A store of the host."""

        def change(self, name: str, decide: Any) -> None:
            """Read and write in one step."""
            kept[name] = decide(kept.get(name))

    service = Service(ConnectionError("no route"))
    desks = [
        Desk(service.rates(), limits=ONCE, clock=clock, breakers=Breakers(store=Table(), clock=clock)) for _ in range(2)
    ]
    desks[0].fail(3)
    desks[1].fail(2)
    assert desks[0].ask().status == "open"
    assert len(service.asked) == 5
    clock.now += 30
    service.fault = None
    assert desks[1].ask().status == "done"
    assert desks[0].ask().status == "done"
    assert kept["rate"]["kind"] == "closed"


def test_a_store_that_is_away_blocks_nothing() -> None:
    """The process goes by what it knows itself, and logs it."""

    class Away:
        """A store that can't be reached."""

        def change(self, name: str, decide: Any) -> None:
            """Fail."""
            raise ConnectionError(name, decide)

    clock = Clock()
    service = Service(ConnectionError("no route"))
    desk = Desk(service.rates(), limits=ONCE, clock=clock, breakers=Breakers(store=Away(), clock=clock))
    desk.fail(5)
    assert desk.ask().status == "open"


def test_a_late_outcome_of_a_cancelled_call_counts_once() -> None:
    """A call whose run was cancelled counts by what it turned out to be; one that timed out has counted already."""
    service = Service(ConnectionError("no route"))
    service.gate = threading.Event()
    desk = Desk(service.rates(timeout=20.0), limits=ONCE)

    async def cancel_one() -> None:
        agent, _ = desk.agent(calls(call("rate", {"currency": "NOK"}, "c1")), "Done.")
        run = asyncio.create_task(agent.ainvoke({"messages": [("user", "please")]}))
        await asyncio.to_thread(service.entered.wait, 20)
        run.cancel()
        with pytest.raises(asyncio.CancelledError):
            await run

    asyncio.run(cancel_one())
    assert desk.breakers.snapshot()["rate"]["failures"] == 0
    service.gate.set()
    wait_until(lambda: desk.breakers.snapshot()["rate"]["failures"] == 1)


def test_a_call_that_timed_out_does_not_count_again_when_it_ends() -> None:
    """A late success takes nothing back, and a late failure adds nothing."""
    service = Service(ConnectionError("no route"))
    service.gate = threading.Event()
    ended = threading.Event()
    spec = service.rates(timeout=0.05)

    def rate(arguments: Any) -> Any:
        try:
            return spec.run(arguments)
        finally:
            ended.set()

    desk = Desk(spec.declare(run=rate), limits=ONCE)
    desk.ask()
    assert desk.breakers.snapshot()["rate"]["failures"] == 1
    service.gate.set()
    assert ended.wait(20)
    threading.Event().wait(0.05)
    assert desk.breakers.snapshot()["rate"]["failures"] == 1

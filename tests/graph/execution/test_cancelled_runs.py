"""A run that is cancelled puts down what it knows and gives back what it holds, whatever else is busy."""

from __future__ import annotations

import asyncio
import gc
import random
import threading
from collections.abc import Awaitable, Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.types import interrupt

from reinforced_agent import (
    ApprovalPolicy,
    ApprovalRule,
    Breakers,
    Ledger,
    ScriptedModel,
    build_agent,
    tool,
)
from reinforced_agent.graph.agent import Agent
from reinforced_agent.graph.execution import sync_async as driving
from reinforced_agent.graph.execution.judge import assess
from reinforced_agent.ledger.effects import Effects
from reinforced_agent.ledger.runs import Runs
from tests.graph.bank import PAY
from tests.graph.house import House, call, calls


UNASKED = ApprovalPolicy(write=ApprovalRule(ask=False))
SAY = {"messages": [("user", "Pay 5.")]}


@tool(risk="write")
def pay(amount: int) -> str:
    """Pay."""
    return f"paid {amount}"


class Gate:
    """Something that is held up until a test lets it go on."""

    def __init__(self) -> None:
        """Close it."""
        self.entered, self.opened = threading.Event(), threading.Event()
        self.passed = False

    def pass_through(self) -> None:
        """Wait until it is opened."""
        self.entered.set()
        self.passed = self.opened.wait(5)
        assert self.passed

    async def reached(self) -> None:
        """Wait in an event loop until somebody stands before it."""
        while not self.entered.is_set():  # noqa: ASYNC110  # the event is set on a thread
            await asyncio.sleep(0.001)


@pytest.fixture(name="gate")
def _gate() -> Iterator[Gate]:
    """Give a closed gate, and open it in the end."""
    gate = Gate()
    yield gate
    gate.opened.set()


def held_up(monkeypatch: pytest.MonkeyPatch, owner: type, name: str, gate: Gate) -> None:
    """Let a method wait before it does its work."""
    original = getattr(owner, name)

    def slowly(self: Any, *arguments: Any, **more: Any) -> Any:
        gate.pass_through()
        return original(self, *arguments, **more)

    monkeypatch.setattr(owner, name, slowly)


async def cancelled(run: Awaitable[Any], when: Callable[[], Awaitable[Any]]) -> asyncio.CancelledError:
    """Cancel a run at a moment, and return what it ends with."""
    task = asyncio.ensure_future(run)
    await when()
    task.cancel()
    with pytest.raises(asyncio.CancelledError) as raised:
        await task
    return raised.value


def go_on(house: House) -> House:
    """Go on with the thread where it was left."""
    house.result = house.agent.invoke(None, house.config)
    return house


def keep_the_pool_busy(gate: Gate) -> None:
    """Leave no thread of the loop's own pool free."""
    loop = asyncio.get_running_loop()
    pool = ThreadPoolExecutor(1)
    loop.set_default_executor(pool)
    pool.submit(gate.pass_through)


def test_an_outcome_is_put_down_however_busy_the_pool_of_the_loop_is(gate: Gate) -> None:
    """The tool has paid, no thread of the pool is free, and the run is cancelled: the next run tells what was paid."""

    @tool(risk="write")
    async def pay(amount: int) -> str:
        """Pay."""
        keep_the_pool_busy(gate)
        return f"paid {amount}"

    house = House(calls(PAY), "Done.", tools=[pay], approvals=UNASKED)

    async def main() -> None:
        await cancelled(house.agent.ainvoke(SAY, house.config), lambda: reached_and_later(gate))
        gate.opened.set()

    asyncio.run(main())
    assert house.agent.ledger.effects.unknown() == []
    assert go_on(house).told("c1") == "paid 5"


async def reached_and_later(gate: Gate) -> None:
    """Wait until the gate is reached, and a little longer."""
    await gate.reached()
    await asyncio.sleep(0.05)


def test_a_thread_is_given_back_however_busy_the_pool_of_the_loop_is(gate: Gate, tmp_path: Path) -> None:
    """A reader that leaves the stream and is cancelled while the thread is given back doesn't keep it."""
    house = House("Hello.", "Again.", ledger=Ledger(f"sqlite:///{tmp_path / 'ledger'}"))

    async def read() -> None:
        stream = house.agent.astream(SAY, house.config)
        await anext(stream)
        keep_the_pool_busy(gate)
        try:
            await stream.aclose()  # type: ignore[attr-defined]
        except asyncio.CancelledError as left:
            kept.append(left)

    async def main() -> None:
        reading = asyncio.ensure_future(read())
        await reached_and_later(gate)
        reading.cancel()
        await asyncio.wait({reading})
        gate.opened.set()

    kept: list[BaseException] = []
    asyncio.run(main())
    assert house.say().answer == "Hello."


def test_a_run_that_is_cancelled_while_it_takes_its_thread_gives_it_back(
    gate: Gate, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The thread is free at once, also while somebody keeps the exception."""
    house = House("Hello.", ledger=Ledger(f"sqlite:///{tmp_path / 'ledger'}"))

    async def main() -> asyncio.CancelledError:
        asyncio.get_running_loop().call_later(0.1, gate.opened.set)
        return await cancelled(house.agent.ainvoke(SAY, house.config), gate.reached)

    with monkeypatch.context() as slow:
        held_up(slow, Runs, "_take", gate)
        kept = asyncio.run(main())
    assert house.say().answer == "Hello."
    assert isinstance(kept, asyncio.CancelledError)


def test_a_run_that_is_cancelled_while_the_target_is_asked_leaves_the_effect_unknown(gate: Gate) -> None:
    """The claim is not held any longer: somebody can look it up, and the thread goes on."""

    def look_up(_arguments: Any, _key: str) -> None:
        gate.pass_through()

    @tool(risk="write", reconcile=look_up)
    def pay(amount: int) -> str:
        """Pay."""
        raise ConnectionResetError(amount)

    house = House(calls(PAY), "Done.", tools=[pay], approvals=UNASKED)
    asyncio.run(cancelled_while(house, gate))
    assert [one["tool"] for one in house.agent.ledger.effects.unknown()] == ["pay"]
    gate.opened.set()
    assert go_on(house).status("c1") == "unknown"


async def cancelled_while(house: House, gate: Gate) -> None:
    """Cancel a run when it has reached a gate."""
    await cancelled(house.agent.ainvoke(SAY, house.config), gate.reached)


def test_what_a_tool_brought_is_not_lost_while_it_is_taken_in(gate: Gate, monkeypatch: pytest.MonkeyPatch) -> None:
    """A long result takes a moment to be judged: a run that is cancelled then has paid for certain."""

    @tool(risk="write")
    def pay(amount: int) -> str:
        """Pay."""
        return f"paid {amount}. " * 20_000

    def slowly(*arguments: Any) -> Any:
        gate.pass_through()
        return assess(*arguments)

    house = House(calls(PAY), "Done.", tools=[pay], approvals=UNASKED)
    monkeypatch.setattr("reinforced_agent.graph.execution.runner.assess", slowly)
    asyncio.run(cancelled_at(house, gate))
    assert house.agent.ledger.effects.unknown() == []
    assert go_on(house).status("c1") == "done"


async def cancelled_at(house: House, gate: Gate) -> None:
    """Cancel a run that has reached a gate, which is opened by the loop itself a little later."""
    asyncio.get_running_loop().call_later(0.1, gate.opened.set)
    await cancelled(house.agent.ainvoke(SAY, house.config), gate.reached)


def test_a_ledger_that_is_slow_does_not_hold_up_the_loop(gate: Gate, monkeypatch: pytest.MonkeyPatch) -> None:
    """What a cancelled run puts down is written on a thread, which the loop lets go on."""
    inside = asyncio.Event()

    @tool(risk="write")
    async def pay(amount: int) -> str:
        """Pay."""
        inside.set()
        await asyncio.sleep(amount * 60)
        return ""

    house = House(calls(PAY), "Done.", tools=[pay], approvals=UNASKED)
    held_up(monkeypatch, Effects, "settle", gate)

    async def main() -> None:
        asyncio.get_running_loop().create_task(open_when_reached(gate))  # it ends before the loop
        await cancelled(house.agent.ainvoke(SAY, house.config), inside.wait)

    asyncio.run(main())
    assert go_on(house).status("c1") == "unknown"


async def open_when_reached(gate: Gate) -> None:
    """Open a gate from the loop, which has to be free for that."""
    await gate.reached()
    gate.opened.set()


def test_a_claim_that_is_given_back_does_not_hold_up_the_loop(gate: Gate, monkeypatch: pytest.MonkeyPatch) -> None:
    """A tool that asks a question gives its claim back on a thread."""

    @tool(risk="write")
    async def pay(amount: int) -> str:
        """Pay."""
        return f"paid {amount} from {interrupt('Which account?')}"

    house = House(calls(PAY), "Done.", tools=[pay], approvals=UNASKED)
    held_up(monkeypatch, Effects, "release", gate)

    async def main() -> None:
        opening = asyncio.create_task(open_when_reached(gate))
        house.result = await house.agent.ainvoke(SAY, house.config)
        await opening

    asyncio.run(main())
    assert house.question.value == "Which account?"


class SlowTable:
    """A store of breakers that takes its time for everything but the first question."""

    def __init__(self, gate: Gate) -> None:
        """Hold up what comes later."""
        self._gate, self._kept = gate, dict[str, Any]()
        self._asked = False

    def change(self, name: str, decide: Any) -> None:
        """Read and write in one step."""
        if self._asked:
            self._gate.pass_through()
        self._asked = True
        self._kept[name] = decide(self._kept.get(name))


def test_a_slow_store_of_breakers_does_not_hold_up_the_loop(gate: Gate) -> None:
    """That a call was cancelled is reported on a thread."""
    inside = asyncio.Event()

    @tool(risk="read")
    async def look() -> str:
        """Look."""
        inside.set()
        await asyncio.sleep(60)
        return ""

    house = House(calls(call("look", {}, "c1")), tools=[look], breakers=Breakers(store=SlowTable(gate)))

    async def main() -> None:
        opening = asyncio.create_task(open_when_reached(gate))
        await cancelled(house.agent.ainvoke(SAY, house.config), inside.wait)
        await opening

    asyncio.run(main())
    assert gate.passed


def test_who_cancels_again_does_not_cut_short_what_is_put_down(gate: Gate, monkeypatch: pytest.MonkeyPatch) -> None:
    """A run that is cancelled over and over ends when its outcome is in the ledger."""
    house = House(calls(PAY), "Done.", tools=[pay], approvals=UNASKED)
    held_up(monkeypatch, Effects, "settle", gate)

    async def main() -> None:
        run = asyncio.ensure_future(house.agent.ainvoke(SAY, house.config))
        await gate.reached()
        for _ in range(9):
            run.cancel()
            await asyncio.sleep(0.001)
        assert not run.done()
        gate.opened.set()
        with pytest.raises(asyncio.CancelledError):
            await run
        assert house.agent.ledger.effects.unknown() == []

    asyncio.run(main())
    assert go_on(house).told("c1") == "paid 5"


def test_a_cancelled_run_waits_for_a_slow_ledger_for_some_time_only(
    gate: Gate, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What takes longer is put down without it."""
    house = House(calls(PAY), "Done.", tools=[pay], approvals=UNASKED)
    held_up(monkeypatch, Effects, "settle", gate)
    monkeypatch.setattr(driving, "_PATIENCE", 0.05)
    asyncio.run(cancelled_while(house, gate))
    gate.opened.set()
    for thread in threading.enumerate():
        if thread.name == "step":
            thread.join(20)
    assert go_on(house).told("c1") == "paid 5"


@pytest.mark.filterwarnings("ignore:coroutine 'AsyncPregelLoop:RuntimeWarning")  # LangGraph drops what hasn't begun
def test_no_thread_is_stuck_after_a_storm_of_cancelled_runs(tmp_path: Path) -> None:
    """Runs that are cancelled at any moment, beside a busy pool: each thread goes on, and what was paid is told so."""
    dice, paid = random.Random(7), set[int]()  # noqa: S311  # moments, no secrets

    @tool(risk="write")
    async def pay(amount: int) -> str:
        """Pay."""
        await asyncio.sleep(0.005)
        paid.add(amount)
        return f"paid {amount}"

    def agent(amount: int) -> Agent:
        lines = [calls(call("pay", {"amount": amount}, "c1")), "Done."]
        model = ScriptedModel(lines=lines, repeat_last=True)
        return build_agent(model=model, tools=[pay], checkpointer=saver, ledger=ledger, approvals=UNASKED)

    async def run(amount: int) -> str:
        thread: Any = {"configurable": {"thread_id": f"t{amount}"}}
        told = {"messages": [("user", f"Pay {amount}.")]}
        task = asyncio.ensure_future(agents[amount].ainvoke(told, thread))
        await asyncio.sleep(3 * dice.random())
        task.cancel()
        await asyncio.wait({task})
        if not (await agents[amount].aget_state(thread)).created_at:
            return "not begun"
        after = await agents[amount].ainvoke(None, thread)
        return str(after["calls"]["c1"]["status"]) if "c1" in after["calls"] else "not proposed"

    async def storm() -> list[str]:
        asyncio.get_running_loop().set_default_executor(ThreadPoolExecutor(2))
        return list(await asyncio.gather(*map(run, agents)))

    saver, ledger = InMemorySaver(), Ledger(f"sqlite:///{tmp_path / 'ledger'}")
    agents = {amount: agent(amount) for amount in range(100, 160)}
    ended = asyncio.run(storm())
    gc.collect()
    assert {amount for amount, status in enumerate(ended, 100) if status == "done"} == paid
    assert "done" in ended

"""Calls that come back when nobody waits for them any more: who hears of it."""

from __future__ import annotations

import asyncio
import queue
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from typing import Any

import pytest

from reinforced_agent.tools import threads as workers
from reinforced_agent.tools.execution import CameBackError, Ended, Late, Outcome, Raised, Returned, TimedOut, arun_call
from reinforced_agent.tools.spec import ToolSpec
from reinforced_agent.tools.threads import Places
from tests.tools.gates import DOORS, Door, Gate, is_busy, wait


@pytest.fixture(autouse=True)
def _places(monkeypatch: pytest.MonkeyPatch) -> None:
    """Bound the threads tightly, apart from those of other tests."""
    monkeypatch.setattr(workers, "PLACES", Places(total=5, left_behind=2))


@pytest.fixture(name="gate")
def _gate() -> Iterator[Gate]:
    """Give a closed gate, and open it in the end."""
    gate = Gate()
    yield gate
    gate.open()


@pytest.fixture(name="heard")
def _heard() -> queue.SimpleQueue[tuple[Ended, str]]:
    """Give the place where late outcomes arrive, with the name of the thread."""
    return queue.SimpleQueue()


def note(heard: queue.SimpleQueue[tuple[Ended, str]]) -> Late:
    """Write down what is heard."""
    return lambda outcome: heard.put((outcome, threading.current_thread().name))


@DOORS
def test_a_late_result_is_heard(door: Door, gate: Gate, heard: queue.SimpleQueue[tuple[Ended, str]]) -> None:
    """When the time was up, what comes of the call is told once, from its thread."""
    assert door(gate.spec, 0.01, note(heard)) == TimedOut(0.01)
    assert heard.empty()
    gate.open()
    assert heard.get(timeout=5) == (Returned("through"), "tool-gate")
    assert heard.empty()


@DOORS
def test_a_late_failure_is_heard(door: Door, gate: Gate, heard: queue.SimpleQueue[tuple[Ended, str]]) -> None:
    """A call that fails after its time tells of the failure."""

    def fail(_: Any) -> None:
        gate.opened.wait(10)
        raise ValueError

    assert isinstance(door(gate.spec.declare(run=fail), 0.01, note(heard)), TimedOut)
    gate.open()
    outcome, _ = heard.get(timeout=5)
    assert isinstance(outcome, Raised)
    assert isinstance(outcome.error, ValueError)


@DOORS
def test_what_came_in_time_is_not_told_again(
    door: Door, gate: Gate, heard: queue.SimpleQueue[tuple[Ended, str]]
) -> None:
    """A call that came back, or was turned away, is heard of by its caller alone."""
    gate.opened.set()
    assert door(gate.spec, 5, note(heard)) == Returned("through")
    gate.open()
    workers.PLACES.resize(total=0)
    assert is_busy(door(gate.spec, 0.01, note(heard)))
    assert heard.empty()


@DOORS
def test_a_listener_that_breaks_harms_nobody(door: Door, gate: Gate) -> None:
    """What a listener raises is dropped, and the place is free again."""

    def broken(_: Ended) -> None:
        raise SystemExit

    for _ in range(2):
        door(gate.spec, 0.01, broken)
    gate.open()
    assert door(gate.spec, 5) == Returned("through")


def cancelled(spec: ToolSpec, late: Late, started: Callable[[], Any]) -> None:
    """Run a call in a loop and cancel the run once the tool is at work."""

    async def main() -> None:
        run = asyncio.ensure_future(arun_call(spec, {}, seconds=60, late=late))
        await asyncio.to_thread(started)
        run.cancel()
        with pytest.raises(asyncio.CancelledError):
            await run

    asyncio.run(main())


def test_a_call_whose_run_was_cancelled_is_heard_of(gate: Gate, heard: queue.SimpleQueue[tuple[Ended, str]]) -> None:
    """Cancelling a run doesn't stop a thread, so what comes of it is told."""
    working = threading.Event()

    def run(_: Any) -> str:
        working.set()
        gate.opened.wait(10)
        return "through"

    cancelled(gate.spec.declare(run=run), note(heard), lambda: working.wait(5))
    assert heard.empty()
    gate.open()
    assert heard.get(timeout=5)[0] == Returned("through")


async def _from_a_coroutine(_: Any) -> int:
    return 1


@pytest.mark.parametrize("way", [{"run": lambda _: 1}, {"arun": _from_a_coroutine}], ids=["thread", "coroutine"])
def test_an_outcome_that_crosses_a_cancellation_goes_with_it(
    way: dict[str, Any], heard: queue.SimpleQueue[tuple[Ended, str]]
) -> None:
    """A call that is done before its cancelled run could see it is not lost, and nobody else hears of it."""
    spec = ToolSpec(name="quick", description="", parameters={"type": "object"}, **way)

    async def main() -> None:
        run = asyncio.ensure_future(arun_call(spec, {}, seconds=60, late=note(heard)))
        await asyncio.sleep(0)
        if "arun" in way:
            # The coroutine has its turn; that of the run, which would be told, comes after the cancellation.
            asyncio.get_running_loop().call_soon(run.cancel)
        else:
            for thread in threading.enumerate():
                if thread.name == "tool-quick":
                    thread.join(5)
            run.cancel()
        with pytest.raises(CameBackError) as raised:
            await run
        assert raised.value.outcome == Returned(1)

    asyncio.run(main())
    assert heard.empty()


def test_an_async_tool_that_outlives_its_time_is_heard_of(
    gate: Gate, heard: queue.SimpleQueue[tuple[Ended, str]]
) -> None:
    """A coroutine that goes on to its end after it was cancelled tells what came of it."""

    async def stubborn(_: Any) -> str:
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            await asyncio.sleep(0)
        return "done all the same"

    async def main() -> Outcome:
        outcome = await arun_call(gate.spec.declare(run=None, arun=stubborn), {}, seconds=0.01, late=note(heard))
        for _ in range(9):
            await asyncio.sleep(0)
        return outcome

    assert asyncio.run(main()) == TimedOut(0.01)
    assert heard.get(timeout=5) == (Returned("done all the same"), "tool-late")


def test_an_async_tool_that_was_cancelled_tells_nothing(
    gate: Gate, heard: queue.SimpleQueue[tuple[Ended, str]]
) -> None:
    """How far a cancelled coroutine came nobody knows."""
    working = threading.Event()

    async def arun(_: Any) -> None:
        working.set()
        await asyncio.Event().wait()

    cancelled(gate.spec.declare(run=None, arun=arun), note(heard), lambda: working.wait(5))
    assert heard.empty()


def test_an_interrupted_caller_leaves_the_call_behind(
    gate: Gate, heard: queue.SimpleQueue[tuple[Ended, str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ctrl-C in the waiting thread goes on upwards, and the outcome is told when it comes."""
    result = Future.result

    def interrupt(job: Future[Any], timeout: float | None = None) -> Any:
        if timeout is not None:
            raise KeyboardInterrupt
        return result(job)

    with monkeypatch.context() as patch:
        patch.setattr("concurrent.futures.Future.result", interrupt)
        with pytest.raises(KeyboardInterrupt):
            wait(gate.spec, 60, note(heard))
    gate.open()
    assert heard.get(timeout=5)[0] == Returned("through")


def test_an_async_tool_is_cancelled_as_soon_as_its_time_is_up(gate: Gate) -> None:
    """The coroutine doesn't stay in the loop until the loop ends."""
    ended = asyncio.Event()

    async def arun(_: Any) -> None:
        try:
            await asyncio.Event().wait()
        finally:
            ended.set()

    async def main() -> None:
        await arun_call(gate.spec.declare(run=None, arun=arun), {}, seconds=0.01)
        await asyncio.wait_for(ended.wait(), 5)

    asyncio.run(main())

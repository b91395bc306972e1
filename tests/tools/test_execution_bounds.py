"""How many threads tools may hold, who queues for one and how long, and what tools that hang may keep others from."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from reinforced_agent.tools import threads as workers
from reinforced_agent.tools.execution import Raised, Returned, TimedOut, arun_call
from reinforced_agent.tools.spec import ToolSpec
from reinforced_agent.tools.threads import Places
from tests.tools.gates import DOORS, Door, Gate, hurry, is_busy, wait


@pytest.fixture(autouse=True)
def _places(monkeypatch: pytest.MonkeyPatch) -> None:
    """Bound the threads tightly, apart from those of other tests."""
    monkeypatch.setattr(workers, "PLACES", Places(total=5, each=3, left_behind=2))


@pytest.fixture(name="gate")
def _gate() -> Iterator[Gate]:
    """Give a closed gate, and open it in the end."""
    gate = Gate()
    yield gate
    gate.open()


@DOORS
def test_a_tool_that_keeps_hanging_is_not_started_again(door: Door, gate: Gate) -> None:
    """After as many hanging calls as are allowed it is turned away at once, until one of them comes back."""
    assert [door(gate.spec, 0.01) for _ in range(2)] == [TimedOut(0.01)] * 2
    outcome = door(gate.spec, 60)
    assert is_busy(outcome)
    assert isinstance(outcome, Raised)
    assert str(outcome.error) == (
        "This call of 'gate' was not started, since 2 earlier ones still hang: try again later."
    )
    assert len(gate.threads()) == 2
    gate.open()
    assert door(gate.spec, 5) == Returned("through")


@DOORS
def test_a_hanging_tool_is_no_matter_to_another(door: Door, gate: Gate) -> None:
    """Each tool hangs on its own account."""
    for _ in range(2):
        door(gate.spec, 0.01)
    assert door(gate.spec.declare(name="other", run=lambda _: 1), 5) == Returned(1)


@DOORS
def test_tools_that_hang_keep_no_other_from_its_work(door: Door) -> None:
    """However many tools hang as often as they may, another one runs."""
    gates = [Gate(name) for name in "abcdefghi"]
    assert [door(gate.spec, 0.01) for gate in gates for _ in range(2)] == [TimedOut(0.01)] * 18
    assert door(gates[0].spec.declare(name="quick", run=lambda _: 1), 5) == Returned(1)
    for gate in gates:
        gate.open()


@DOORS
def test_a_call_queues_for_a_place_within_its_time(door: Door) -> None:
    """More calls than there are places for all come through, one after the other."""
    workers.PLACES.resize(total=5, each=2)
    gate = Gate()
    with ThreadPoolExecutor(9) as runs:
        outcomes = [runs.submit(door, gate.spec, 20) for _ in range(9)]
        for _ in range(2):
            gate.entered.get(timeout=5)
        assert len(gate.threads()) == 2
        gate.opened.set()
        assert [outcome.result() for outcome in outcomes] == [Returned("through")] * 9


@DOORS
@pytest.mark.parametrize("bounds", [{"total": 2, "each": 3}, {"total": 5, "each": 2}], ids=["all", "one tool"])
def test_a_call_that_gets_no_place_in_its_time_is_turned_away(door: Door, gate: Gate, bounds: dict[str, int]) -> None:
    """It was not started, and the calls before it are none the worse for it."""
    workers.PLACES.resize(**bounds)
    with ThreadPoolExecutor(2) as runs:
        outcomes = [runs.submit(wait, gate.spec, 20) for _ in range(2)]
        for _ in range(2):
            gate.entered.get(timeout=5)
        outcome = door(gate.spec, 0.05)
        gate.opened.set()
        assert [one.result() for one in outcomes] == [Returned("through")] * 2
    assert isinstance(outcome, Raised)
    assert str(outcome.error) == (
        "This call of 'gate' was not started, since no thread was free for it within 0.05 seconds: try again later."
    )
    assert gate.entered.empty()
    assert [door(gate.spec, 5) for _ in range(4)] == [Returned("through")] * 4


@DOORS
def test_one_tool_takes_no_more_than_its_share(door: Door, gate: Gate) -> None:
    """Beside a tool whose calls are all at work, and queue, another one is started at once."""
    with ThreadPoolExecutor(9) as runs:
        outcomes = [runs.submit(wait, gate.spec, 20) for _ in range(9)]
        for _ in range(3):
            gate.entered.get(timeout=5)
        assert door(gate.spec.declare(name="other", run=lambda _: 1), 5) == Returned(1)
        assert len(gate.threads()) == 3
        gate.opened.set()
        assert [outcome.result() for outcome in outcomes] == [Returned("through")] * 9


@DOORS
def test_the_time_of_a_call_begins_when_it_has_a_place(door: Door, gate: Gate) -> None:
    """What the queue took is not taken from the tool, and is told apart."""
    workers.PLACES.resize(each=1)
    queued: list[float] = []
    with ThreadPoolExecutor(2) as runs:
        first = runs.submit(wait, gate.spec, 20)
        gate.entered.get(timeout=5)
        second = runs.submit(door, gate.spec, 20, queued=queued.append)
        while not workers.PLACES.queued("gate"):
            threading.Event().wait(0.001)
        gate.opened.set()
        assert [first.result(), second.result()] == [Returned("through")] * 2
    assert len(queued) == 1
    assert queued[0] > 0


@DOORS
def test_queue_and_work_together_may_be_bounded(door: Door, gate: Gate) -> None:
    """A run that ends soon leaves a call no more than that, however long its tool may take."""
    assert door(gate.spec, 20, within=0.05) == TimedOut(0.05)
    workers.PLACES.resize(total=0)
    assert is_busy(door(gate.spec, 20, within=0.05))


def test_calls_in_the_queue_need_not_wait_for_a_tool_that_hangs(gate: Gate) -> None:
    """As soon as too many calls hang, those in the queue of the tool are turned away."""
    workers.PLACES.resize(each=2, left_behind=2)
    with ThreadPoolExecutor(3) as runs:
        hanging = [runs.submit(wait, gate.spec, 0.3) for _ in range(2)]
        for _ in range(2):
            gate.entered.get(timeout=5)
        outcome = runs.submit(wait, gate.spec, 600).result(timeout=20)
        assert [one.result() for one in hanging] == [TimedOut(0.3)] * 2
    assert is_busy(outcome)
    assert "2 earlier ones still hang" in str(outcome)


def test_a_run_that_is_cancelled_in_the_queue_leaves_it(gate: Gate) -> None:
    """Its call is never started, and its place in the queue goes to nobody."""
    workers.PLACES.resize(each=1)

    async def main() -> None:
        first = asyncio.create_task(arun_call(gate.spec, {}, seconds=20))
        await asyncio.sleep(0)
        second = asyncio.create_task(arun_call(gate.spec, {}, seconds=20))
        await asyncio.sleep(0)
        assert workers.PLACES.queued("gate") == 1
        second.cancel()
        with pytest.raises(asyncio.CancelledError):
            await second
        assert workers.PLACES.queued("gate") == 0
        gate.opened.set()
        assert await first == Returned("through")

    asyncio.run(main())
    assert gate.entered.qsize() == 1
    assert wait(gate.spec, 5) == Returned("through")


def test_calls_that_are_waited_for_do_not_count_as_hanging(gate: Gate) -> None:
    """The same tool may be at work for many runs, more often than it may hang."""
    with ThreadPoolExecutor(3) as runs:
        outcomes = [runs.submit(wait, gate.spec, 5) for _ in range(3)]
        for _ in range(3):
            gate.entered.get(timeout=5)
        gate.opened.set()
        assert [outcome.result() for outcome in outcomes] == [Returned("through")] * 3


def test_a_tool_that_fails_gives_its_place_back() -> None:
    """Failures use up nothing."""
    spec = ToolSpec(name="div", description="", parameters={"type": "object"}, run=lambda _: 1 / 0)
    assert not any(is_busy(wait(spec, 5)) for _ in range(9))


def test_an_async_tool_needs_no_place_in_a_loop(gate: Gate) -> None:
    """Where no thread is needed, none is missing."""

    async def arun(_: Any) -> int:
        return 1

    workers.PLACES.resize(total=0)
    assert hurry(gate.spec.declare(run=None, arun=arun), 5) == Returned(1)
    assert is_busy(wait(gate.spec.declare(run=None, arun=arun), 0.01))


def test_more_room_can_be_made(gate: Gate) -> None:
    """A host sets bounds of its own."""
    workers.PLACES.resize(left_behind=3)
    assert [is_busy(wait(gate.spec, 0.01)) for _ in range(4)] == [False, False, False, True]


def test_room_that_is_made_goes_to_those_who_queue(gate: Gate) -> None:
    """Nobody has to ask again."""
    workers.PLACES.resize(total=0)
    with ThreadPoolExecutor(1) as runs:
        outcome = runs.submit(wait, gate.spec, 20)
        while not workers.PLACES.queued("gate"):
            threading.Event().wait(0.001)
        workers.PLACES.resize()
        gate.opened.set()
        assert outcome.result() == Returned("through")


@DOORS
def test_a_process_without_threads_turns_calls_away(door: Door, gate: Gate, monkeypatch: pytest.MonkeyPatch) -> None:
    """When the system gives no thread nothing was started, and the place isn't lost."""

    def refuse(thread: threading.Thread) -> None:
        msg = "can't start new thread"
        raise RuntimeError(msg)

    quick = gate.spec.declare(run=lambda _: 1)
    with monkeypatch.context() as patch:
        patch.setattr(threading.Thread, "start", refuse)
        assert all(is_busy(door(quick, 5)) for _ in range(9))
    assert door(quick, 5) == Returned(1)

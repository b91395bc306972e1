"""Tools that hang: how many threads they may hold, and what happens when no more are started."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from reinforced_agent.tools import workers
from reinforced_agent.tools.running import Raised, Returned, TimedOut
from reinforced_agent.tools.spec import ToolSpec
from reinforced_agent.tools.workers import Places
from tests.tools.gates import DOORS, Door, Gate, hurry, is_busy, wait


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


@DOORS
def test_a_tool_that_keeps_hanging_is_not_started_again(door: Door, gate: Gate) -> None:
    """After as many hanging calls as are allowed it is turned away at once, until one of them comes back."""
    assert [door(gate.spec, 0.01) for _ in range(2)] == [TimedOut(0.01)] * 2
    outcome = door(gate.spec, 60)
    assert is_busy(outcome)
    assert isinstance(outcome, Raised)
    assert str(outcome.error) == ("2 earlier calls of 'gate' still hang, so this one was not started: try again later.")
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
def test_all_tools_together_have_a_bound(door: Door) -> None:
    """When every place is taken no tool is started, and each thread that ends gives its place back."""
    gates = [Gate(name) for name in "abc"]
    for gate in gates:
        door(gate.spec, 0.01)
        door(gate.spec, 0.01)
    assert [len(gate.threads()) for gate in gates] == [2, 2, 1]
    quick = gates[0].spec.declare(name="quick", run=lambda _: 1)
    outcome = door(quick, 5)
    assert is_busy(outcome)
    assert "5 calls of tools are under way" in str(outcome)
    gates[0].open()
    assert [door(quick, 5) for _ in range(9)] == [Returned(1)] * 9
    for gate in gates:
        gate.open()


def test_calls_that_are_waited_for_do_not_count_as_hanging(gate: Gate) -> None:
    """The same tool may be at work for many runs, more often than it may hang."""
    with ThreadPoolExecutor(4) as runs:
        outcomes = [runs.submit(wait, gate.spec, 5) for _ in range(4)]
        for _ in range(4):
            gate.entered.get(timeout=5)
        gate.opened.set()
        assert [outcome.result() for outcome in outcomes] == [Returned("through")] * 4


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
    assert is_busy(wait(gate.spec.declare(run=None, arun=arun), 5))


def test_more_room_can_be_made(gate: Gate) -> None:
    """A host sets bounds of its own."""
    workers.PLACES.resize(total=9, left_behind=3)
    assert [is_busy(wait(gate.spec, 0.01)) for _ in range(4)] == [False, False, False, True]


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

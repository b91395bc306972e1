"""A plan that its caller leaves is carried to its end: what is owed is done, and nothing else is begun."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Generator
from typing import Any

import pytest

from reinforced_agent.graph.execution.sync_async import Blocking, Pause, Plan, Step, adrive, drive
from tests.graph.house import wait_until


def interrupted() -> None:
    """Be broken off by Ctrl-C."""
    raise KeyboardInterrupt


def put_down(done: list[str], first: Step) -> Plan[None]:
    """Do a first step, put down what came of it, and begin something else."""
    try:
        yield first
    finally:
        yield Blocking(lambda: done.append("owed"), owed=True)
        yield Blocking(lambda: done.append("begun"))


def test_ctrl_c_leaves_no_step_that_is_owed_undone() -> None:
    """A caller that waits gets its interruption when what is owed is done."""
    done: list[str] = []
    with pytest.raises(KeyboardInterrupt):
        drive(put_down(done, Blocking(interrupted)))
    assert done == ["owed"]


def test_a_step_that_is_owed_is_done_again_where_ctrl_c_broke_it_off() -> None:
    """Who presses Ctrl-C in the middle of it loses nothing."""
    tries, told = [KeyboardInterrupt(), None], list[str]()

    def put_down() -> str:
        if fault := tries.pop(0):
            raise fault
        return "done"

    def plan() -> Generator[Step, Any, None]:
        told.append((yield Blocking(put_down, owed=True)))

    with pytest.raises(KeyboardInterrupt):
        drive(plan())
    assert told == ["done"]


def test_a_loop_that_is_closed_leaves_no_step_that_is_owed_undone() -> None:
    """A coroutine that is dropped in the middle has the rest done on a thread."""
    done: list[str] = []

    async def main() -> None:
        coroutine = adrive(put_down(done, Pause(60)))
        coroutine.send(None)
        coroutine.close()

    asyncio.run(main())
    wait_until(lambda: done == ["owed"])


@pytest.mark.parametrize("fails", [False, True], ids=["works", "fails"])
def test_a_step_that_comes_too_late_is_undone(fails: bool) -> None:  # noqa: FBT001
    """Where the caller was cancelled meanwhile, what was taken is given back, and the cancellation goes on upwards."""
    entered, opened, undone = threading.Event(), threading.Event(), list[str]()

    def take() -> str:
        entered.set()
        assert opened.wait(20)
        return "taken"

    def undo(taken: str) -> None:
        undone.append(taken)
        if fails:
            raise ConnectionError

    def plan() -> Plan[Any]:
        return (yield Blocking(take, undo))

    async def main() -> None:
        run = asyncio.ensure_future(adrive(plan()))
        await asyncio.to_thread(entered.wait, 20)
        run.cancel()
        asyncio.get_running_loop().call_soon(opened.set)
        with pytest.raises(asyncio.CancelledError):
            await run

    asyncio.run(main())
    assert undone == ["taken"]


def test_a_process_without_threads_does_a_step_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    """When the system gives no thread the loop waits, and nothing is lost."""

    def refuse(thread: threading.Thread) -> None:
        msg = "can't start new thread"
        raise RuntimeError(msg)

    def plan() -> Plan[Any]:
        return (yield Blocking(lambda: threading.current_thread().name))

    monkeypatch.setattr(threading.Thread, "start", refuse)
    assert asyncio.run(adrive(plan())) == threading.current_thread().name

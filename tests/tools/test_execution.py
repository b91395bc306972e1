"""Running one call within its time: results, failures, time-outs, in threads and in event loops."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from typing import Any

import pytest

from reinforced_agent.tools.execution import Outcome, Raised, Returned, TimedOut, arun_call, run_call
from reinforced_agent.tools.spec import ToolSpec


def spec(**ways: Any) -> ToolSpec:
    """Make a tool with the given ways to run."""
    return ToolSpec(name="work", description="", parameters={"type": "object"}, **ways)


def wait(tool: ToolSpec, seconds: float) -> Outcome:
    """Run as a caller that waits."""
    return run_call(tool, {"n": 1}, seconds=seconds)


def hurry(tool: ToolSpec, seconds: float) -> Outcome:
    """Run as a caller in an event loop."""
    return asyncio.run(arun_call(tool, {"n": 1}, seconds=seconds))


def fail(_: Any) -> None:
    """Raise."""
    msg = "broken"
    raise RuntimeError(msg)


async def afail(_: Any) -> None:
    """Raise, in an event loop."""
    fail(_)


def give_up(_: Any) -> None:
    """Raise a time-out of the tool's own."""
    msg = "the server was slow"
    raise TimeoutError(msg)


async def add(arguments: Any) -> int:
    """Answer, in an event loop."""
    await asyncio.sleep(0)
    return int(arguments["n"]) + 1


async def never(_: Any) -> None:
    """Hang, in an event loop."""
    await asyncio.Event().wait()


DOORS = pytest.mark.parametrize("door", [wait, hurry], ids=["sync", "async"])


@DOORS
@pytest.mark.parametrize(
    "ways", [{"run": lambda arguments: arguments["n"] + 1}, {"arun": add}, {"run": add}], ids=["sync", "async", "lazy"]
)
def test_a_result_comes_back(door: Callable[..., Outcome], ways: dict[str, Any]) -> None:
    """Sync and async tools work for both kinds of callers."""
    assert door(spec(**ways), 5) == Returned(2)


@DOORS
@pytest.mark.parametrize("ways", [{"run": fail}, {"arun": afail}], ids=["sync", "async"])
def test_an_exception_is_data(door: Callable[..., Outcome], ways: dict[str, Any]) -> None:
    """What a tool raises is handed over, not raised."""
    outcome = door(spec(**ways), 5)
    assert isinstance(outcome, Raised)
    assert str(outcome.error) == "broken"


@DOORS
def test_a_tool_that_hangs_is_left_behind(door: Callable[..., Outcome]) -> None:
    """The caller goes on when the time is up, and the process isn't held by the thread."""
    release = threading.Event()
    tool = spec(run=lambda _: release.wait(20))
    assert door(tool, 0.02) == TimedOut(0.02)
    left = [thread for thread in threading.enumerate() if thread.name == "tool-work"]
    assert left
    assert all(thread.daemon for thread in left)
    release.set()


@DOORS
def test_an_async_tool_that_hangs_is_cancelled(door: Callable[..., Outcome]) -> None:
    """A coroutine is given up when its time is up."""
    if door is hurry:
        assert door(spec(arun=never), 0.02) == TimedOut(0.02)
    else:
        assert isinstance(door(spec(arun=never), 0.02), TimedOut)


@DOORS
def test_a_time_out_of_the_tool_itself_is_a_failure(door: Callable[..., Outcome]) -> None:
    """A tool that raises TimeoutError has failed; our own time-out is something else."""
    assert isinstance(door(spec(run=give_up), 5), Raised)


async def leave(_: Any) -> None:
    """End the process, in an event loop."""
    raise SystemExit(3)


@DOORS
@pytest.mark.parametrize(
    "ways",
    [{"run": lambda _: exit(3)}, {"arun": leave}],  # noqa: PLR1722  # a tool may do this
    ids=["sync", "async"],
)
def test_a_tool_that_ends_the_process_ends_only_itself(door: Callable[..., Outcome], ways: dict[str, Any]) -> None:
    """SystemExit in a tool is an exception like others."""
    outcome = door(spec(**ways), 5)
    assert isinstance(outcome, Raised)
    assert isinstance(outcome.error, SystemExit)

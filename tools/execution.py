"""Run one tool call within its time, sync or async, and report what happened as data."""

from __future__ import annotations

import asyncio
import inspect
import math
from collections.abc import Awaitable, Callable
from concurrent.futures import TimeoutError as FutureTimeoutError
from dataclasses import dataclass
from typing import Any, TypeAlias, cast

from reinforced_agent.tools import threads as workers
from reinforced_agent.tools.injection import set_key
from reinforced_agent.tools.spec import Arguments, ToolSpec
from reinforced_agent.tools.threads import Job, ToolsBusyError, report_late


@dataclass(frozen=True, slots=True)
class Returned:
    """The tool came back with a value."""

    value: Any


@dataclass(frozen=True, slots=True)
class Raised:
    """The tool raised, or wasn't started (`ToolsBusyError`); `failures.diagnose` judges what that says."""

    error: BaseException


@dataclass(frozen=True, slots=True)
class TimedOut:
    """The time was up; a tool in a thread may still be at work."""

    seconds: float


Ended: TypeAlias = Returned | Raised
"""What comes of a call that comes back."""
Outcome: TypeAlias = Ended | TimedOut

Late: TypeAlias = Callable[[Ended], None]
"""Hears once, on a thread, what came of a call after its time was up or its run was cancelled."""

Queued: TypeAlias = Callable[[float], object]
"""Told how many seconds a call was in the queue for a thread."""


class CameBackError(asyncio.CancelledError):
    """The run was cancelled at the very moment its call came back; `outcome` is for who catches this to put down."""

    def __init__(self, outcome: Ended) -> None:
        """Hand the outcome over."""
        super().__init__()
        self.outcome = outcome


def is_turned_away(outcome: Outcome) -> bool:
    """Tell a call that never began, since no thread was free for it."""
    return isinstance(outcome, Raised) and isinstance(outcome.error, ToolsBusyError)


def run_call(
    spec: ToolSpec,
    arguments: Arguments,
    *,
    seconds: float,
    within: float = math.inf,
    key: str = "",
    late: Late | None = None,
    queued: Queued | None = None,
) -> Outcome:
    """Run a call and wait for it, at most the given seconds.

    A tool runs on a daemon thread: one that hangs delays neither the answer nor the end of the process. Where none is
    free, the call queues for one, no longer than it may take itself; its time begins when it has one. A call that gets
    none is not started, and the outcome is `Raised(ToolsBusyError(...))`.

    Args:
        spec: The tool.
        arguments: Canonical arguments.
        seconds: How long the tool may take.
        within: How long it may take with the time in the queue.
        key: Idempotency key of the call, for `idempotency_key()` inside the tool; empty for none.
        late: Hears what came of a call that nobody waits for any more; what it raises is dropped.
        queued: Told how many seconds the call was in the queue, before it is started or turned away.

    """
    try:
        waited = workers.PLACES.take(spec.name, min(seconds, within))
        job = _start(spec, arguments, key, late)
    except ToolsBusyError as busy:
        return _turned_away(busy, queued)
    left = _left(seconds, within, waited, queued)
    try:
        return job.future.result(timeout=left)
    except FutureTimeoutError:
        return job.leave() or TimedOut(left)
    except BaseException:
        # Hit the waiting thread, not the tool: an outcome is a value.
        job.abandon()
        raise


async def arun_call(
    spec: ToolSpec,
    arguments: Arguments,
    *,
    seconds: float,
    within: float = math.inf,
    key: str = "",
    late: Late | None = None,
    queued: Queued | None = None,
) -> Outcome:
    """Run a call in an event loop and wait for it, at most the given seconds; takes what `run_call` takes.

    An async tool is cancelled when its time is up, or when the run is; it needs no thread, and never queues. A sync one
    goes to a thread as in `run_call`.

    Raises:
        CameBackError: When the run was cancelled at the moment the call came back.

    """
    if spec.arun is not None:
        task = asyncio.ensure_future(_call_async(spec.arun, arguments, key))
        return await _wait_for_task(task, min(seconds, within), late)
    try:
        waited = await workers.PLACES.atake(spec.name, min(seconds, within))
        job = _start(spec, arguments, key, late)
    except ToolsBusyError as busy:
        return _turned_away(busy, queued)
    return await _wait_for_job(job, _left(seconds, within, waited, queued))


def _left(seconds: float, within: float, waited: float, queued: Queued | None) -> float:
    """Return how long a tool may take that has begun now."""
    if queued is not None:
        queued(waited)
    return min(seconds, within - waited)


def _turned_away(busy: ToolsBusyError, queued: Queued | None) -> Raised:
    """Say that a call was not started."""
    if queued is not None:
        queued(busy.waited)
    return Raised(busy)


async def _wait_for_job(job: Job[Ended], seconds: float) -> Outcome:
    """Wait for a thread; cancellation leaves it behind and goes on upwards."""
    try:
        await asyncio.wait({asyncio.wrap_future(job.future)}, timeout=seconds)
    except asyncio.CancelledError as cancelled:
        raise _crossed(job.leave(), cancelled) from None
    except BaseException:
        job.abandon()
        raise
    return job.leave() or TimedOut(seconds)


async def _wait_for_task(task: asyncio.Task[Ended], seconds: float, late: Late | None) -> Outcome:
    """Wait for an async tool; cancellation cancels it and goes on upwards."""
    try:
        done, _ = await asyncio.wait({task}, timeout=seconds)
    except asyncio.CancelledError as cancelled:
        if not task.done():
            _give_up(task, late)
        raise _crossed(_ended(task) if task.done() else None, cancelled) from None
    except BaseException:
        _give_up(task, late)
        raise
    if done:
        return _ended(task)
    _give_up(task, late)
    return TimedOut(seconds)


def _crossed(outcome: Ended | None, cancelled: asyncio.CancelledError) -> asyncio.CancelledError:
    """Return what to raise when a run is cancelled, with the outcome if it is there already."""
    return cancelled if outcome is None else CameBackError(outcome)


def _give_up(task: asyncio.Task[Ended], late: Late | None) -> None:
    """Cancel an async tool; one that comes to an end all the same is told of.

    Of one that is cancelled nothing is told: how far it came is not known.
    """
    task.cancel()
    task.add_done_callback(lambda done: None if done.cancelled() else report_late(late, _ended(done)))


def _ended(task: asyncio.Task[Ended]) -> Ended:
    """Return what came of a task that is done."""
    if task.cancelled():
        return Raised(asyncio.CancelledError("the tool cancelled itself"))
    error = task.exception()
    return task.result() if error is None else Raised(error)


def _start(spec: ToolSpec, arguments: Arguments, key: str, late: Late | None) -> Job[Ended]:
    """Start a call on a thread that knows the context of this one.

    Raises:
        ToolsBusyError: When no thread is free.

    """
    return Job(spec.name, lambda: _call(spec, arguments, key), late)


def _call(spec: ToolSpec, arguments: Arguments, key: str) -> Ended:
    """Call the tool in this thread and context, in a loop of its own where it is async."""
    try:
        set_key(key)
        return Returned(_value(spec, arguments))
    except StopIteration as error:
        # Neither a generator nor a coroutine can raise this one again.
        return Raised(RuntimeError(f"the tool raised StopIteration: {error}"))
    except BaseException as error:  # noqa: BLE001  # the thread hands over whatever was raised
        return Raised(error)


def _value(spec: ToolSpec, arguments: Arguments) -> Any:
    """Return what the tool returns."""
    if spec.run is not None:
        value = spec.run(arguments)
        return _whole(asyncio.run(_as_coroutine(value)) if inspect.isawaitable(value) else value)
    # A toolset refuses tools that have neither way to run.
    arun = cast("Any", spec.arun)
    return _whole(asyncio.run(_as_coroutine(arun(arguments))))


async def _call_async(arun: Callable[[Arguments], Awaitable[Any]], arguments: Arguments, key: str) -> Ended:
    """Call inside the task, so that what is raised before the first `await` is caught like the rest."""
    set_key(key)
    try:
        return Returned(_whole(await arun(arguments)))
    except SystemExit as error:
        # A task would pass this one on to the loop, and end the process.
        return Raised(error)


async def _as_coroutine(awaitable: Awaitable[Any]) -> Any:
    """Make any awaitable one that a loop can run."""
    return await awaitable


def _whole(value: Any) -> Any:
    """Return a value that is all there.

    Raises:
        TypeError: On a generator, which would run on after its time.

    """
    if inspect.isgenerator(value) or inspect.isasyncgen(value):
        msg = "the tool returned a generator: it must return the whole result, such as a list or a text."
        raise TypeError(msg)
    return value

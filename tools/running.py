"""Run one tool call within its time, sync or async, and report what happened as data."""

from __future__ import annotations

import asyncio
import contextvars
import inspect
import threading
from collections.abc import Awaitable, Callable
from concurrent.futures import Future
from concurrent.futures import TimeoutError as FutureTimeoutError
from dataclasses import dataclass
from typing import Any, TypeAlias, cast

from reinforced_agent.tools.spec import Arguments, ToolSpec


@dataclass(frozen=True, slots=True)
class Returned:
    """The tool came back with a value."""

    value: Any


@dataclass(frozen=True, slots=True)
class Raised:
    """The tool raised; nothing is known about what it did before."""

    error: BaseException


@dataclass(frozen=True, slots=True)
class TimedOut:
    """The time was up; a tool in a thread may still be at work."""

    seconds: float


Outcome: TypeAlias = Returned | Raised | TimedOut


def run_call(spec: ToolSpec, arguments: Arguments, *, seconds: float) -> Outcome:
    """Run a call and wait for it, at most the given seconds.

    A tool runs on a daemon thread: one that hangs delays neither the answer nor the end of the process.
    """
    future = _start(spec, arguments)
    try:
        return Returned(future.result(timeout=seconds))
    except BaseException as error:  # noqa: BLE001  # sorted below: ours, the tool's, or passed on
        # A tool may raise a time-out of its own; only an unfinished future means that ours is over.
        if isinstance(error, FutureTimeoutError) and not future.done():
            return TimedOut(seconds)
        return _raised(future, error)


async def arun_call(spec: ToolSpec, arguments: Arguments, *, seconds: float) -> Outcome:
    """Run a call in an event loop and wait for it, at most the given seconds.

    An async tool is cancelled when its time is up; a sync one goes to a thread as in `run_call`.
    """
    if spec.arun is None:
        return await _wait(asyncio.wrap_future(_start(spec, arguments)), seconds)
    return await _wait(asyncio.ensure_future(_call_async(spec.arun, arguments)), seconds)


async def _call_async(arun: Callable[[Arguments], Awaitable[Any]], arguments: Arguments) -> Any:
    """Call inside the task, so that what is raised before the first `await` is caught like the rest."""
    return _whole(await arun(arguments))


def _whole(value: Any) -> Any:
    """Return a value that is all there.

    Raises:
        TypeError: On a generator, which would run on after its time.

    """
    if inspect.isgenerator(value) or inspect.isasyncgen(value):
        msg = "the tool returned a generator: it must return the whole result, such as a list or a text."
        raise TypeError(msg)
    return value


async def _as_coroutine(awaitable: Awaitable[Any]) -> Any:
    """Make any awaitable one that a loop can run."""
    return await awaitable


async def _wait(future: asyncio.Future[Any], seconds: float) -> Outcome:
    """Wait for a future; cancellation of the run cancels the tool and goes on upwards."""
    try:
        done, _ = await asyncio.wait({future}, timeout=seconds)
    except asyncio.CancelledError:
        future.cancel()
        raise
    if not done:
        future.cancel()
        return TimedOut(seconds)
    if future.cancelled():
        return Raised(asyncio.CancelledError("the tool cancelled itself"))
    error = future.exception()
    return Returned(future.result()) if error is None else Raised(error)


def _raised(future: Future[Any], error: BaseException) -> Raised:
    """Keep the tool's own exception; one that hit the waiting thread instead goes on upwards."""
    if future.done() and future.exception() is error:
        return Raised(error)
    raise error


def _start(spec: ToolSpec, arguments: Arguments) -> Future[Any]:
    """Start a call on a daemon thread that knows the context of this one."""
    future: Future[Any] = Future()
    # A running future can't be cancelled: whoever stops waiting must not take the place of the result.
    future.set_running_or_notify_cancel()
    context = contextvars.copy_context()

    def work() -> None:
        try:
            value = context.run(_call, spec, arguments)
        except StopIteration as error:
            # An event loop can't hand this one over.
            future.set_exception(RuntimeError(f"the tool raised StopIteration: {error}"))
        except BaseException as error:  # noqa: BLE001  # the thread hands over whatever was raised
            future.set_exception(error)
        else:
            future.set_result(value)

    threading.Thread(target=work, name=f"tool-{spec.name}", daemon=True).start()
    return future


def _call(spec: ToolSpec, arguments: Arguments) -> Any:
    """Call the tool in this thread, in a loop of its own where it is async."""
    if spec.run is not None:
        value = spec.run(arguments)
        return _whole(asyncio.run(_as_coroutine(value)) if inspect.isawaitable(value) else value)
    # A toolset refuses tools that have neither way to run.
    arun = cast("Any", spec.arun)
    return asyncio.run(_call_async(arun, arguments))

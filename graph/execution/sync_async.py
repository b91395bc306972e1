"""Let one piece of logic serve callers that wait and callers in an event loop.

The logic is a generator that yields what has to be waited for, and is sent what came of it; the two drivers differ only
in how they wait. A caller may leave at any step: its run is cancelled, its loop is closed, or somebody pressed Ctrl-C.
The plan is carried to its end all the same: what has happened is put down, what is held is given back, and nothing else
is begun.
"""

from __future__ import annotations

import asyncio
import contextvars
import math
import threading
import time
from collections.abc import Callable, Generator
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import Any, Final, TypeAlias, TypeVar, assert_never

from reinforced_agent.graph.records.logs import masking_logger
from reinforced_agent.tools.execution import CameBackError, Late, Queued, arun_call, run_call
from reinforced_agent.tools.spec import Arguments, ToolSpec


_PATIENCE: Final = 5.0
"""Seconds that a cancelled run waits for what is put down and given back; what takes longer goes on without it."""

_logger = masking_logger(__name__)


@dataclass(frozen=True, slots=True)
class Blocking:
    """Something that blocks, such as a transaction; an event loop does it on a thread, which nobody can stop."""

    function: Callable[[], Any]
    undo: Callable[[Any], object] | None = None
    """Takes back what was done when the caller has left meanwhile, so that the plan can't go on with it."""
    owed: bool = False
    """Whether it is done, and the plan goes on with its answer, even though the caller has left: what is known is put
    down. Doing it twice must do no harm."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Dispatch:
    """One call of a tool."""

    spec: ToolSpec
    arguments: Arguments
    seconds: float
    """Time the tool may take."""
    within: float = math.inf
    """Time it may take with that in the queue for a thread."""
    key: str
    """Idempotency key that the tool is given."""
    late: Late | None = None
    """Told what came of it when that comes after its time."""
    queued: Queued | None = None
    """Told how long it was in the queue."""

    @property
    def how(self) -> dict[str, Any]:
        """Return how it is called."""
        return {
            "seconds": self.seconds,
            "within": self.within,
            "key": self.key,
            "late": self.late,
            "queued": self.queued,
        }


@dataclass(frozen=True, slots=True)
class Pause:
    """Some time without work."""

    seconds: float


Step: TypeAlias = Blocking | Dispatch | Pause
Result = TypeVar("Result")
Plan: TypeAlias = Generator[Step, Any, Result]

_Resume: TypeAlias = Callable[[], Step]
"""Goes on with a plan to its next step; raises `StopIteration` at its end."""


def drive(plan: Plan[Result]) -> Result:
    """Carry a plan out, and wait for each step."""
    resume: _Resume = partial(next, plan)
    while True:
        try:
            step = resume()
        except StopIteration as end:
            result: Result = end.value
            return result
        try:
            resume = partial(plan.send, _do(step))
        except Exception as error:  # noqa: BLE001  # the plan decides what it means
            resume = partial(plan.throw, error)
        except BaseException as left:
            _finish(plan, step, None, left)
            raise


async def adrive(plan: Plan[Result]) -> Result:
    """Carry a plan out in an event loop, which goes on meanwhile."""
    resume: _Resume = partial(next, plan)
    while True:
        try:
            step = resume()
        except StopIteration as end:
            result: Result = end.value
            return result
        job: Future[Any] | None = None
        try:
            if isinstance(step, Blocking):
                job = _start(step.function)
                await _ended(job)
                resume = _answered(plan, job.result)
            else:
                resume = partial(plan.send, await _ado(step))
        except Exception as error:  # noqa: BLE001  # the plan decides what it means
            resume = partial(plan.throw, error)
        except BaseException as left:
            if isinstance(left, CameBackError):
                job = Future()
                job.set_result(left.outcome)
            await _leave(partial(_finish, plan, step, job, left), left)
            raise


async def in_thread(step: Blocking) -> Any:
    """Do one thing that blocks as a plan would: it is undone, or done all the same, when the caller is cancelled."""
    return await adrive(_alone(step))


def _alone(step: Blocking) -> Plan[Any]:
    return (yield step)


def _do(step: Step) -> Any:
    """Do one step."""
    match step:
        case Blocking(function=function):
            return function()
        case Dispatch():
            return run_call(step.spec, step.arguments, **step.how)
        case Pause(seconds=seconds):
            time.sleep(seconds)
            return None
        case _:
            assert_never(step)


async def _ado(step: Dispatch | Pause) -> Any:
    """Do one step that an event loop does itself."""
    match step:
        case Dispatch():
            return await arun_call(step.spec, step.arguments, **step.how)
        case Pause(seconds=seconds):
            return await asyncio.sleep(seconds)
        case _:
            assert_never(step)


def _finish(plan: Plan[Any], step: Step, job: Future[Any] | None, left: BaseException) -> None:
    """Carry a plan to its end whose caller has left.

    Args:
        plan: The plan.
        step: Where it was left.
        job: The thread that does this step, or what has come of it; `None` where it was broken off.
        left: Why the caller left; the plan is told at its next step that isn't owed.

    """
    resume = _left_at(plan, step, job, left)
    try:
        while True:
            step = resume()
            resume = _left_at(plan, step, None, left)
    except StopIteration:
        pass
    except BaseException as error:
        if error is not left:
            _logger.exception("What a run that was cancelled left behind could not be put in order.")


def _left_at(plan: Plan[Any], step: Step, job: Future[Any] | None, left: BaseException) -> _Resume:
    """Say how a plan goes on from a step that nobody waits for."""
    match step:
        case Blocking(owed=True):
            return _answered(plan, step.function if job is None else job.result)
        case Dispatch() if job is not None:
            return _answered(plan, job.result)
        case Blocking(undo=undo) if undo is not None and job is not None and job.exception() is None:
            try:
                undo(job.result())
            except Exception:
                _logger.exception("A step of a run that was cancelled could not be undone.")
    return partial(plan.throw, left)


def _answered(plan: Plan[Any], answer: Callable[[], Any]) -> _Resume:
    """Go on with what a function returns or raises."""
    try:
        return partial(plan.send, answer())
    except BaseException as error:  # noqa: BLE001  # the plan decides what it means
        return partial(plan.throw, error)


def _start(function: Callable[[], Any]) -> Future[Any]:
    """Do something in a copy of the present context, on a thread of its own.

    It waits for no place in a pool, where cancellation could take it away or something that hangs could keep it for
    ever. The process ends when it is done.
    """
    job: Future[Any] = Future()
    run = contextvars.copy_context().run

    def work() -> None:
        try:
            job.set_result(run(function))
        except BaseException as error:  # noqa: BLE001  # handed over to whoever asks for the result
            job.set_exception(error)

    try:
        threading.Thread(target=work, name="step").start()
    except RuntimeError:
        # The process has no thread left, or is about to end: late is better than never.
        work()
    return job


async def _ended(job: Future[Any], seconds: float | None = None) -> None:
    """Wait for a thread, at most some time; who stops waiting doesn't stop it."""
    loop = asyncio.get_running_loop()
    ended = loop.create_future()

    def tell(_: Future[Any]) -> None:
        # A loop that is closed has nobody who waits.
        with suppress(RuntimeError):
            loop.call_soon_threadsafe(ended.set_result, None)

    job.add_done_callback(tell)
    await asyncio.wait({ended}, timeout=seconds)


async def _leave(finish: Callable[[], None], left: BaseException) -> None:
    """Have a plan carried to its end on a thread; who cancels once more doesn't cut that short."""
    job = _start(finish)
    if not isinstance(left, asyncio.CancelledError):
        # The loop itself is closed, so nothing can be waited for.
        return
    loop = asyncio.get_running_loop()
    until = loop.time() + _PATIENCE
    while not job.done() and loop.time() < until:
        with suppress(asyncio.CancelledError):
            await _ended(job, until - loop.time())

"""Let one piece of logic serve callers that wait and callers in an event loop.

The logic is a generator that yields what has to be waited for, and is sent what came of it; the two drivers differ only
in how they wait.
"""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable, Generator
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, TypeAlias, TypeVar, assert_never

from reinforced_agent.tools.running import Late, arun_call, run_call
from reinforced_agent.tools.spec import Arguments, ToolSpec


@dataclass(frozen=True, slots=True)
class Blocking:
    """Something that blocks, such as a transaction; an event loop does it in a thread."""

    function: Callable[[], Any]
    undo: Callable[[Any], object] | None = None
    """Takes back what was done when nobody is left to go on with it: the thread can't be stopped with its caller."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Dispatch:
    """One call of a tool."""

    spec: ToolSpec
    arguments: Arguments
    seconds: float
    """Time it may take."""
    key: str
    """Idempotency key that the tool is given."""
    late: Late | None = None
    """Told what came of it when that comes after its time."""


@dataclass(frozen=True, slots=True)
class Pause:
    """Some time without work."""

    seconds: float


Step: TypeAlias = Blocking | Dispatch | Pause
Result = TypeVar("Result")
Plan: TypeAlias = Generator[Step, Any, Result]


def drive(plan: Plan[Result]) -> Result:
    """Carry a plan out, and wait for each step."""
    try:
        step = next(plan)
        while True:
            try:
                answer = _do(step)
            except BaseException as error:  # noqa: BLE001  # the plan decides what it means
                step = plan.throw(error)
            else:
                step = plan.send(answer)
    except StopIteration as end:
        result: Result = end.value
        return result


async def adrive(plan: Plan[Result]) -> Result:
    """Carry a plan out in an event loop."""
    try:
        step = next(plan)
        while True:
            try:
                answer = await _ado(step)
            except BaseException as error:  # noqa: BLE001  # the plan decides what it means
                step = plan.throw(error)
            else:
                step = plan.send(answer)
    except StopIteration as end:
        result: Result = end.value
        return result


def _do(step: Step) -> Any:
    """Do one step."""
    match step:
        case Blocking(function=function):
            return function()
        case Dispatch():
            return run_call(step.spec, step.arguments, seconds=step.seconds, key=step.key, late=step.late)
        case Pause(seconds=seconds):
            time.sleep(seconds)
            return None
        case _:
            assert_never(step)


async def _ado(step: Step) -> Any:
    """Do one step without holding up the event loop."""
    match step:
        case Blocking():
            return await _in_thread(step)
        case Dispatch():
            return await arun_call(step.spec, step.arguments, seconds=step.seconds, key=step.key, late=step.late)
        case Pause(seconds=seconds):
            return await asyncio.sleep(seconds)
        case _:
            assert_never(step)


async def _in_thread(step: Blocking) -> Any:
    """Do a step that blocks in a thread; one that nobody waits for any more is taken back when it is done."""
    handing, answers, left = threading.Lock(), list[Any](), threading.Event()

    def work() -> Any:
        answer = step.function()
        with handing:
            answers.append(answer)
            unwanted = left.is_set()
        if unwanted:
            _take_back(step, answer)
        return answer

    try:
        return await asyncio.to_thread(work)
    except BaseException:
        with handing:
            left.set()
        for answer in answers:
            # It was done already when the caller was cancelled.
            threading.Thread(target=_take_back, args=(step, answer), name="take-back", daemon=True).start()
        raise


def _take_back(step: Blocking, answer: Any) -> None:
    """Undo a step; nobody is left who could be told of a failure."""
    if step.undo is not None:
        with suppress(Exception):
            step.undo(answer)

"""Call a tool within its time, again where that can do no harm, and ask its target where nobody knows what happened."""

from __future__ import annotations

import copy
import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeGuard

from langgraph.errors import GraphBubbleUp, ParentCommand

from reinforced_agent.graph.call_record import CallRecord
from reinforced_agent.graph.deps import Bindings
from reinforced_agent.graph.execution.breakers import paused_now
from reinforced_agent.graph.execution.judge import Assessed, assess, fault_of
from reinforced_agent.graph.execution.read_result import Page, runnable
from reinforced_agent.graph.execution.shorten import is_light
from reinforced_agent.graph.execution.sync_async import Blocking, Dispatch, Pause, Plan
from reinforced_agent.tools.errors import Diagnosis, diagnose
from reinforced_agent.tools.execution import Ended, Outcome, Raised, Returned, TimedOut, is_turned_away
from reinforced_agent.tools.retrying import next_wait
from reinforced_agent.tools.spec import Arguments, DidNotHappen, Happened, Reconciled, ToolSpec


@dataclass(frozen=True, slots=True)
class Fired:
    """What came of calling a tool."""

    outcome: Outcome
    attempts: int
    """How often it was called."""
    seconds: float
    """Time from the first call to the last outcome, without that in queues for a thread."""
    doubtful: bool = False
    """Whether an attempt before the last one may have taken effect."""
    assessed: Assessed | None = None
    """What is to be said about the last result, where it was judged."""


def fire(
    record: CallRecord,
    key: str,
    bound: Bindings,
    *,
    left: float = math.inf,
    late: Callable[[Fired], None] | None = None,
    may_retry: Callable[[], bool] = lambda: True,
) -> Plan[Fired]:
    """Call the tool; a read, or an idempotent write, is called again when its fault may pass by itself.

    Args:
        record: The call.
        key: Its idempotency key.
        bound: The parts of the graph.
        left: Seconds that are left of the run.
        late: Told what came of a call that ended after its time.
        may_retry: Asked before every further attempt; there is none either once the tool is paused.

    Raises:
        GraphBubbleUp: Passed on where a tool steers the graph itself.

    """
    # A call that was claimed as the last moment passed is dispatched all the same, to an honest time-out.
    spec = runnable(bound.toolset[record["tool"]], bound)
    total = min(seconds_for(record, bound), max(left, 0.0))
    started, queued = bound.stopwatch(), list[float]()
    attempts, doubtful = 0, False
    while True:
        attempts += 1
        elapsed = bound.stopwatch() - started
        seconds = max(total - (elapsed - sum(queued)), 0.0)
        outcome: Outcome = yield Dispatch(
            spec=spec,
            # A copy: a tool that changes what it is given must change neither the next attempt nor the record.
            arguments=copy.deepcopy(record["arguments"]),
            seconds=seconds,
            within=max(left - elapsed, 0.0),
            key=key,
            late=None if late is None else _late(late, attempts, total),
            queued=queued.append,
        )
        if isinstance(outcome, Raised) and isinstance(outcome.error, ParentCommand):
            # Raising a command is another way to return it.
            outcome = Returned(outcome.error.args[0])
        if isinstance(outcome, Raised) and isinstance(outcome.error, GraphBubbleUp):
            raise outcome.error
        spent = bound.stopwatch() - started - sum(queued)
        assessed = (yield from _assess(outcome.value, spec, record, bound)) if _is_value(outcome) else None
        diagnosis = fault_of(assessed) if assessed else _diagnosis(outcome, spec)
        wait = _wait(diagnosis, record, attempts, total - spent, bound)
        if wait is None or diagnosis is None or is_turned_away(outcome) or not may_retry():
            if isinstance(outcome, TimedOut):
                # What ran out is the time of all attempts together, less what the queue took of the run's.
                outcome = TimedOut(total - (seconds - outcome.seconds))
            return Fired(outcome, attempts, spent, doubtful, assessed)
        yield Pause(wait)
        if record["tool"] in (yield from paused_now(bound.ledger)):
            return Fired(outcome, attempts, spent, doubtful, assessed)
        doubtful = doubtful or not diagnosis.conclusive


def _assess(value: object, spec: ToolSpec, record: CallRecord, bound: Bindings) -> Plan[Assessed | None]:
    """Judge a result; a large one without holding up an event loop, and a page of one not again."""
    if isinstance(value, Page):
        return None
    if is_light(value):
        return assess(value, spec, record, bound)
    assessed: Assessed = yield Blocking(partial(assess, value, spec, record, bound), owed=True)
    return assessed


def seconds_for(record: CallRecord, bound: Bindings) -> float:
    """Return the time all attempts at a call may take together."""
    return bound.limits.seconds_of(bound.toolset[record["tool"]])


def ask_target(record: CallRecord, key: str, bound: Bindings) -> Plan[Reconciled]:
    """Ask the target of a call what became of it; a target that fails, or isn't declared, can't tell."""
    spec = bound.toolset[record["tool"]]
    if spec.reconcile is None:
        return None
    asking = spec.declare(run=partial(_reconcile, spec.reconcile, key), arun=None)
    arguments, seconds = copy.deepcopy(record["arguments"]), seconds_for(record, bound)
    outcome: Outcome = yield Dispatch(spec=asking, arguments=arguments, seconds=seconds, key=key)
    told = outcome.value if isinstance(outcome, Returned) else None
    return told if isinstance(told, Happened | DidNotHappen) else None


def _reconcile(ask: Callable[[Arguments, str], Any], key: str, arguments: Arguments) -> Any:
    """Call the hook with its two arguments."""
    return ask(arguments, key)


def _late(late: Callable[[Fired], None], attempts: int, seconds: float) -> Callable[[Ended], None]:
    """Tell what ended late in the same form as what ended in time."""
    return lambda ended: late(Fired(ended, attempts, seconds))


def _is_value(outcome: Outcome) -> TypeGuard[Returned]:
    """Tell a result from an exception that was returned in place of one."""
    return isinstance(outcome, Returned) and not isinstance(outcome.value, BaseException)


def _diagnosis(outcome: Outcome, spec: ToolSpec) -> Diagnosis | None:
    """Say what an exception tells; nothing where there is none."""
    return diagnose(outcome.error, spec) if isinstance(outcome, Raised) else None


def _wait(diagnosis: Diagnosis | None, record: CallRecord, failed: int, left: float, bound: Bindings) -> float | None:
    """Return how long to wait before the next attempt; a call that used up its time has none."""
    if diagnosis is None:
        return None
    spec = bound.toolset[record["tool"]]
    attempts = bound.limits.attempts_at(spec)
    return next_wait(spec, diagnosis, failed=failed, attempts=attempts, left=left, random=bound.dice)

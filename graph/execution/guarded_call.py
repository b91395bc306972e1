"""Call a tool behind its breaker: ask before it goes out, and report once what came of it."""

from __future__ import annotations

import asyncio
import concurrent.futures
import math
import threading
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import assert_never

from reinforced_agent.graph.call_record import CallRecord
from reinforced_agent.graph.context import Person as PersonRecord
from reinforced_agent.graph.deps import Bindings
from reinforced_agent.graph.execution.breakers import asking, held_back
from reinforced_agent.graph.execution.outcomes import told
from reinforced_agent.graph.execution.runner import Fired, fire, seconds_for
from reinforced_agent.graph.execution.shorten import is_light
from reinforced_agent.graph.execution.sync_async import Blocking, Plan
from reinforced_agent.graph.resilience.breakers import Ticket
from reinforced_agent.policies.breaker import Dropped, Event, Failed, Shut, Worked
from reinforced_agent.policies.limits import Limits
from reinforced_agent.policies.results import Bad, Suspicious
from reinforced_agent.policies.verdicts import ErrorKind
from reinforced_agent.tools.errors import diagnose
from reinforced_agent.tools.execution import Raised, Returned, TimedOut
from reinforced_agent.tools.spec import ToolSpec
from reinforced_agent.tools.threads import ToolsBusyError


_SAYS_NOTHING = (ToolsBusyError, asyncio.CancelledError, concurrent.futures.CancelledError, KeyboardInterrupt)
"""What is no failure, however broadly a tool declares which errors are: the call never began, or was stopped."""
_GRACE = 5.0
"""Seconds beyond the time of a call before a probe of which nothing is heard counts as lost."""


@dataclass(frozen=True, slots=True)
class Guarded:
    """What came of a call that was to go out."""

    record: CallRecord
    fired: Fired | None
    """How the tool was called; `None` where its breaker stopped the call."""


def call_guarded(
    record: CallRecord,
    key: str,
    bound: Bindings,
    locale: str,
    *,
    requester: PersonRecord | None = None,
    left: float = math.inf,
    late: Callable[[CallRecord], None] | None = None,
) -> Plan[Guarded]:
    """Call the tool unless its breaker stops that.

    A call counts once, by its last attempt. One whose run was cancelled counts when it ends, by what it turned out to
    be; one that ran out of its time has counted, whatever it turns out to be later.

    Args:
        record: The call.
        key: Its idempotency key.
        bound: The parts of the graph.
        locale: Language of the turn.
        requester: Who asked for it.
        left: Seconds that are left of the run.
        late: Told what came of a call that ended after its time.

    Raises:
        GraphBubbleUp: Passed on where a tool steers the graph itself.

    """
    ticket = yield from _ask(record, bound, requester)
    if isinstance(ticket, Shut):
        return Guarded(held_back(record, ticket, bound, locale, requester), None)
    spec, once = bound.toolset[record["tool"]], threading.Lock()

    def hear(fired: Fired) -> None:
        ended = told(record, fired, bound)
        if late is not None:
            late(ended)
        if ticket is not None and once.acquire(blocking=False):
            bound.breakers.report(ticket, event_of(ended, fired, spec, bound))

    try:
        fired = yield from fire(record, key, bound, left=left, late=hear, may_retry=_may_retry(ticket, bound))
        ended = yield from _told(record, fired, bound)
    except BaseException:
        yield from _report(ticket, Dropped(), bound)
        raise
    if once.acquire(blocking=False):
        yield from _report(ticket, event_of(ended, fired, spec, bound), bound)
    return Guarded(ended, fired)


def _told(record: CallRecord, fired: Fired, bound: Bindings) -> Plan[CallRecord]:
    """Tell what came of a call; one that takes time to tell, without holding up an event loop."""
    summarised = bound.sizes.policy.summarizer is not None
    if not isinstance(fired.outcome, Returned) or (is_light(fired.outcome.value) and not summarised):
        return told(record, fired, bound)
    ended: CallRecord = yield Blocking(partial(told, record, fired, bound), owed=True)
    return ended


def event_of(ended: CallRecord, fired: Fired, spec: ToolSpec, bound: Bindings) -> Event:
    """Say what the outcome of a call means for the breaker of its tool."""
    rule = bound.breakers.rule_of(spec)
    match fired.outcome:
        case TimedOut(seconds=seconds):
            return Failed() if _had_a_chance(seconds, spec, bound.limits) else Dropped()
        case Raised(error=error) | Returned(value=BaseException() as error):
            return _of_error(error, spec, rule.errors)
        case Returned():
            return Failed() if rule.bad_results and _is_bad(ended, fired) else Worked(fired.seconds)
        case _:
            assert_never(fired.outcome)


def _had_a_chance(seconds: float, spec: ToolSpec, limits: Limits) -> bool:
    """Tell whether a call had its time; one that got little, because the run had used up its own, had no chance.

    Where a run has less time than a call may take, no call ever gets all of its own: half of the run is enough then.
    """
    full = limits.seconds_of(spec)
    return seconds >= (full if limits.seconds is None else min(full, limits.seconds / 2))


def _of_error(error: BaseException, spec: ToolSpec, errors: tuple[type[BaseException], ...]) -> Event:
    """Tell trouble of the tool from mistakes of the caller, and from calls that were cancelled or never began."""
    mistakes = () if spec.failures is None else spec.failures.mistakes
    if isinstance(error, (*_SAYS_NOTHING, *mistakes)):
        return Dropped()
    diagnosis = diagnose(error, spec)
    if diagnosis.transient or isinstance(error, errors):
        return Failed(diagnosis.retry_after or 0.0)
    return Dropped()


def _is_bad(ended: CallRecord, fired: Fired) -> bool:
    """Tell whether a result was judged unusable, or reports an error."""
    sanity = None if fired.assessed is None else fired.assessed.sanity
    judged_bad = isinstance(sanity, Bad) or (isinstance(sanity, Suspicious) and sanity.reports_error)
    return judged_bad or ended.get("kind") == ErrorKind.BAD_RESULT


def _ask(record: CallRecord, bound: Bindings, requester: PersonRecord | None) -> Plan[Ticket | Shut | None]:
    """Ask the breaker, now that the call would go out: what was true when it was checked may be long past."""
    # It may be in the queue for a thread as long as it may take.
    spec, lease = bound.toolset[record["tool"]], 2 * seconds_for(record, bound) + _GRACE
    question = partial(bound.breakers.ask, spec, record["arguments"], asking(requester), lease=lease)
    if not bound.breakers.are_shared:
        return question()

    def give_back(answer: Ticket | Shut | None) -> None:
        if isinstance(answer, Ticket):
            bound.breakers.report(answer, Dropped())

    answer: Ticket | Shut | None = yield Blocking(question, give_back)
    return answer


def _report(ticket: Ticket | None, event: Event, bound: Bindings) -> Plan[None]:
    """Tell the breaker; where that may take time, an event loop goes on meanwhile."""
    if ticket is None:
        return
    if bound.breakers.are_shared:
        yield Blocking(partial(bound.breakers.report, ticket, event), owed=True)
    else:
        bound.breakers.report(ticket, event)


def _may_retry(ticket: Ticket | None, bound: Bindings) -> Callable[[], bool]:
    """Tell whether another attempt may go out within the call."""
    return lambda: ticket is None or bound.breakers.allows_retry(ticket)

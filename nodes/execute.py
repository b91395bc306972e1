"""Run one call; several run side by side, each on its own branch.

What changes something is claimed in the ledger first and settled there after, so that it happens once whatever cuts the
run off; what is known from an earlier attempt is told as it was and not run again.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import Required, TypedDict, assert_never

from langchain_core.runnables import RunnableConfig
from langgraph.errors import GraphBubbleUp

from reinforced_agent.graph.agent import ThreadBusyError
from reinforced_agent.graph.budget.budget import run_of
from reinforced_agent.graph.budget.quotas import give_back, is_counted, over_quota, take
from reinforced_agent.graph.call_record import CallRecord
from reinforced_agent.graph.context import Person
from reinforced_agent.graph.deps import Bindings
from reinforced_agent.graph.execution.breakers import held_back, paused_now
from reinforced_agent.graph.execution.guarded_call import Guarded, call_guarded
from reinforced_agent.graph.execution.outcomes import (
    denied,
    gone,
    mismatch,
    out_of_time,
    outcome_of,
    recalled,
    reconciled,
    settlement_of,
    without_context,
)
from reinforced_agent.graph.execution.read_result import for_run
from reinforced_agent.graph.execution.requester import CallIdentity, Withheld, acting_for, may_not_run, running_as
from reinforced_agent.graph.execution.runner import Fired, ask_target
from reinforced_agent.graph.execution.sync_async import Blocking, Plan, adrive, drive, in_thread
from reinforced_agent.graph.inputs import is_node_of_nested
from reinforced_agent.graph.queries.effects import effect_of, needs_claim, permit_of, thread_of
from reinforced_agent.graph.records.logs import masking_logger
from reinforced_agent.graph.state import Update, plain
from reinforced_agent.ledger import LedgerError
from reinforced_agent.ledger.effects import Claim, Denied, Effect, Granted, Known, Paused, Running
from reinforced_agent.policies.status import RUNNABLE, Status
from reinforced_agent.tools.call import digest
from reinforced_agent.tools.execution import TimedOut
from reinforced_agent.tools.spec import DidNotHappen, Reconciled


_logger = masking_logger(__name__)


class Order(TypedDict, total=False):
    """What a branch is sent: the call it runs, and the turn it belongs to."""

    record: Required[CallRecord]
    turn: Required[str]
    requester: Person
    """Who asked; missing in orders of an earlier version."""
    locale: Required[str]
    left: float | None
    """Working time the run had left when the order was sent; `None` or missing = no bound."""
    sent: float
    """When that was, on the stopwatch."""
    run: str
    """The run that sent it."""
    withheld: Withheld | None
    """Why the tool may not run, where it would see the context of somebody else; found out anew for every branch."""


def execute(order: Order, config: RunnableConfig, *, bound: Bindings) -> Update:
    """Run the call and wait for it; one that may not run as it stands is left alone.

    Raises:
        ThreadBusyError: When somebody else is running the very same call.
        LedgerError: When an effect can't be claimed; it was not run then.

    """
    if order["record"]["status"] not in RUNNABLE:
        return {}
    acting = acting_for(order["record"], bound)
    with running_as(acting):
        return drive(_carry_out(_begun(order, acting, config, bound), thread_of(config), _in_run(order, config, bound)))


async def aexecute(order: Order, config: RunnableConfig, *, bound: Bindings) -> Update:
    """Run the call in an event loop; one that may not run as it stands is left alone.

    Raises:
        ThreadBusyError: When somebody else is running the very same call.
        LedgerError: When an effect can't be claimed; it was not run then.

    """
    if order["record"]["status"] not in RUNNABLE:
        return {}
    # A host's `context_for` may look the person up.
    asking = partial(acting_for, order["record"], bound)
    acting: CallIdentity = asking() if bound.context_for is None else await in_thread(Blocking(asking))
    with running_as(acting):
        begun = _begun(order, acting, config, bound)
        return await adrive(_carry_out(begun, thread_of(config), _in_run(order, config, bound)))


def _in_run(order: Order, config: RunnableConfig, bound: Bindings) -> Bindings:
    """Say for which conversation the call runs."""
    nested = is_node_of_nested(config)
    return for_run(bound, thread_of(config), order["turn"], order.get("requester"), order["locale"], nested=nested)


def _carry_out(order: Order, thread: str, bound: Bindings) -> Plan[Update]:
    """Claim, run and settle."""
    record = order["record"]
    if digest(record["tool"], record["arguments"]) != record["digest"]:
        return {"calls": plain({record["id"]: mismatch(record, order["locale"])})}
    if _time_for(order, bound) <= 0:
        return {"calls": plain({record["id"]: out_of_time(record, order["locale"])})}
    effect = effect_of(record, order["turn"], thread, order.get("requester"), bound)
    if record["tool"] not in bound.toolset:
        return {"calls": plain({record["id"]: (yield from _without_tool(record, effect, order["locale"], bound))})}
    counted = is_counted(record, bound)
    if counted and not (yield Blocking(partial(take, record, effect.key, bound))):
        return {"calls": plain({record["id"]: over_quota(record, order["locale"])})}
    if needs_claim(record, bound):
        claiming = partial(bound.ledger.effects.claim, effect, permit_of(record))
        claim: Claim = yield Blocking(claiming, partial(_give_back, effect, bound))
        ended = yield from _act_on(claim, effect, order, bound)
    elif (paused := (yield from paused_now(bound.ledger)).get(record["tool"])) is not None:
        ended = held_back(record, paused, bound, order["locale"], order.get("requester"))
    else:
        ended = (yield from _call(order, effect.key, bound)).record
    if counted:
        yield Blocking(partial(give_back, ended, effect.key, bound), owed=True)
    queued = max(_since_sent(order, bound) - ended.get("seconds", 0.0), 0.0)
    return {"calls": plain({record["id"]: {**ended, "key": effect.key, "queued": queued}})}


def _without_tool(record: CallRecord, effect: Effect, locale: str, bound: Bindings) -> Plan[CallRecord]:
    """Tell what is known of a call whose tool is gone since it was checked; it is not run."""
    known = (yield Blocking(partial(bound.ledger.effects.find, [effect.key]))).get(effect.key)
    return recalled(record, known) if isinstance(known, Known) else gone(record, locale)


def _begun(order: Order, acting: CallIdentity, config: RunnableConfig, bound: Bindings) -> Order:
    """Begin with an order; the time of one that an earlier run sent, which was cut off or waited, starts anew."""
    same = order.get("run") and order.get("run") == run_of(config)
    spec = bound.toolset.get(order["record"].get("tool", ""))
    withheld = None if spec is None else may_not_run(spec, acting)
    return {**order, "withheld": withheld, "sent": order["sent"] if same else bound.stopwatch()}


def _since_sent(order: Order, bound: Bindings) -> float:
    """Return how long ago the order was sent."""
    return bound.stopwatch() - order["sent"]


def _time_for(order: Order, bound: Bindings) -> float:
    """Return what is left of the run: calls that wait for a free place wait within its time."""
    left = order.get("left")
    return math.inf if left is None else left - _since_sent(order, bound)


def _call(
    order: Order, key: str, bound: Bindings, *, late: Callable[[CallRecord], None] | None = None
) -> Plan[Guarded]:
    """Call the tool, unless it would see the context of somebody else than the requester."""
    record, withheld = order["record"], order.get("withheld")
    if withheld is not None:
        return Guarded(without_context(record, withheld, order["locale"]), None)
    left, requester = _time_for(order, bound), order.get("requester")
    return (yield from call_guarded(record, key, bound, order["locale"], requester=requester, left=left, late=late))


def _act_on(claim: Claim, effect: Effect, order: Order, bound: Bindings) -> Plan[CallRecord]:
    """Run what was granted; tell what is known of an earlier attempt."""
    record = order["record"]
    match claim:
        case Granted():
            return (yield from _run_once(order, effect, claim, bound))
        case Known(status="unknown"):
            return (yield from _take_up(order, effect, claim, bound))
        case Known():
            return recalled(record, claim)
        case Running():
            msg = (
                f"The call {record['id']!r} of {record['tool']!r} is being run by another run of this thread. "
                "Nothing was run twice: wait for that run to end, then go on by invoking with None."
            )
            raise ThreadBusyError(msg)
        case Denied(reason=reason):
            return denied(record, reason, order["locale"])
        case Paused():
            return held_back(record, claim, bound, order["locale"], order.get("requester"))
        case _:
            assert_never(claim)


def _run_once(order: Order, effect: Effect, claim: Granted, bound: Bindings) -> Plan[CallRecord]:
    """Run a claimed call, and put down how it ended before anything else happens."""
    record = order["record"]
    fired, ended = None, recalled(record, Known("unknown", {}, claim.attempt))

    def settle(ended: CallRecord) -> None:
        _settle(effect.key, claim.fence, ended, bound)

    try:
        guarded = yield from _call(order, effect.key, bound, late=settle)
        fired, ended = guarded.fired, guarded.record
        if fired is not None and ended["status"] == Status.UNKNOWN:
            found = yield from ask_target(record, effect.key, bound)
            # A call that only ran out of its time may still be at work, and then nothing is certain yet.
            ended = ended if _may_be_at_work(fired, found) else reconciled(ended, found, bound)
    except GraphBubbleUp:
        # The tool waits for something itself, and is called again when it comes.
        yield Blocking(partial(bound.ledger.effects.release, effect.key, claim.fence), owed=True)
        raise
    except BaseException:
        yield Blocking(partial(settle, ended), owed=True)
        raise
    if fired is None:
        return (yield from _stay_away(record, ended, effect, claim, bound))
    yield Blocking(partial(settle, ended), owed=True)
    return ended


def _stay_away(
    record: CallRecord, held: CallRecord, effect: Effect, claim: Granted, bound: Bindings
) -> Plan[CallRecord]:
    """Give the claim of a call back that was not to go out; what an earlier attempt may have done stays unknown."""
    if claim.attempt == 1:
        yield Blocking(partial(bound.ledger.effects.release, effect.key, claim.fence), owed=True)
        return held
    unknown = recalled(record, Known("unknown", {}, claim.attempt))
    yield Blocking(partial(_settle, effect.key, claim.fence, unknown, bound), owed=True)
    return unknown


def _may_be_at_work(fired: Fired, found: Reconciled) -> bool:
    """Tell whether a call of which the target knows nothing may reach it yet."""
    return isinstance(found, DidNotHappen) and isinstance(fired.outcome, TimedOut)


def _take_up(order: Order, effect: Effect, known: Known, bound: Bindings) -> Plan[CallRecord]:
    """Ask the target about a call whose run was cut off; one that certainly had no effect is run now."""
    record = order["record"]
    found = yield from ask_target(record, effect.key, bound)
    if isinstance(found, DidNotHappen):
        reopening = partial(bound.ledger.effects.reopen, effect, known.fence)
        claim: Claim = yield Blocking(reopening, partial(_give_back, effect, bound))
        if isinstance(claim, Granted):
            return (yield from _run_once(order, effect, claim, bound))
    ended = reconciled(recalled(record, known), None if isinstance(found, DidNotHappen) else found, bound)
    if ended["status"] == Status.DONE:
        yield Blocking(partial(_settle, effect.key, known.fence, ended, bound), owed=True)
    return ended


def _give_back(effect: Effect, bound: Bindings, claim: Claim) -> None:
    """Give a claim back whose run was cancelled before it could use it: nothing was dispatched."""
    if isinstance(claim, Granted):
        bound.ledger.effects.release(effect.key, claim.fence)


def _settle(key: str, fence: str, ended: CallRecord, bound: Bindings) -> None:
    """Put an outcome into the ledger; the call has run, so a ledger that is away changes nothing about what is told."""
    try:
        bound.ledger.effects.settle(key, fence, settlement_of(ended), outcome_of(ended))
    except LedgerError:
        _logger.exception("The outcome of effect %s could not be written down; it will count as unknown there.", key)

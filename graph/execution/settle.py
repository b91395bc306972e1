"""Bring every call of a proposal to its outcome, and then the proposal into the history."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, Final, cast

from reinforced_agent.graph.call_record import CallRecord
from reinforced_agent.graph.deps import Bindings
from reinforced_agent.graph.facts import facts_after
from reinforced_agent.graph.prompt.messages import exchange
from reinforced_agent.graph.prompt.provider_fields import closed
from reinforced_agent.graph.queries.calls import current, has_fallback, is_settled, took_effect
from reinforced_agent.graph.state import State, Update, merge_calls, plain
from reinforced_agent.graph.streaming import complete
from reinforced_agent.policies.messages.outcomes import tell
from reinforced_agent.policies.status import FAULTY, Status


_BESIDE: Final = frozenset({"kept", "source", "summary", "foreign", "blocks", "artifact"})
"""What belongs to a result beside its text."""


def settle(state: State, changed: Mapping[str, CallRecord], bound: Bindings) -> Update:
    """Return the update for changed calls; it closes the proposal when nothing is left to wait for or to try.

    Closing means that the model's message and exactly one tool message a call enter the history together, so that
    the history never holds an unanswered call.
    """
    calls = merge_calls(state.get("calls"), changed)
    derived = derive(calls, state["turn"].get("locale", "en"), partial(has_fallback, toolset=bound.toolset))
    update: Update = {"calls": plain({**changed, **derived})}
    if learned := facts_after(state, update["calls"], bound):
        update["facts"] = learned
    after: State = {**state, "calls": merge_calls(calls, derived)}
    records = current(after)
    proposal = state["proposal"]
    if proposal.get("closed") or not records or not is_settled(records):
        return update
    if any(has_fallback(record, bound.toolset) for record in records):
        return update
    messages = exchange(proposal, records, state["turn"].get("locale", "en"))
    complete(messages, proposal)
    return {**update, "messages": messages, "proposal": closed(proposal)}


def derive(
    calls: Mapping[str, CallRecord], locale: str, goes_on: Callable[[CallRecord], bool] = lambda _record: False
) -> dict[str, CallRecord]:
    """Give calls that wait for another call the outcome of that call, along chains of any length.

    Args:
        calls: The calls by id.
        locale: Language of the turn.
        goes_on: Tells whether a call without a result has something left that may serve it.

    """
    derived: dict[str, CallRecord] = {}
    while found := _derive_once(merge_calls(calls, derived), locale, goes_on):
        derived = merge_calls(derived, found)
    return derived


def _derive_once(
    calls: Mapping[str, CallRecord], locale: str, goes_on: Callable[[CallRecord], bool]
) -> dict[str, CallRecord]:
    """Derive what can be derived now."""
    derived: dict[str, CallRecord] = {}
    for record in calls.values():
        if record["status"] == Status.DELEGATED and not goes_on(calls[record["served_by"]]):
            derived.update(_from_stand_in(record, calls, locale))
        elif record["status"] == Status.SHARED and not goes_on(calls[record["shares"]]):
            derived.update(_from_twin(record, calls[record["shares"]]))
    return plain(derived)


def _from_stand_in(record: CallRecord, calls: Mapping[str, CallRecord], locale: str) -> dict[str, CallRecord]:
    """Serve a call with what its stand-in brought, or open it to its next fallback."""
    stand_in = calls[record["served_by"]]
    status = Status(stand_in["status"])
    if status in {Status.DONE, Status.ANSWERED, Status.SERVED}:
        # A stand-in that was served itself says already by what.
        code = "served_on" if status == Status.SERVED else "served"
        words = tell(code, locale, tool=record["tool"], other=stand_in["tool"], result=stand_in["result"])
        lead = len(words) - len(stand_in["result"]) + stand_in.get("lead", 0)
        served: CallRecord = {"id": record["id"], "status": Status.SERVED, "result": words, "lead": lead}
        if took_effect(stand_in):
            served["effect"] = True
        return {record["id"]: {**served, **_beside(stand_in)}}
    if status in FAULTY:
        return {record["id"]: {"id": record["id"], "status": Status.FAILED}}
    if status in {Status.REJECTED, Status.UNKNOWN}:
        feedback = stand_in.get("feedback", "")
        return {record["id"]: {"id": record["id"], "status": status, "feedback": feedback}}
    return {}


def _from_twin(record: CallRecord, twin: CallRecord) -> dict[str, CallRecord]:
    """Share the outcome of an equal call of the same proposal."""
    if not is_settled([twin]):
        return {}
    same: Any = {name: twin[name] for name in ("result", "feedback", "kind", "doubts") if name in twin}
    shared: CallRecord = {"id": record["id"], "status": twin["status"], **_beside(twin), **same}
    if "served_by" in twin:
        shared |= {"served_by": twin["served_by"], "age": twin.get("age", 0.0), "lead": twin.get("lead", 0)}
        shared["effect"] = twin.get("effect", False)
    return {record["id"]: shared}


def _beside(record: CallRecord) -> CallRecord:
    """Return what belongs to a result beside its text."""
    return cast("CallRecord", {name: value for name, value in record.items() if name in _BESIDE})

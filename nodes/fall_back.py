"""Find another way for calls that gave no result: an alternative tool, a fixed text, or the end of the turn."""

from __future__ import annotations

import itertools
from typing import assert_never

from reinforced_agent.graph.bindings import Bindings
from reinforced_agent.graph.budgets import limit_reached
from reinforced_agent.graph.call_record import CallRecord
from reinforced_agent.graph.plan_progress import with_progress
from reinforced_agent.graph.records import current, has_fallback, in_hand
from reinforced_agent.graph.settle import settle
from reinforced_agent.graph.state import State, Turn, Update, merge_calls
from reinforced_agent.policies.status import Status
from reinforced_agent.policies.wording.outcomes import tell
from reinforced_agent.tools.call import canonical_json
from reinforced_agent.tools.spec import Alternative, StaticAnswer


def fall_back(state: State, *, bound: Bindings) -> Update:
    """Try the next fallback of every call without a result; end the turn when asking again is no use."""
    reopened = settle(state, {}, bound)["calls"]
    after: State = {**state, "calls": merge_calls(state.get("calls"), reopened)}
    changed: dict[str, CallRecord] = dict(reopened)
    for record in current(after):
        changed.update(_find_another(record, state, bound))
    update = settle(state, changed, bound)
    if update.get("proposal", state["proposal"]).get("closed") or not current(state):
        update["turn"] = _end_if_spent({**state, "calls": merge_calls(state.get("calls"), update["calls"])}, bound)
    return with_progress(state, update, bound)


def _find_another(record: CallRecord, state: State, bound: Bindings) -> dict[str, CallRecord]:
    """Go down the tool's chain until an entry can be tried."""
    changed: dict[str, CallRecord] = {}
    while has_fallback(record, bound.toolset):
        changed = _try_next(record, state, bound)
        record = changed[record["id"]]
    return changed


def _try_next(record: CallRecord, state: State, bound: Bindings) -> dict[str, CallRecord]:
    """Take the next entry of the tool's chain."""
    tried = record.get("fallbacks", 0)
    fallback = bound.toolset[record["tool"]].fallbacks[tried]
    advanced: CallRecord = {**record, "fallbacks": tried + 1}
    match fallback:
        case Alternative():
            stand_in = _stand_in(advanced, fallback, state)
            if stand_in is None:
                return {record["id"]: advanced}
            delegated: CallRecord = {**advanced, "status": Status.DELEGATED, "served_by": stand_in["id"]}
            return {record["id"]: delegated, stand_in["id"]: stand_in}
        case StaticAnswer(text=text):
            words = tell("static", state["turn"].get("locale", "en"), tool=record["tool"], result=text)
            return {record["id"]: {**advanced, "status": Status.SERVED, "served_by": "static", "result": words}}
        case _:
            assert_never(fallback)


def _stand_in(record: CallRecord, fallback: Alternative, state: State) -> CallRecord | None:
    """Propose the alternative in place of the call; it is checked like any other.

    A mapping of arguments that breaks gives no call; the next entry of the chain is tried then.
    """
    try:
        arguments = dict(fallback.arguments(record.get("arguments", {})))
        raw = canonical_json(arguments)
    except Exception:  # noqa: BLE001  # the mapping is the host's code
        return None
    return {
        "id": _free_id(f"{record['id'][:200]}-fallback-{record['fallbacks']}", state),
        "step": record["step"],
        "raw_name": fallback.tool,
        "raw": raw,
        "arguments": arguments,
        "repairs": [],
        "status": Status.PROPOSED,
        "serves": record["id"],
    }


def _free_id(wished: str, state: State) -> str:
    """Return an id that no call of the turn has."""
    taken = state.get("calls", {})
    numbered = (f"{wished}-{number}" for number in itertools.count(2))
    return wished if wished not in taken else next(one for one in numbered if one not in taken)


def _end_if_spent(state: State, bound: Bindings) -> Turn:
    """End the turn when the steps, or the tries of an error kind, are used up: with a question where that helps."""
    spent = [record for record in in_hand(state) if record.get("spent") and record["status"] != Status.SERVED]
    if not spent and not limit_reached(state, bound.limits):
        return state["turn"]
    lacking = spent or current(state)
    if lacking and all(record.get("missing") for record in lacking):
        # The model didn't ask the user for what is missing, so the graph does.
        return {**state["turn"], "outcome": "asked"}
    return {**state["turn"], "outcome": "budget" if spent else "limit"}

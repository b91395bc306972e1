"""Serve calls without a result: another tool, an earlier result, a fixed text, or the end of the turn."""

from __future__ import annotations

import itertools
import json
from typing import assert_never

from langchain_core.runnables import RunnableConfig

from reinforced_agent.graph.budget.budget import limit_reached
from reinforced_agent.graph.call_record import CallRecord
from reinforced_agent.graph.deps import Bindings
from reinforced_agent.graph.execution.fallbacks import find_good, served_again
from reinforced_agent.graph.execution.settle import settle
from reinforced_agent.graph.planning.progress import with_progress
from reinforced_agent.graph.queries.calls import current, has_fallback, in_hand
from reinforced_agent.graph.queries.effects import thread_of
from reinforced_agent.graph.state import State, Turn, Update, merge_calls
from reinforced_agent.policies.messages.outcomes import tell
from reinforced_agent.policies.status import Status
from reinforced_agent.tools.call import canonical_json
from reinforced_agent.tools.fallbacks import Alternative, GiveUp, LastGood, StaticAnswer
from reinforced_agent.tools.host_functions import made_of
from reinforced_agent.tools.toolset import MOST_STAND_INS


def fall_back(state: State, config: RunnableConfig, *, bound: Bindings) -> Update:
    """Try the next fallback of every call without a result; end the turn when asking again is no use."""
    changed: dict[str, CallRecord] = {}
    while True:
        changed = merge_calls(changed, settle(state, changed, bound)["calls"])
        calls = merge_calls(state.get("calls"), changed)
        after: State = {**state, "calls": calls}
        due = [record for record in in_hand(after) if has_fallback(record, bound.toolset)]
        if not due:
            break
        room = MOST_STAND_INS - sum("serves" in record for record in in_hand(after))
        for record in due:
            tried = _try_next(record, after, config, bound, room=room)
            room -= len(tried) - 1
            calls.update(tried)
            changed.update(tried)
    update = settle(state, changed, bound)
    if update.get("proposal", state["proposal"]).get("closed") or not current(state):
        update["turn"] = _end_if_spent({**state, "calls": merge_calls(state.get("calls"), update["calls"])}, bound)
    return with_progress(state, update, bound)


def _try_next(
    record: CallRecord, state: State, config: RunnableConfig, bound: Bindings, *, room: int
) -> dict[str, CallRecord]:
    """Take the next entry of the tool's chain; at most `room` further calls may stand in."""
    tried, chain = record.get("fallbacks", 0), bound.toolset[record["tool"]].fallbacks
    advanced: CallRecord = {**record, "fallbacks": tried + 1}
    match chain[tried]:
        case Alternative() as fallback:
            return _delegate(advanced, fallback, state, room)
        case LastGood():
            found = find_good(record, tried, state, thread_of(config), bound)
            served = advanced if found is None else served_again(advanced, found, state, thread_of(config), bound)
            return {record["id"]: served}
        case StaticAnswer(text=text):
            words = tell("static", state["turn"].get("locale", "en"), tool=record["tool"], result=text)
            told: CallRecord = {"id": record["id"], "result": words, "lead": len(words) - len(text)}
            return {record["id"]: {**advanced, **told, "status": Status.SERVED, "served_by": "static"}}
        case GiveUp(text=text):
            # For a stand-in there may be something else to try.
            ended: CallRecord = advanced if "serves" in record else {**advanced, "gave_up": text}
            return {record["id"]: {**ended, "fallbacks": len(chain)}}
        case fallback:
            assert_never(fallback)


def _delegate(record: CallRecord, fallback: Alternative, state: State, room: int) -> dict[str, CallRecord]:
    """Let another tool stand in; one that led here already is not tried again."""
    above = _above(record, state)
    self_again = fallback.tool == record["tool"] and not above
    if room <= 0 or (fallback.tool in {*above, record["tool"]} and not self_again):
        return {record["id"]: record}
    stand_in = _stand_in(record, fallback, state)
    if stand_in is None:
        return {record["id"]: record}
    delegated: CallRecord = {**record, "status": Status.DELEGATED, "served_by": stand_in["id"]}
    return {record["id"]: delegated, stand_in["id"]: stand_in}


def _above(record: CallRecord, state: State) -> list[str]:
    """Return the tools that a call stands in for, the nearest first."""
    above: list[str] = []
    while "serves" in record:
        record = state["calls"][record["serves"]]
        above.append(record["tool"])
    return above


def _stand_in(record: CallRecord, fallback: Alternative, state: State) -> CallRecord | None:
    """Propose the alternative in place of the call; it is checked like any other.

    A mapping of arguments that breaks gives no call; the next entry of the chain is tried then.
    """
    try:
        raw = canonical_json(dict(made_of(fallback.arguments, record.get("arguments", {}))))
        # Read back, so that what goes on record is what JSON can hold.
        arguments = json.loads(raw)
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

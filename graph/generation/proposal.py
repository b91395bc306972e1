"""Put the calls of a message on record as they came, before anything has looked at them."""

from __future__ import annotations

from typing import Any, Final

from langchain_core.messages import AIMessage

from reinforced_agent.graph.call_record import CallRecord
from reinforced_agent.graph.deps import Bindings
from reinforced_agent.graph.generation.guided import cleared
from reinforced_agent.graph.state import State
from reinforced_agent.policies.parsing import ModelOutput, ReadCall, Reading, UnreadCall
from reinforced_agent.policies.status import Status
from reinforced_agent.policies.verdicts import Problem
from reinforced_agent.tools.call import canonical_json


_MOST_RAW: Final = 10_000
"""Characters of wire text kept for the record."""


def ids_in_use(state: State) -> frozenset[str]:
    """Return every call id of the conversation, so that none is given out twice."""
    told = (
        call["id"] or ""
        for message in state["messages"]
        if isinstance(message, AIMessage)
        for call in message.tool_calls
    )
    return frozenset(told) | state.get("calls", {}).keys()


def read(output: ModelOutput, message: AIMessage, state: State, bound: Bindings) -> Reading:
    """Read a message of the model, as it was asked for."""
    reading = bound.rules.read(output, taken=ids_in_use(state))
    return cleared(bound.guide, reading, message) if bound.guide else reading


def record_of(call: ReadCall | UnreadCall, step: int) -> CallRecord:
    """Put a call on record as it came."""
    record: CallRecord = {"id": call.id, "step": step, "raw_name": call.name, "status": Status.PROPOSED}
    if isinstance(call, UnreadCall):
        return {**record, "problems": [_plain(problem) for problem in call.problems]}
    raw = canonical_json(call.arguments)[:_MOST_RAW]
    return {**record, "arguments": call.arguments, "raw": raw, "repairs": list(call.repairs)}


def _plain(problem: Problem) -> dict[str, Any]:
    """Turn a problem into plain data for the state."""
    return {"code": problem.code, "kind": problem.kind.value, "field": problem.field, "facts": dict(problem.facts)}

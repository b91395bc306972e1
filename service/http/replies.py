"""What a client is told about a thread and its runs: chosen fields, never the state itself."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, cast

from langchain_core.messages import AIMessage, AIMessageChunk, AnyMessage, ToolMessage
from langgraph.types import Interrupt, StateSnapshot

from reinforced_agent.graph.answers.receipt import EMPTY
from reinforced_agent.graph.context import Context, person_of
from reinforced_agent.graph.deps import utc_now
from reinforced_agent.graph.queries.effects import author_of, person_in
from reinforced_agent.graph.state import ModelError, State
from reinforced_agent.graph.streaming import WITHDRAWN
from reinforced_agent.policies.approval import DECISIONS, ApprovalRule, may_decide


_SPEAKING = frozenset({"propose", "answer"})
"""Nodes whose text is the assistant's; tools that ask models of their own speak in others."""
_SHOWN = ("id", "arguments", "status", "kind", "feedback", "result")
"""What a client sees of the record of a call; its token is part of the question only."""


@dataclass(frozen=True, slots=True)
class Event:
    """Something that happened in a run, for the client."""

    name: str
    data: dict[str, Any]


def question_of(snapshot: StateSnapshot) -> Interrupt | None:
    """Return the question to a person, if one waits."""
    return next((one for one in snapshot.interrupts if isinstance(one.value, dict) and "calls" in one.value), None)


def shown_question(snapshot: StateSnapshot, reader: Context) -> dict[str, Any] | None:
    """Show the question that waits; a token is left out where the reader may decide nothing about its call."""
    question = question_of(snapshot)
    if question is None:
        return None
    calls = [_held(call, snapshot, reader) for call in question.value["calls"]]
    return {"id": question.id, **question.value, "calls": calls}


def _held(call: dict[str, Any], snapshot: StateSnapshot, reader: Context) -> dict[str, Any]:
    """Show what is asked about one call."""
    record = snapshot.values.get("calls", {}).get(call["call_id"], {})
    requester = person_in(author_of(record, cast("State", snapshot.values)))
    rule = ApprovalRule(roles=tuple(call["roles"]), four_eyes=call["four_eyes"])
    decider = person_in(person_of(reader))
    barred = all(may_decide(one, rule, requester=requester, decider=decider) is not None for one in DECISIONS)
    return {**call, "token": ""} if barred else call


def is_at_rest(snapshot: StateSnapshot) -> bool:
    """Tell whether nothing is left to do; `next` alone leaves out nodes whose work was stored but not taken in yet."""
    return not snapshot.tasks


def reply_of(thread: str, snapshot: StateSnapshot, reader: Context) -> dict[str, Any]:
    """Say how the newest turn stands: its answer, what the user is asked for, or the call that waits for a person."""
    values = snapshot.values
    outcome = values.get("turn", {}).get("outcome", "") if is_at_rest(snapshot) else ""
    return {
        "thread": thread,
        "answer": values["messages"][-1].text if outcome else None,
        "answer_id": values["messages"][-1].id if outcome else None,
        "outcome": outcome,
        "model_error": told_error(values.get("turn", {}).get("model_error")) if outcome else None,
        "missing": values.get("turn", {}).get("missing", []),
        "question": shown_question(snapshot, reader),
        "calls": [_seen(record) for record in values.get("calls", {}).values()],
        "receipt": values.get("receipt", EMPTY),
    }


def told_error(error: ModelError | None) -> dict[str, Any] | None:
    """Show what was wrong with the request to the model that ended a turn, and how long there is still to wait."""
    if error is None:
        return None
    told: dict[str, Any] = {name: value for name, value in error.items() if name not in {"wait", "ended"}}
    if (wait := error.get("wait")) is not None:
        passed = (utc_now() - datetime.fromisoformat(error["ended"])).total_seconds()
        told["retry_after"] = max(math.ceil(wait - max(passed, 0.0)), 0)
    return told


def _seen(record: dict[str, Any]) -> dict[str, Any]:
    """Show what a client may see of a call."""
    name = record.get("tool") or record.get("raw_name")
    return ({"tool": name} if name else {}) | {field: record[field] for field in _SHOWN if field in record}


def told(message: AnyMessage) -> dict[str, Any]:
    """Show one message of the chat."""
    shown: dict[str, Any] = {"id": message.id, "role": message.type, "text": message.text}
    if isinstance(message, AIMessage) and message.tool_calls:
        calls = [{"id": call["id"], "tool": call["name"], "arguments": call["args"]} for call in message.tool_calls]
        return {**shown, "calls": calls}
    return {**shown, "call": message.tool_call_id} if isinstance(message, ToolMessage) else shown


def events_of(mode: str, part: Any) -> list[Event]:
    """Tell what a part of the stream of a run brings.

    Args:
        mode: `updates` for what a node did, `messages` for a piece of text, `custom` for what the graph tells itself.
        part: The part, in the form of its mode.

    """
    match mode:
        case "messages":
            return _tokens(*part)
        case "custom":
            return [Event("withdrawn", {"id": part["id"]})] if _is_withdrawal(part) else []
        case _:
            began = [] if "__interrupt__" in part else [Event("started", {})]
            return [*began, *_steps(part)]


def _tokens(message: Any, metadata: Mapping[str, Any]) -> list[Event]:
    """Tell a piece of the model's text; messages that nodes have finished are told by what they are a part of."""
    if not isinstance(message, AIMessageChunk) or metadata.get("langgraph_node") not in _SPEAKING:
        return []
    return [Event("token", {"id": message.id, "text": message.text})] if message.text else []


def _is_withdrawal(part: Any) -> bool:
    return isinstance(part, Mapping) and part.get("type") == WITHDRAWN


def _steps(part: Mapping[str, Any]) -> list[Event]:
    """Tell what nodes did to calls: proposed them, judged them, or brought them further."""
    names = {"propose": "proposal", "check": "verdict"}
    return [
        Event(names.get(node, "update"), _seen(record))
        for node, update in part.items()
        if node != "plan" and isinstance(update, dict)
        for record in (update.get("calls") or {}).values()
    ]


def ended(reply: dict[str, Any]) -> dict[str, Any]:
    """Say what came of a turn, and what the user is asked for."""
    told = {"id": reply["answer_id"], "text": reply["answer"], "outcome": reply["outcome"], "receipt": reply["receipt"]}
    return {**told, "missing": reply["missing"]} if reply["missing"] else told

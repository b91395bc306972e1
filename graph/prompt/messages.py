"""Translate between chat messages and plain data: what the model said, and what the model is shown."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any

from langchain_core.messages import AIMessage, AnyMessage, HumanMessage, SystemMessage, ToolMessage
from langchain_core.messages.tool import tool_call

from reinforced_agent.graph.call_record import CallRecord
from reinforced_agent.graph.prompt.provider_fields import fields_of, message_with
from reinforced_agent.graph.prompt.repair import repaired
from reinforced_agent.graph.prompt.untrusted import fence, marked
from reinforced_agent.graph.queries.calls import current
from reinforced_agent.graph.queries.sources import kept_beside
from reinforced_agent.graph.state import Proposal, State
from reinforced_agent.models.binding import RAW_CALLS
from reinforced_agent.models.streaming import REASONS
from reinforced_agent.policies.messages.outcomes import tell
from reinforced_agent.policies.parsing import Calls, ModelOutput, Reading
from reinforced_agent.policies.status import Status
from reinforced_agent.tools.call import RawCall
from reinforced_agent.tools.results import storable
from reinforced_agent.tools.returned import content_for_model


_ILLEGAL = re.compile(r"[^A-Za-z0-9_-]")
_SUCCESS = frozenset({Status.DONE, Status.SERVED, Status.ANSWERED})


def output_of(message: AIMessage) -> ModelOutput:
    """Take a chat message apart into what the reader reads."""
    return ModelOutput(
        content=storable(message.text),
        calls=tuple(_raw_calls(message)),
        finish_reason=_finish_reason(message),
        message_id=message.id or "",
        reasoning=storable("\n".join(thoughts_of(message))),
        refusal=storable(_refusal(message)),
    )


def proposed_by(message: AIMessage, reading: Reading, message_id: str) -> Proposal:
    """Return the proposal of a message, before anything is decided about it."""
    raws = list(_raw_calls(message))
    provider = fields_of(message, raws, reading if isinstance(reading, Calls) else None)
    return {"id": message_id, "order": [], "answer": None, "closed": False, "content": "", "provider": provider}


def thoughts_of(message: AnyMessage) -> list[str]:
    """Return the model's thoughts, wherever its provider puts them."""
    if not isinstance(message, AIMessage):
        return []
    told = [message.additional_kwargs.get(name) for name in ("reasoning_content", "reasoning")]
    blocks = [] if isinstance(message.content, str) else message.content
    told += [block.get(name) for block in blocks if isinstance(block, dict) for name in ("thinking", "reasoning")]
    return [text for text in told if text and isinstance(text, str)]


def _refusal(message: AIMessage) -> str:
    """Return what the model says in declining: OpenAI puts it in a field of its own, or in a block."""
    told = message.additional_kwargs.get("refusal")
    if told and isinstance(told, str):
        return told
    blocks = [] if isinstance(message.content, str) else message.content
    refused = [block for block in blocks if isinstance(block, dict) and block.get("type") == "refusal"]
    return "\n".join(str(block.get("refusal") or "") for block in refused)


def _finish_reason(message: AIMessage) -> str | None:
    """Return why the model stopped, under the names different providers give it."""
    meta = message.response_metadata
    if _entry(meta.get("prompt_feedback"), "block_reason"):
        return "content_filter"  # Gemini says so of a request that it doesn't answer
    reasons = (
        *map(meta.get, REASONS),
        _entry(meta.get("incomplete_details"), "reason"),  # OpenAI Responses, as the next
        meta.get("status"),
    )
    return next((str(reason) for reason in reasons if reason), None)


def _entry(value: Any, name: str) -> Any:
    return value.get(name) if isinstance(value, dict) else None


def _raw_calls(message: AIMessage) -> Iterable[RawCall]:
    """Prefer the wire text where the model kept it: decoded arguments no longer show doubled keys."""
    if kept := message.additional_kwargs.get(RAW_CALLS):
        return [RawCall(item["id"] or "", item["name"] or "", item["arguments"]) for item in kept]
    calls = [*message.tool_calls, *message.invalid_tool_calls]
    return [RawCall(item["id"] or "", item["name"] or "", item["args"]) for item in calls]


def view(state: State, prompt: str, notices: Sequence[str] = ()) -> list[AnyMessage]:
    """Return what the model is shown: the prompt, the chat, and the newest failure if it is still open.

    A chat that a host or another graph handed over is shown in a form that providers accept.

    Args:
        state: The conversation.
        prompt: The system prompt; empty for none.
        notices: What the graph has to tell beside it, in the system message: several providers take only one of
            these, at the beginning.

    """
    told = "\n\n".join(part for part in (prompt, *notices) if part)
    system = [SystemMessage(told)] if told else []
    locale = state.get("turn", {}).get("locale", "en")
    history = repaired(state.get("messages", []), locale)
    return [*system, *fence([*history, *newest_failure(state)], locale)]


def newest_failure(state: State) -> list[AnyMessage]:
    """Return the newest proposal with its feedback, unless the history holds it already."""
    proposal = state.get("proposal", {})
    if not proposal or proposal.get("closed", True):
        return []
    if records := current(state):
        return exchange(proposal, records, state["turn"].get("locale", "en"))
    feedback = tell("unusable", state["turn"].get("locale", "en"), feedback=proposal.get("feedback", ""))
    if "withheld" in proposal:
        return [message_with(proposal, proposal["withheld"]), HumanMessage(proposal.get("feedback", ""))]
    return [HumanMessage(feedback)]


def exchange(proposal: Proposal, records: Sequence[CallRecord], locale: str) -> list[AnyMessage]:
    """Write a proposal as the model's message and exactly one tool message a call."""
    calls = [
        tool_call(name=_legal_name(record), args=dict(record.get("arguments", {})), id=record["id"])
        for record in records
    ]
    message = message_with(proposal, proposal.get("content", ""), calls)
    return [message, *(_tool_message(record, proposal["id"], locale) for record in records)]


def _tool_message(record: CallRecord, proposal: str, locale: str) -> ToolMessage:
    """Answer one call; a call without an outcome is said not to have run.

    Its id names the model's message, too: agents that work side by side in one chat may number their calls alike.
    """
    brought = Status(record["status"]) in _SUCCESS
    beside = kept_beside(record) if brought else {}
    return ToolMessage(
        id=f"{proposal}-{record['id']}-result",
        tool_call_id=record["id"],
        name=_legal_name(record),
        content=(_content(record) if brought else "") or record.get("feedback") or tell("not_run", locale),
        additional_kwargs={**marked(record), **beside.get("additional_kwargs", {})},
        status="success" if brought else "error",
        artifact=beside.get("artifact"),
    )


def _content(record: CallRecord) -> Any:
    """Return the result as the model gets it, with pictures, sounds and files."""
    return content_for_model(record.get("result", ""), record.get("blocks", []))


def _legal_name(record: CallRecord) -> str:
    """Return a name that providers accept in a history, even where the model made one up."""
    name = record.get("tool") or record.get("raw_name", "")
    return _ILLEGAL.sub("_", name)[:64] or "unnamed"

"""Translate between chat messages and plain data: what the model said, and what the model is shown."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any

from langchain_core.messages import AIMessage, AnyMessage, HumanMessage, SystemMessage, ToolMessage
from langchain_core.messages.tool import tool_call

from reinforced_agent.graph.call_record import CallRecord
from reinforced_agent.graph.prompt.repair import repaired
from reinforced_agent.graph.prompt.untrusted import fence, marked
from reinforced_agent.graph.queries.calls import current
from reinforced_agent.graph.queries.sources import kept_beside
from reinforced_agent.graph.state import Proposal, State
from reinforced_agent.models.binding import RAW_CALLS
from reinforced_agent.policies.messages.outcomes import tell
from reinforced_agent.policies.parsing import ModelOutput
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
        reasoning=storable(str(message.additional_kwargs.get("reasoning_content") or "")),
    )


def _finish_reason(message: AIMessage) -> str | None:
    """Return why the model stopped, under the names different providers give it."""
    meta = message.response_metadata
    reason = meta.get("finish_reason") or meta.get("stop_reason") or meta.get("done_reason")
    return None if reason is None else str(reason)


def _raw_calls(message: AIMessage) -> Iterable[RawCall]:
    """Prefer the wire text where the model kept it: decoded arguments no longer show doubled keys."""
    if kept := message.additional_kwargs.get(RAW_CALLS):
        return [RawCall(item["id"] or "", item["name"] or "", item["arguments"]) for item in kept]
    calls = [*message.tool_calls, *message.invalid_tool_calls]
    return [RawCall(item["id"] or "", item["name"] or "", item["args"]) for item in calls]


def content_for_history(message: AIMessage, text: str) -> Any:
    """Keep what the model wrote beside its calls; blocks of calls are made anew from the canonical ones."""
    if isinstance(message.content, str):
        return text
    kept = {"text", "thinking", "redacted_thinking", "reasoning"}
    return [block for block in message.content if isinstance(block, dict) and block.get("type") in kept]


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
        return [AIMessage(proposal["withheld"], id=proposal["id"]), HumanMessage(proposal.get("feedback", ""))]
    return [HumanMessage(feedback)]


def exchange(proposal: Proposal, records: Sequence[CallRecord], locale: str) -> list[AnyMessage]:
    """Write a proposal as the model's message and exactly one tool message a call."""
    message = AIMessage(
        id=proposal["id"],
        content=proposal.get("content", ""),
        tool_calls=[
            tool_call(name=_legal_name(record), args=dict(record.get("arguments", {})), id=record["id"])
            for record in records
        ],
    )
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

"""What a reviewing model is shown: conversation, tools and calls, as data behind a fence, without secrets."""

from __future__ import annotations

import json
import secrets
from collections.abc import Iterable, Sequence
from typing import Any, Final

from langchain_core.messages import AIMessage, AnyMessage, HumanMessage, SystemMessage, ToolMessage

from reinforced_agent.graph.deps import Bindings
from reinforced_agent.graph.prompt.untrusted import stranger_in
from reinforced_agent.graph.queries.calls import in_hand
from reinforced_agent.graph.settings.reviewer import Reviewing
from reinforced_agent.graph.state import State
from reinforced_agent.policies.redaction import masked, unmarked
from reinforced_agent.policies.text.folds import first_sentence
from reinforced_agent.policies.text.tokens import Count, head, tail
from reinforced_agent.policies.verdicts import ErrorKind
from reinforced_agent.tools.call import Call


_MOST_TOOLS: Final = 60
"""Other tools that are named."""
_SHARE: Final = 4
"""The part of the conversation's tokens that one message may take."""


def request_to(
    reviewing: Reviewing, calls: Sequence[Call], asked: Iterable[str], state: State, bound: Bindings
) -> list[AnyMessage]:
    """Write the request about some calls of the newest proposal.

    Everything but the prompt is JSON between two marks that no text in it can know. Secrets are masked; facts of the
    host and arguments that are injected later are not among it.

    Args:
        reviewing: Who is asked.
        calls: The calls it is about, which are known to it by their place, from 1.
        asked: Ids of the records that these stand for; the others of the proposal are shown as being beside them.
        state: The conversation.
        bound: The parts of the graph.

    """
    mark = secrets.token_hex(6)
    shown = _data(reviewing, calls, frozenset(asked), state, bound)
    data = unmarked(json.dumps(masked(shown), ensure_ascii=False))
    # A text with the mark in it is hopeless to guess, but costs nothing to rule out.
    body = f"[data {mark}]\n{data.replace(mark, '')}\n[end of data {mark}]"
    return [SystemMessage(reviewing.prompt), HumanMessage(body)]


def shows_strangers(state: State, bound: Bindings) -> bool:
    """Tell whether text of strangers is among what a reviewing model is shown."""
    strangers = bound.toolset.of_strangers
    return any(stranger_in(message, strangers) for message in state.get("messages", []))


def _data(
    reviewing: Reviewing, calls: Sequence[Call], asked: frozenset[str], state: State, bound: Bindings
) -> dict[str, Any]:
    """Collect what is shown."""
    beside = [
        {"tool": record.get("raw_name", ""), "arguments": record.get("arguments")}
        for record in in_hand(state)
        if record["id"] not in asked
    ]
    shown = {
        "instructions": bound.prompt,
        "conversation": _conversation(state, bound, reviewing.policy.context_tokens),
        "tools": list(_tools(calls, bound)),
        "beside": beside,
        "sent_back": list(_sent_back(state)),
        "calls": [
            {"call": number, "tool": call.tool, "arguments": dict(call.arguments)}
            for number, call in enumerate(calls, 1)
        ],
    }
    return {name: value for name, value in shown.items() if value}


def _tools(calls: Sequence[Call], bound: Bindings) -> Iterable[dict[str, Any]]:
    """Describe the called tools in full, and name the others on offer."""
    called = dict.fromkeys(call.tool for call in calls)
    for name in called:
        spec = bound.toolset[name]
        yield {"name": name, "description": spec.description, "parameters": dict(spec.parameters)}
    others = [spec for name, spec in bound.toolset.items() if spec.offered and name not in called]
    for spec in others[:_MOST_TOOLS]:
        yield {"name": spec.name, "description": first_sentence(spec.description)}


def _sent_back(state: State) -> Iterable[dict[str, Any]]:
    """List what the reviewer has objected to in this turn."""
    for record in state.get("calls", {}).values():
        if record.get("kind") == ErrorKind.REVIEWER and "review" in record:
            reason = record["review"].get("reason", "")
            yield {"tool": record.get("tool", ""), "arguments": record.get("arguments"), "reason": reason}


def _conversation(state: State, bound: Bindings, most: int) -> list[dict[str, Any]]:
    """Write the newest messages that fit, and the user's request in any case."""
    count, turn = bound.sizes.count, state["turn"].get("id", "")
    told: list[dict[str, Any]] = []
    left, gone = most, 0
    for message in reversed(state.get("messages", [])):
        entry = _told(message, bound, max(most // _SHARE, 1), count)
        cost = count(json.dumps(entry, ensure_ascii=False, default=str))
        if cost > left and message.id != turn:
            gone += 1
            continue
        left -= cost
        told.append(entry)
    return [*([{"left_out": gone}] if gone else []), *reversed(told)]


def _told(message: AnyMessage, bound: Bindings, most: int, count: Count) -> dict[str, Any]:
    """Write one message as data."""
    entry: dict[str, Any] = {"from": _speaker(message), "text": _cut(str(message.text), most, count)}
    if isinstance(message, AIMessage) and message.tool_calls:
        entry["calls"] = [{"tool": call["name"], "arguments": call["args"]} for call in message.tool_calls]
    if isinstance(message, ToolMessage):
        entry |= {"tool": message.name or ""} | ({"failed": True} if message.status == "error" else {})
    if stranger_in(message, bound.toolset.of_strangers):
        entry["strangers"] = True
    if not isinstance(message.content, str) and any(_is_no_text(block) for block in message.content):
        entry["not_shown"] = "something that is no text"
    return entry


def _speaker(message: AnyMessage) -> str:
    """Say who spoke."""
    if isinstance(message, HumanMessage):
        return "user"
    if isinstance(message, ToolMessage):
        return "tool"
    return "assistant" if isinstance(message, AIMessage) else "host"


def _is_no_text(block: Any) -> bool:
    """Tell whether a block of a message is a picture, a sound or a file."""
    return isinstance(block, dict) and block.get("type") in {"image", "image_url", "audio", "video", "file", "document"}


def _cut(text: str, most: int, count: Count) -> str:
    """Keep head and tail of a long text."""
    if len(text) <= most or count(text) <= most:
        return text
    return f"{head(text, most * 3 // 4, count)}\n[…]\n{tail(text, max(most // 4, 1), count)}"

"""The summary of a conversation as it is shown: in place of the messages it covers, and marked as what it is."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

from langchain_core.messages import AnyMessage, SystemMessage

from reinforced_agent.graph.state import ChatSummary, State
from reinforced_agent.policies.messages.sizes import size_text
from reinforced_agent.policies.messages.untrusted import say


def valid(state: State) -> ChatSummary | None:
    """Return the summary, if it is one of exactly the messages before those that are shown.

    What a host removes or changes must not live on in a summary.
    """
    summary, messages = state.get("summary"), state.get("messages", [])
    if not summary:
        return None
    at = position_of(messages, summary["since"])
    return summary if at >= 0 and digest_of(messages[:at]) == summary["digest"] else None


def carried(state: State, after: Sequence[AnyMessage]) -> ChatSummary | None:
    """Return the summary for a history from which the graph itself removed old messages, where it still fits."""
    summary = valid(state)
    at = -1 if summary is None else position_of(after, summary["since"])
    return None if summary is None or at < 0 else {**summary, "digest": digest_of(after[:at])}


def rest_of(state: State) -> tuple[State, str, int]:
    """Return the state without the messages that are summarised, what is told of them, and how many they were."""
    summary = valid(state)
    if summary is None:
        return state, "", 0
    messages, locale = state.get("messages", []), state["turn"].get("locale", "en")
    opening, start = opening_of(messages), position_of(messages, summary["since"])
    lines = [size_text("chat_summary", locale, count=summary["count"]), summary["text"]]
    if summary["sources"]:
        nonce = summary["nonce"]
        lines = [lines[0], say("begin", locale, nonce=nonce), lines[1], say("end", locale, nonce=nonce)]
    told = "\n".join([*lines, size_text("summary_end", locale)])
    return {**state, "messages": [*messages[:opening], *messages[start:]]}, told, summary["count"]


def opening_of(messages: Sequence[AnyMessage]) -> int:
    """Count the system messages at the beginning, which are always shown."""
    return next((at for at, one in enumerate(messages) if not isinstance(one, SystemMessage)), len(messages))


def position_of(messages: Sequence[AnyMessage], message_id: str) -> int:
    """Find a message; -1 where it isn't there."""
    return next((at for at, one in enumerate(messages) if one.id == message_id), -1)


def digest_of(messages: Sequence[AnyMessage]) -> str:
    """Return a fingerprint of messages."""
    digest = hashlib.sha256()
    for message in messages:
        digest.update(f"{message.type}\0{message.id}\0{message.content}\0".encode("utf-8", "replace"))
    return digest.hexdigest()

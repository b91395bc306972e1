"""Make a history that providers accept: every call with one result right behind it, and no result without a call.

A history of a host or a parent graph may break this, and every request with it would be refused. The state stays as it
is; only what the model is shown is put right.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from langchain_core.messages import AIMessage, AnyMessage, ToolMessage

from reinforced_agent.graph.prompt.provider_fields import rewritten
from reinforced_agent.policies.messages.sizes import size_text


def repaired(messages: Sequence[AnyMessage], locale: str) -> list[AnyMessage]:
    """Return the messages, each call followed by its results; one without a result is said to have none."""
    return list(messages) if _is_sound(messages) else list(_put_right(messages, locale))


def _is_sound(messages: Sequence[AnyMessage]) -> bool:
    """Tell whether there is nothing to put right, which is the rule."""
    waiting: list[str] = []
    for message in messages:
        if isinstance(message, ToolMessage):
            if message.tool_call_id not in waiting[:1]:
                return False
            waiting.pop(0)
        elif waiting:
            return False
        elif isinstance(message, AIMessage):
            waiting = _call_ids(message)
            if len(set(waiting)) < len(waiting) or "" in waiting:
                return False
    return not waiting


def _put_right(messages: Sequence[AnyMessage], locale: str) -> Iterator[AnyMessage]:
    """Yield the messages in order; results go behind their calls, and those without a call are left out."""
    for at, message in enumerate(messages):
        if isinstance(message, ToolMessage):
            continue
        if not isinstance(message, AIMessage) or not _call_ids(message):
            yield message
            continue
        named = _named(message, at)
        yield named
        for name, call_id in _calls(named):
            yield _result_of(call_id, messages[at + 1 :]) or ToolMessage(
                size_text("no_result", locale), tool_call_id=call_id, name=name, status="error"
            )


def _named(message: AIMessage, at: int) -> AIMessage:
    """Give every call of a message an id of its own; of several with one id the first stays."""
    seen: set[str] = set()
    kept: dict[str, list[object]] = {"tool_calls": [], "invalid_tool_calls": []}
    before: list[str | None] = []
    after: dict[int, str] = {}
    for field, calls in kept.items():
        for number, call in enumerate(getattr(message, field)):
            call_id = call["id"] or f"call-{at}-{number}-{field}"
            if call_id not in seen:
                calls.append({**call, "id": call_id})
                after[len(before)] = call_id
            seen.add(call_id)
            before.append(call["id"])
    blocks = message.content if isinstance(message.content, str) else rewritten(message.content, before, after)
    return message.model_copy(update={**kept, "content": blocks})


def _result_of(call_id: str, later: Sequence[AnyMessage]) -> ToolMessage | None:
    """Find the result of a call, before another message calls something by the same id."""
    for message in later:
        if isinstance(message, ToolMessage) and message.tool_call_id == call_id:
            return message
        if isinstance(message, AIMessage) and call_id in _call_ids(message):
            return None
    return None


def _calls(message: AIMessage) -> list[tuple[str, str]]:
    """Return name and id of each call, also of those that could not be read: providers are sent them, too."""
    return [(call["name"] or "", call["id"] or "") for call in [*message.tool_calls, *message.invalid_tool_calls]]


def _call_ids(message: AIMessage) -> list[str]:
    """Return the ids of the calls of a message."""
    return [call_id for _, call_id in _calls(message)] if message.tool_calls or message.invalid_tool_calls else []

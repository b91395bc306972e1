"""Whose a message is: every message of a user carries what stands for the person who sent it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from langchain_core.messages import AnyMessage, HumanMessage

from reinforced_agent.graph.context import Person, context_of, person_of
from reinforced_agent.tools.names import name_of


_KEY: Final = "reinforced_agent_requester"
"""Where a message carries it, beside its text."""


def who_is(person: Person | Mapping[str, Any] | None) -> str:
    """Return what stands for a person; empty for nobody who is named."""
    named = person is not None and str(person.get("user_id", ""))
    return name_of(str(person.get("tenant", "")), named) if person is not None and named else ""


def signed(admitted: Any, context: object) -> Any:
    """Write into the messages of an input who sends them; what a client wrote there counts for nothing."""
    if not isinstance(admitted, Mapping):
        return admitted
    who = who_is(person_of(context_of(context)))
    return {**admitted, "messages": [_signed(message, who) for message in admitted["messages"]]}


def sender_of(message: AnyMessage) -> str:
    """Return what stands for the sender of a message; empty where nobody was named, or before this was kept."""
    return str(message.additional_kwargs.get(_KEY, "")) if isinstance(message, HumanMessage) else ""


def owners_of(messages: Sequence[AnyMessage], turns: Mapping[str, str]) -> list[str | None]:
    """Return whose turn each message belongs to; `None` where that can't be told.

    Args:
        messages: The chat.
        turns: Whose turns are known otherwise, by the id of their message; empty for nobody who was named.

    """
    owners: list[str | None] = []
    for at, message in enumerate(messages):
        if isinstance(message, HumanMessage):
            owners.append(_asker(messages, at, turns))
        else:
            owners.append(owners[-1] if owners else None)
    return owners


def _asker(messages: Sequence[AnyMessage], at: int, turns: Mapping[str, str]) -> str | None:
    """Return who sent a message; of several that were sent together, the last one names the turn."""
    for message in messages[at:]:
        if not isinstance(message, HumanMessage):
            return None
        if who := sender_of(message):
            return who
        if (known := turns.get(message.id or "")) is not None:
            return known
    return None


def _signed(message: AnyMessage, who: str) -> AnyMessage:
    beside = {name: value for name, value in message.additional_kwargs.items() if name != _KEY}
    beside |= {_KEY: who} if who else {}
    return message if beside == message.additional_kwargs else message.model_copy(update={"additional_kwargs": beside})

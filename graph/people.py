"""Whose a message is: every message of a user carries what stands for the person who sent it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from langchain_core.messages import AnyMessage, BaseMessage, HumanMessage

from reinforced_agent.graph.context import Context, known_as, person_of


_KEY: Final = "reinforced_agent_requester"
"""Where a message carries it, beside its text."""


def signed(messages: Iterable[BaseMessage], context: Context) -> list[BaseMessage]:
    """Write into messages who sends them; what a client wrote there counts for nothing."""
    who = known_as(person_of(context))
    return [_signed(message, who) for message in messages]


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


def _signed(message: BaseMessage, who: str) -> BaseMessage:
    beside = {name: value for name, value in message.additional_kwargs.items() if name != _KEY}
    beside |= {_KEY: who} if who else {}
    return message if beside == message.additional_kwargs else message.model_copy(update={"additional_kwargs": beside})

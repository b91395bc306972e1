"""Read a conversation: what is asked now, what was tried for it, and what went before."""

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage, ToolMessage

from reinforced_agent.models.local.prompt import Turn, write_arguments


QUESTION = "I can do that, but something is missing: "
"""How the model begins when it asks back."""
_GRAPH_QUESTION = "To go on, I need "
_MOST_WORDS = 8
"""Words up to which a message is taken for the answer to a question, and not for a request of its own."""


@dataclass(frozen=True)
class Attempt:
    """A call that was proposed for the present request, with its outcome."""

    tool: str
    arguments: dict[str, Any]
    outcome: str
    """The result, or why there is none."""
    failed: bool


@dataclass(frozen=True)
class Situation:
    """What the model has to respond to."""

    request: str
    """The newest words of the user."""
    attempts: tuple[Attempt, ...] = ()
    """Calls for this request, oldest first."""
    newest: int = 0
    """How many of them belong to the newest proposal."""
    said: tuple[Turn, ...] = ()
    """Earlier requests with the plain answers they got."""
    called: tuple[tuple[str, Turn], ...] = ()
    """Earlier requests with the tool that was called and its arguments as JSON."""
    system: str = ""
    """What the host says to the model."""


def read_conversation(messages: Sequence[BaseMessage]) -> Situation:
    """Take a conversation apart; only the newest user message is a request, all before it is history."""
    starts = [place for place, message in enumerate(messages) if isinstance(message, HumanMessage)]
    system = "\n".join(message.text for message in messages if isinstance(message, SystemMessage))
    if not starts:
        return Situation("", system=system)
    said, called = list[Turn](), list[tuple[str, Turn]]()
    for start, end in itertools.pairwise(starts):
        request, part = messages[start].text, messages[start + 1 : end]
        called += [
            (attempt.tool, Turn(request, write_arguments(attempt.arguments)))
            for attempt in _attempts(part)
            if not attempt.failed
        ]
        said += [Turn(request, message.text) for message in part[-1:] if isinstance(message, AIMessage)]
    part = messages[starts[-1] + 1 :]
    return Situation(
        _with_request(messages[starts[-1]].text, said),
        tuple(_attempts(part)),
        _newest(part),
        tuple(said),
        tuple(called),
        system,
    )


def _with_request(text: str, said: Sequence[Turn]) -> str:
    """Put the request before a short answer to what was asked back about it."""
    asked = bool(said) and said[-1].reply.startswith((QUESTION, _GRAPH_QUESTION))
    if not asked or "?" in text or len(text.split()) > _MOST_WORDS:
        return text
    return f"{_with_request(said[-1].request, said[:-1])} {text}"


def _attempts(messages: Sequence[BaseMessage]) -> list[Attempt]:
    outcomes = {message.tool_call_id: message for message in messages if isinstance(message, ToolMessage)}
    calls = [call for message in messages if isinstance(message, AIMessage) for call in message.tool_calls]
    return [
        Attempt(call["name"], dict(call["args"]), outcome.text, outcome.status == "error")
        for call in calls
        if (outcome := outcomes.get(call["id"] or ""))
    ]


def _newest(messages: Sequence[BaseMessage]) -> int:
    proposals = [message for message in messages if isinstance(message, AIMessage) and message.tool_calls]
    return len(_attempts([proposals[-1], *messages])) - len(_attempts(messages)) if proposals else 0

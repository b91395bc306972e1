"""Let the feedback on a refused call steer the next proposal: keep what was right, never repeat what was refused."""

import re
from collections.abc import Iterable, Mapping, Sequence
from math import log
from typing import Any

from reinforced_agent.models.local.conversation import Attempt
from reinforced_agent.models.local.filled import Steering
from reinforced_agent.models.local.prompt import Tool


PATIENCE = 4
"""Refusals of one request after which it is answered in words."""
_PER_REFUSAL = log(0.25)
"""What a refusal adds to the log-probability of its tool; values are tried anew before tools are."""
_FINAL = re.compile(
    r"reject|declin|denied|den(?:y|ies)|unavailable|not available|limit|(?:do not|don't|must not|never|cannot) (?:be )?"
    r"(?:re|call|try|send|use|propose)|answer without|(?:tell|explain to) the user|不要|拒绝",
    re.IGNORECASE,
)
_QUOTED = re.compile(r"`([^`]+)`")


def asks_again(attempt: Attempt, tools: Sequence[Tool]) -> bool:
    """Tell whether the outcome of a call asks for a better one; errors of the tool itself and final words do not."""
    if not attempt.failed or _FINAL.search(attempt.outcome):
        return False
    names = {tool.name for tool in tools}
    known = next((tool for tool in tools if tool.name == attempt.tool), None)
    if known is None or "again" in attempt.outcome.lower():
        return True
    others = names - {attempt.tool}
    return bool(_named(known, attempt) or others.intersection(_QUOTED.findall(attempt.outcome)))


def another_tool(attempt: Attempt, tools: Sequence[Tool]) -> str | None:
    """Return the tool that the feedback names in backticks beside the refused one."""
    names = {tool.name for tool in tools} - {attempt.tool}
    return next((name for name in _QUOTED.findall(attempt.outcome) if name in names), None)


def discounted(odds: Mapping[str, float], refusals: Mapping[str, int]) -> dict[str, float]:
    """Let tools lose probability by how often they were refused, so that another one may have its turn.

    Args:
        odds: Natural log-probabilities of the tools.
        refusals: How often each was refused for this request.

    """
    return {name: value + _PER_REFUSAL * refusals.get(name, 0) for name, value in odds.items()}


def steer(tool: Tool, request: str, attempts: Sequence[Attempt]) -> Steering:
    """Turn the refused calls of one tool, oldest first, into what the next proposal must heed."""
    newest = attempts[-1]
    named = _named(tool, newest) or _mentioned(tool, newest)
    kept = {name: value for name, value in newest.arguments.items() if name in tool.properties and name not in named}
    refused = {
        name: tuple(attempt.arguments[name] for attempt in attempts if _faulty(tool, attempt, name)) for name in named
    }
    quoted = {name: _quoted(newest, tool, refused[name]) for name in named}
    hints = {name: _hints(request, newest, refused[name]) for name in named if refused[name]}
    optional = set(tool.properties) - set(tool.parameters.get("required") or ())
    return Steering(kept, refused, quoted, hints, frozenset(optional - set(kept) - set(named)))


def _faulty(tool: Tool, attempt: Attempt, name: str) -> bool:
    return name in attempt.arguments and name in (_named(tool, attempt) or _mentioned(tool, attempt))


def _named(tool: Tool, attempt: Attempt) -> list[str]:
    quoted = set(_QUOTED.findall(attempt.outcome))
    found = [name for name in tool.properties if name in quoted]
    words = set(re.findall(r"\w+", attempt.outcome))
    return found or [name for name in tool.properties if name in words]


def _mentioned(tool: Tool, attempt: Attempt) -> list[str]:
    """Return the fields whose values stand in the feedback, or else all that were written."""
    written = [name for name in tool.properties if name in attempt.arguments]
    return [name for name in written if str(attempt.arguments[name]) in attempt.outcome] or written


def _quoted(attempt: Attempt, tool: Tool, refused: Sequence[Any]) -> list[str]:
    """Return the values in backticks that are neither names of the tool nor refused."""
    idle = {tool.name, *tool.properties, *map(str, refused)}
    return [text for text in _QUOTED.findall(attempt.outcome) if text not in idle]


def _hints(request: str, attempt: Attempt, refused: Sequence[Any]) -> list[str]:
    """Return the words of feedback and request without what was refused."""
    texts = [str(value) for value in refused]
    return [_without(_QUOTED.sub(" ", attempt.outcome), texts), _without(request, texts)]


def _without(text: str, values: Iterable[str]) -> str:
    for value in values:
        text = re.sub(rf"(?<!\w){re.escape(value)}(?!\w)", " ", text)
    return text

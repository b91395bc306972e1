"""Calls in the ReAct style: `Thought:`, `Action:`, `Action Input:` lines (Yao et al. 2022, LangChain's agents).

A model that isn't stopped in time goes on and invents the observation. Nothing it made up is read, and since it took
the call for done, it is asked again. A rest of the stop word behind the input is no more than that and dropped.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TypeAlias

from reinforced_agent.policies.problems import Problem
from reinforced_agent.policies.reading.leaked.shape import Broken, Leaked, object_at, unreadable, unregistered
from reinforced_agent.policies.routing import NameIndex
from reinforced_agent.policies.verdicts import ErrorKind


@dataclass(frozen=True, slots=True)
class Spoken:
    """The steps end in an answer."""

    text: str
    """The answer without its thoughts."""
    thoughts: str
    """The `Thought:` lines."""


ReAct: TypeAlias = Leaked | Broken | Spoken | None
"""What the steps come to; `None` when the text has no steps."""

_LINE = r"^[ \t]*+(?:\*\*)?"
_THOUGHT = re.compile(r"(?:\*\*)?Thought:")
_ACTION = re.compile(rf"{_LINE}Action:(?:\*\*)?[ \t]*+(?P<name>[^\n]*+)", re.MULTILINE)
_INPUT = re.compile(r"\s*+(?:\*\*)?Action Input:(?:\*\*)?\s*+")
_FINAL = re.compile(rf"{_LINE}Final Answer:(?:\*\*)?[ \t]*+", re.MULTILINE)
_OBSERVATION = re.compile(rf"{_LINE}Observation\b", re.MULTILINE)
_NO_TOOL = re.compile(
    r"\W*+(?:none|n/?a|null|nothing|no (?:action|tool)|finish|final[ _]answer|direct (?:response|answer))\b",
    re.IGNORECASE,
)
_STOP_WORD = "Observation:"


def read_react(text: str, names: NameIndex) -> ReAct:
    """Read the steps; lines that only look like steps, as in minutes of a meeting, are ordinary text."""
    if "Action:" not in text and "Final Answer:" not in text:
        return None
    action = _ACTION.search(text)
    thinks = _THOUGHT.match(text) is not None
    if action is None:
        return _answer(text) if thinks else None
    given = _INPUT.match(text, action.end())
    name = action["name"].strip().strip("`*\"'").strip()
    if names.resolve(name) is None:
        steps = _without_tool(text, action, given, thinks=thinks)
        return unregistered(name, names) if steps is None and given else steps
    if given is None:
        return unreadable() if thinks else None
    before = text[: action.start()].strip()
    return _call(text, given.end(), name) if thinks or not before else unreadable("leaked_beside_text")


def _answer(text: str) -> Spoken | None:
    final = _FINAL.search(text)
    return Spoken(text[final.end() :].strip(), text[: final.start()].strip()) if final else None


def _without_tool(text: str, action: re.Match[str], given: re.Match[str] | None, *, thinks: bool) -> ReAct:
    """Read steps whose action is no registered tool: no tool at all, an unknown one, or no steps to begin with."""
    if not (thinks or given):
        return None
    if not _NO_TOOL.match(action["name"]):
        return None
    rest = text[given.end() if given else action.end() :]
    final = _FINAL.search(rest)
    said = rest[final.end() :] if final else rest
    observed = _OBSERVATION.search(said)
    return Spoken(said[: observed.start() if observed else None].strip(), text[: action.start()].strip())


def _call(text: str, position: int, name: str) -> Leaked | Broken:
    found = object_at(text, position, name)
    if isinstance(found, Broken):
        return found
    rest = text[found[1] :].strip()
    if _STOP_WORD.startswith(rest):
        return Leaked((found[0],))
    if rest.startswith("Observation"):
        return Broken((Problem("invented_observation", ErrorKind.MALFORMED),))
    return unreadable("leaked_beside_text")

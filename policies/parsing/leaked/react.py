"""Calls in the ReAct style: `Thought:`, `Action:`, `Action Input:` lines (Yao et al. 2022, LangChain's agents).

A model that isn't stopped in time goes on and invents the observation. Nothing it made up is read, and since it took
the call for done, it is asked again. A rest of the stop word behind the input is no more than that and dropped.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from json import JSONDecodeError
from typing import TypeAlias

from reinforced_agent.policies.parsing.leaked.shape import (
    Broken,
    Leaked,
    cut_off,
    object_at,
    unreadable,
    unregistered,
)
from reinforced_agent.policies.parsing.leaked.traces import mentions_call, resembles_call
from reinforced_agent.policies.text.json import parse_at
from reinforced_agent.policies.tool_names import NameIndex
from reinforced_agent.policies.verdicts import ErrorKind, Problem


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
_COLON = r"[:\uff1a](?:\*\*)?"
_THOUGHT = re.compile(r"(?:\*\*)?Thought[:\uff1a]", re.IGNORECASE)
_ACTION = re.compile(rf"{_LINE}(?P<label>Action){_COLON}[ \t]*+(?P<name>[^\n]*+)", re.MULTILINE | re.IGNORECASE)
_INPUT = re.compile(rf"\s*+(?:\*\*)?(?P<label>Action Input){_COLON}\s*+", re.IGNORECASE)
_FINAL = re.compile(rf"{_LINE}Final Answer{_COLON}[ \t]*+", re.MULTILINE | re.IGNORECASE)
_OBSERVATION = re.compile(rf"{_LINE}Observation\b", re.MULTILINE)
_NO_TOOL = re.compile(
    r"[\s\-\u2013\u2014\u2026_.*]++\Z"
    r"|\W*+(?:none|n/?a|null|nothing|no (?:action|tool|further)|not? (?:needed|required|necessary|applicable)"
    r"|finish|final[ _]answer|direct(?:ly)?[ _-](?:response|respond|answer|reply)"
    r"|(?:respond|answer|reply)(?:ing)?[ _-](?:directly|(?:to[ _-])?(?:the[ _-])?user))\b"
    r"|\W*+(?:respond|answer|reply)\W*+\Z"
    r"|\W*+(?:无|没有)(?:\W|\Z)|\W*+(?:无需|不需要|不用|直接回答|直接回复)",
    re.IGNORECASE,
)
_NO_INPUT = re.compile(r"[\"'`*]*+(?:none|null|n/?a|无|-++|\{\}|)[\"'`*.。]*+[ \t]*+(?:\n|\Z)", re.IGNORECASE)
_BRACKETED = re.compile(r"[`*]*+(?P<name>[\w.-]{1,128})[`*]*+ ?[(\[]")
_FENCE = re.compile(r"\s*+(?:```\w*+\s*+)?+(?=[{\[])")
_INPUT_LABEL = "action input:"
_STOP_WORD = "Observation:"
_SHORTEST = 3
"""Characters from which the beginning of a name is recognised."""


def read_react(text: str, names: NameIndex) -> ReAct:
    """Read the steps; lines that only look like steps, as in minutes of a meeting, are ordinary text."""
    action = _ACTION.search(text) if "ction" in text or "CTION" in text else None
    thinks = _THOUGHT.match(text) is not None
    if action is None:
        return _answer(text) if thinks else None
    given = _INPUT.match(text, action.end())
    name = action["name"].strip().strip("`*\"'").strip()
    registered = names.resolve(name) is not None
    if not (registered and given) and _FINAL.search(text, 0, action.start()):
        return _answer(text) if thinks else None
    before = text[: action.start()].strip()
    alone = thinks or not before
    if not registered:
        return _unregistered(text, action, given, names, thinks=thinks)
    if given is None:
        return _without_input(text[action.end() :].strip(), thinks=thinks, alone=alone)
    if not alone:
        return unreadable("leaked_beside_text")
    found = _call(text, given.end(), name)
    exact = (action["label"], given["label"]) == ("Action", "Action Input")
    return found if exact or isinstance(found, Broken) else unreadable()


def _without_input(rest: str, *, thinks: bool, alone: bool) -> Broken | None:
    """Read an action without its input: cut off in the label, left out, or no action at all."""
    if rest and alone and _INPUT_LABEL.startswith(rest.lower()):
        return cut_off()
    return unreadable() if thinks or (alone and not rest) else None


def _answer(text: str) -> Spoken | None:
    final = _FINAL.search(text)
    return Spoken(text[final.end() :].strip(), text[: final.start()].strip()) if final else None


def _unregistered(
    text: str, action: re.Match[str], given: re.Match[str] | None, names: NameIndex, *, thinks: bool
) -> ReAct:
    """Read steps whose action is no registered name: a call of another shape, no tool, an unknown one, or no steps."""
    alone = thinks or not text[: action.start()].strip()
    if _other_shape(text, action, names, alone=alone):
        return unreadable()
    steps = _without_tool(text, action, given, thinks=thinks)
    if steps is not None:
        return steps
    if given:
        return unregistered(action["name"].strip(), names)
    return cut_off() if thinks and _open_name(text, action, names) else None


def _other_shape(text: str, action: re.Match[str], names: NameIndex, *, alone: bool) -> bool:
    """Recognise `Action: name(…)`, `Action: name[…]`, and a JSON call behind `Action:`, fenced or not."""
    bracketed = _BRACKETED.match(action["name"])
    if bracketed:
        return alone and names.resolve(bracketed["name"]) is not None
    opened = _FENCE.match(text, action.start("name"))
    if opened is None:
        return False
    try:
        parsed = parse_at(text, opened.end(), lenient=True)
    except JSONDecodeError:
        return mentions_call(text[opened.end() :], names)
    return resembles_call(parsed.value, names)


def _open_name(text: str, action: re.Match[str], names: NameIndex) -> bool:
    """Tell whether the text ends within the name of a tool, or before it."""
    name = action["name"].strip().lower()
    if action.end() != len(text) or 0 < len(name) < _SHORTEST:
        return False
    return any(known.lower().startswith(name) for known in names.names)


def _without_tool(text: str, action: re.Match[str], given: re.Match[str] | None, *, thinks: bool) -> Spoken | None:
    """Read steps that say that no tool is needed: the answer follows, or stands before them."""
    if not (thinks or given) or not _NO_TOOL.match(action["name"]):
        return None
    rest = text[given.end() if given else action.end() :]
    final = _FINAL.search(rest)
    said = rest[final.end() :] if final else rest
    if given and not final and (nothing := _NO_INPUT.match(said)):
        said = said[nothing.end() :]
    observed = _OBSERVATION.search(said)
    said = said[: observed.start() if observed else None].strip()
    before = text[: action.start()].strip()
    return Spoken(before, "") if not said and not thinks else Spoken(said, before)


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

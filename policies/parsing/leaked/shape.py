"""The shapes in which a JSON value is a call, and the outcomes of looking for one."""

from __future__ import annotations

import re
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from json import JSONDecodeError
from typing import TypeAlias

from reinforced_agent.policies.parsing.arguments import Undecoded, decode_arguments, diagnose
from reinforced_agent.policies.parsing.output import Repair
from reinforced_agent.policies.text.folds import code_list
from reinforced_agent.policies.text.json import Parsed, parse_at
from reinforced_agent.policies.tool_names import NameIndex
from reinforced_agent.policies.verdicts import ErrorKind, Problem
from reinforced_agent.tools.call import JSON


@dataclass(frozen=True, slots=True)
class TextCall:
    """A call that stands as text in a message."""

    name: str
    """The tool name as written."""
    arguments: dict[str, JSON]
    """The decoded arguments."""
    repairs: tuple[str, ...] = ()
    """What it took to decode them."""


@dataclass(frozen=True, slots=True)
class Leaked:
    """The whole text is nothing but well-formed calls."""

    calls: tuple[TextCall, ...]
    """At least one."""


@dataclass(frozen=True, slots=True)
class Broken:
    """The text is call markup, but no call can be taken from it with certainty."""

    problems: tuple[Problem, ...]
    """Why not."""


Found: TypeAlias = Leaked | Broken | None
"""What a reader of one format makes of a text; `None` when the text isn't of its format."""

_CONTROL = re.compile(r"[\x00-\x1f]")
_LONGEST_NAME = 128
_FEW = 10
"""Fields that are named at most."""
_DECORATION = frozenset({"id", "type", "index"})
_ENVELOPE = frozenset({"function", "id", "type", "index"})


def unreadable(code: str = "leaked_unreadable") -> Broken:
    """Return the outcome for call markup that breaks its own format."""
    return Broken((Problem(code, ErrorKind.MALFORMED),))


def unregistered(name: str, names: NameIndex) -> Broken:
    """Return the outcome for a call of a tool that doesn't exist, with the names it may have meant."""
    near = code_list(names.suggest(name[:_LONGEST_NAME]))
    code = "leaked_unknown_tool_near" if near else "leaked_unknown_tool"
    return Broken((Problem(code, ErrorKind.UNKNOWN_TOOL, facts={"near": near} if near else {}),))


def cut_off() -> Broken:
    """Return the outcome for a call that ends too early."""
    return Broken((Problem("cut_off_text", ErrorKind.TRUNCATED),))


def unparsed(text: str) -> Broken:
    """Return the outcome for a text that should be JSON; a position in it would mean nothing to the model."""
    problem = diagnose(text)
    return Broken((problem,)) if problem.kind is ErrorKind.TRUNCATED else unreadable()


def value_at(text: str, start: int) -> tuple[Parsed, tuple[str, ...]] | Broken:
    """Read the JSON value at a position, raw line breaks in strings allowed; with the repairs this took."""
    try:
        parsed = parse_at(text, start, lenient=True)
    except JSONDecodeError:
        return unparsed(text[start:])
    return parsed, () if _is_strict(text[start : parsed.end]) else (Repair.CONTROL_CHARACTERS.value,)


def _is_strict(written: str) -> bool:
    if _CONTROL.search(written) is None:
        return True
    try:
        parse_at(written)
    except JSONDecodeError:
        return False
    return True


def calls_at(text: str, start: int) -> tuple[tuple[TextCall, ...], int] | Broken:
    """Read the call object or list of call objects at a position; with the position behind it."""
    read = value_at(text, start)
    if isinstance(read, Broken):
        return read
    parsed, repairs = read
    found = Broken(parsed.problems) if parsed.problems else as_calls(parsed.value, repairs)
    if found is None:
        return unreadable()
    return found if isinstance(found, Broken) else (found.calls, parsed.end)


def object_at(text: str, start: int, name: str) -> tuple[TextCall, int] | Broken:
    """Read the argument object at a position, for formats that write the name before it."""
    read = value_at(text, start)
    if isinstance(read, Broken):
        return read
    parsed, repairs = read
    if parsed.problems:
        return Broken(parsed.problems)
    if not isinstance(parsed.value, dict):
        return unreadable()
    return TextCall(name, parsed.value, repairs), parsed.end


def as_calls(value: JSON, repairs: tuple[str, ...] = ()) -> Found:
    """Take a call object, a list of them, or an object whose only key is `tool_calls` for calls."""
    if isinstance(value, dict) and value.keys() == {"tool_calls"}:
        value = value["tool_calls"]
    values = value if isinstance(value, list) else [value]
    if not values:
        return None
    calls: list[TextCall] = []
    for item in values:
        found = _as_call(item, repairs)
        if not isinstance(found, TextCall):
            return found
        calls.append(found)
    return Leaked(tuple(calls))


def _as_call(value: JSON, repairs: tuple[str, ...]) -> TextCall | Broken | None:
    """Take an object for a call: a name, exactly one object of arguments, nothing else that carries meaning."""
    if not isinstance(value, dict):
        return None
    fields = value
    inner = value.get("function")
    if isinstance(inner, dict) and value.keys() <= _ENVELOPE:
        fields = inner
    name = fields.get("name")
    given = [key for key in ("arguments", "parameters") if key in fields]
    if not isinstance(name, str) or not name.strip() or len(given) != 1:
        return None
    beside = fields.keys() - {"name", given[0], *_DECORATION}
    if beside:
        return None if "description" in beside else _beside(beside, name, given[0])
    return _decoded(name, fields[given[0]], repairs)


def _beside(fields: AbstractSet[str], name: str, key: str) -> Broken:
    """Name what stands beside the arguments of a call: dropping it would run the call with defaults."""
    facts = {"fields": code_list(sorted(field[:_LONGEST_NAME] for field in fields)[:_FEW]), "name": name, "key": key}
    return Broken((Problem("leaked_beside_arguments", ErrorKind.MALFORMED, facts=facts),))


def _decoded(name: str, arguments: JSON, repairs: tuple[str, ...]) -> TextCall | Broken | None:
    if isinstance(arguments, dict):
        return TextCall(name, arguments, repairs)
    if arguments is not None and not isinstance(arguments, str):
        return None
    decoded = decode_arguments(arguments)
    if isinstance(decoded, Undecoded):
        return Broken(decoded.problems)
    return TextCall(name, decoded.arguments, (*repairs, *decoded.repairs))

"""Strict JSON, the first way to read anything: RFC 8259 to the letter, and no value that two readers could take apart.

Python's decoder lets pass what others refuse or read differently: `NaN`, numbers that overflow to infinity, doubled
keys, lone surrogates. Here they become problems with the path they stand at.
"""

from __future__ import annotations

import json
import re
from typing import NamedTuple
from unicodedata import is_normalized

from reinforced_agent.policies.text.json_faults import (
    MAX_DEPTH,
    encodable,
    faults_of_text,
    faults_of_value,
    is_wide,
    too_deep,
)
from reinforced_agent.policies.verdicts import Problem
from reinforced_agent.tools.call import JSON


_SPACE = re.compile(r"[ \t\n\r]*+")


class Parsed(NamedTuple):
    """A JSON value cut out of a text."""

    value: JSON
    """The value; `None` when there are problems."""
    end: int
    """Where it ends in the text."""
    problems: tuple[Problem, ...] = ()
    """Why the value must not be used, although it is JSON in form."""


class _Suspect(Exception):  # noqa: N818 - a signal between hook and caller, no error
    """A hook met a value that needs a second, slower look."""


def _object(pairs: list[tuple[str, JSON]]) -> dict[str, JSON]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise _Suspect
    return found


def _integer(text: str) -> int:
    if is_wide(text):
        raise _Suspect
    return int(text)


def _fraction(text: str) -> float:
    value = float(text)
    if value - value != 0:  # only infinity and NaN differ from themselves
        raise _Suspect
    return value


def _constant(_: str) -> None:
    raise _Suspect


_STRICT = json.JSONDecoder(
    object_pairs_hook=_object, parse_int=_integer, parse_float=_fraction, parse_constant=_constant
)
_LENIENT = json.JSONDecoder(
    object_pairs_hook=_object, parse_int=_integer, parse_float=_fraction, parse_constant=_constant, strict=False
)


def skip_space(text: str, start: int = 0) -> int:
    """Return the position of the first character that JSON doesn't count as white space."""
    if start < len(text) and text[start] > " ":  # the usual case, without the cost of a match
        return start
    match = _SPACE.match(text, start)
    return match.end() if match else start


def parse_at(text: str, start: int = 0, *, lenient: bool = False) -> Parsed:
    """Read the JSON value that stands at a position of a text.

    Args:
        text: Any text.
        start: Where the value begins, white space before it allowed.
        lenient: Accept raw control characters inside strings, the one slip that leaves no doubt about the value.

    Raises:
        json.JSONDecodeError: There is no JSON value at this position. No other exception leaves this function.

    """
    start = skip_space(text, start)
    try:
        value, end = (_LENIENT if lenient else _STRICT).raw_decode(text, start)
    except (_Suspect, RecursionError):
        return _second_look(text, start)
    if _innocent(text[start:end]):
        return Parsed(value, end)
    problems = faults_of_value(value)
    return Parsed(None if problems else value, end, problems)


def parse(text: str, *, lenient: bool = False) -> Parsed:
    """Read a text that is one JSON value and nothing else.

    Raises:
        json.JSONDecodeError: It isn't. No other exception leaves this function.

    """
    parsed = parse_at(text, lenient=lenient)
    if parsed.end != len(text) and (end := skip_space(text, parsed.end)) != len(text):
        message = "Extra data"
        raise json.JSONDecodeError(message, text, end)
    return parsed


def _second_look(text: str, start: int) -> Parsed:
    problems, end = faults_of_text(text, start)
    # Without a fault the stack was all but used up by the caller: then the text is too deep for it, whatever its depth.
    return Parsed(None, end, problems or (too_deep(),))


def _innocent(text: str) -> bool:
    """Rule out, without looking at the values, escapes and characters that may hide something, and deep nesting."""
    if "\\u" in text or text.count("{") + text.count("[") > MAX_DEPTH:
        return False
    # What is composed as a whole is so in all its parts, so no two keys are merely written differently.
    return text.isascii() or (encodable(text) and is_normalized("NFC", text))


def kind_of(value: object) -> str:
    """Return the JSON type of a value; a whole number without a fraction part is an `integer`."""
    match value:
        case None:
            return "null"
        case bool():
            return "boolean"
        case int():
            return "integer"
        case float():
            return "number"
        case str():
            return "string"
        case dict():
            return "object"
        case _:
            return "array"

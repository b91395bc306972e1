"""Decode the arguments of a call: one certain object, or the reasons why there is none."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from json import JSONDecodeError
from typing import TypeAlias

from reinforced_agent.policies.parsing.output import Repair
from reinforced_agent.policies.parsing.repair import blank_escapes, mend, strip_outer
from reinforced_agent.policies.text.json import parse, parse_at, skip_space
from reinforced_agent.policies.text.json_faults import too_deep
from reinforced_agent.policies.verdicts import ErrorKind, Problem
from reinforced_agent.tools.call import JSON


MAX_CHARACTERS = 2_000_000
"""Length of the text of one call or message; about four times the longest output any model can give."""

_MESSAGES = (
    ("Expecting value", "json_value_expected"),
    ("Expecting property name", "json_key_expected"),
    ("Illegal trailing comma", "json_key_expected"),
    ("Expecting ':'", "json_colon_expected"),
    ("Expecting ','", "json_comma_expected"),
    ("Extra data", "json_trailing_text"),
    ("Invalid \\", "json_bad_escape"),
)
"""What Python's decoder says, and our code for it; an unknown message falls back to `json_invalid`."""

_OPENING_FENCE = re.compile(r"\s*+```\w*+\s*+")
_LAST_WORD = re.compile(r"[\w.+-]*+\s*+")
_NEXT_OBJECT = re.compile(r'\{\s*+(?:"|\Z)')
_PROSE = re.compile(r"[^\W\d_]|```")
_DOUBLE_QUOTED = re.compile(r'"(?:[^"\\]++|\\.)*+(?P<closed>")?+|[\[\]{}]', re.DOTALL)
_ANY_QUOTED = re.compile(
    r"""(?P<quote>['"])(?:(?!(?P=quote))[^\\]|\\.)*+(?P<closed>(?P=quote))?+|[\[\]{}]""", re.DOTALL
)


@dataclass(frozen=True, slots=True)
class Decoded:
    """The arguments as one certain object."""

    arguments: dict[str, JSON]
    """A copy of its own, plain JSON all through."""
    repairs: tuple[str, ...] = ()
    """What it took; empty when the text was strict JSON or the object was plain."""


@dataclass(frozen=True, slots=True)
class Undecoded:
    """The arguments have no certain meaning."""

    problems: tuple[Problem, ...]
    """Why not, the true cause first."""


Decoding: TypeAlias = Decoded | Undecoded


def decode_arguments(arguments: str | Mapping[str, JSON] | None) -> Decoding:
    """Decode arguments as providers deliver them: JSON text, an object, or nothing.

    Strict JSON comes first. Each repair applies only to what failed strictly, leaves one possible value, and is
    recorded by name. What was cut off is never completed, and nothing unreadable becomes the empty object.
    No exception leaves this function, whatever the argument.
    """
    return _decode(arguments)


def not_an_object(value: object) -> Undecoded:
    """Return the outcome for arguments of another JSON type, named in JSON's words."""
    return _failed("arguments_not_object", found=_JSON_TYPES.get(type(value), "unknown"))


def _decode(given: object) -> Decoding:
    if isinstance(given, str):
        return _decode_text(given)
    if given is None:
        return Decoded({}, (Repair.NO_ARGUMENTS.value,))
    if isinstance(given, Mapping):
        return _decode_mapping(given)
    return not_an_object(given)


def _decode_text(text: str) -> Decoding:
    if len(text) > MAX_CHARACTERS:
        return _failed("too_large", limit=str(MAX_CHARACTERS))
    try:
        parsed = parse(text)
    except JSONDecodeError:
        return _decode_mended(text)
    return Undecoded(parsed.problems) if parsed.problems else _as_object(parsed.value, ())


def _decode_mended(text: str) -> Decoding:
    if not strip_outer(text):
        return Decoded({}, (Repair.NO_ARGUMENTS.value,))
    mended = mend(text)
    if mended is None:
        return Undecoded((diagnose(text),))
    return Undecoded(mended.problems) if mended.problems else _as_object(mended.value, mended.repairs)


def _as_object(value: JSON, repairs: tuple[str, ...]) -> Decoding:
    if isinstance(value, dict):
        return Decoded(value, repairs)
    if value is None or (isinstance(value, str) and not strip_outer(value)):
        return Decoded({}, (*repairs, Repair.NO_ARGUMENTS.value))
    if isinstance(value, str):
        return _decode_inner(value, (*repairs, Repair.DOUBLE_ENCODING.value))
    return not_an_object(value)


def _decode_inner(text: str, repairs: tuple[str, ...]) -> Decoding:
    """Decode the text inside a JSON string, once and strictly: a second slip on top of it would be one too many."""
    try:
        parsed = parse(text)
    except JSONDecodeError:
        looks_like_object = text.lstrip().startswith("{")
        return Undecoded((diagnose(text),)) if looks_like_object else not_an_object(text)
    if parsed.problems:
        return Undecoded(parsed.problems)
    if isinstance(parsed.value, dict):
        return Decoded(parsed.value, repairs)
    return not_an_object(parsed.value)


def _decode_mapping(arguments: Mapping[object, object]) -> Decoding:
    """Copy an object by way of its JSON text, so that one strict reader judges what providers send in either form."""
    try:
        text = json.dumps(arguments, ensure_ascii=False, check_circular=False, default=_plain)
    except RecursionError:
        return Undecoded((too_deep(),))
    except Exception:  # noqa: BLE001 - the mapping is foreign code, and no exception may leave the reader
        return _failed("not_json_value")
    return _decode_text(text)


def _plain(value: object) -> object:
    """Turn the container types of providers' libraries into plain ones.

    Raises:
        TypeError: The value has no counterpart in JSON.

    """
    if isinstance(value, Mapping):
        return dict(value)
    if isinstance(value, Sequence) and not isinstance(value, bytes | bytearray | memoryview):
        return list(value)
    message = f"{type(value).__name__} is no JSON"
    raise TypeError(message)


_JSON_TYPES = {
    str: "string",
    list: "array",
    bool: "boolean",
    int: "number",
    float: "number",
    type(None): "null",
}


def _failed(code: str, **facts: str) -> Undecoded:
    return Undecoded((Problem(code, ErrorKind.MALFORMED, facts=facts),))


def diagnose(text: str) -> Problem:
    """Name the one problem of a text that neither the strict decoder nor any repair could read."""
    fence = _OPENING_FENCE.match(text)
    start = fence.end() if fence else 0
    try:
        # The first slip that no repair takes away is the true one.
        parse(blank_escapes(text[start:]), lenient=True)
    except JSONDecodeError as error:
        if _cut_off(error):
            return Problem("cut_off_text", ErrorKind.TRUNCATED)
        if _surrounded(error):
            return Problem("json_surrounded", ErrorKind.MALFORMED)
        return _located(text, start + error.pos, error.msg)
    return _located(text, 0, "")


def _located(text: str, position: int, message: str) -> Problem:
    code = next((code for start, code in _MESSAGES if message.startswith(start)), "json_invalid")
    line = text.count("\n", 0, position) + 1
    column = position - text.rfind("\n", 0, position)
    return Problem(code, ErrorKind.MALFORMED, facts={"line": str(line), "column": str(column)})


def _cut_off(error: JSONDecodeError) -> bool:
    """Tell whether the text ends too early, rather than being wrong somewhere before its end."""
    rest = error.doc[error.pos :]
    if rest.startswith("'"):  # an apostrophe in such a text takes its quotes out of step, so a closed end counts more
        return not error.doc.rstrip().endswith("}") and _open(error.doc, _ANY_QUOTED)
    if error.msg == "Extra data" and _NEXT_OBJECT.match(rest):
        return _open(rest, _DOUBLE_QUOTED)
    if error.msg.startswith(("Unterminated string", "Invalid \\")):
        return _open(error.doc, _DOUBLE_QUOTED)
    return bool(_LAST_WORD.fullmatch(rest)) and _open(error.doc, _DOUBLE_QUOTED)


def _surrounded(error: JSONDecodeError) -> bool:
    """Tell whether prose or a fence stands before a readable object, or behind what was read."""
    if error.msg == "Extra data":
        return _PROSE.match(error.doc, error.pos) is not None
    brace = error.doc.find("{")
    if error.pos != skip_space(error.doc) or brace <= error.pos or error.doc[error.pos] in "[\"'":
        return False
    try:
        parse_at(error.doc, brace, lenient=True)
    except JSONDecodeError:
        return False
    return True


def _open(text: str, tokens: re.Pattern[str]) -> bool:
    """Tell whether a text ends inside a string or a bracket."""
    depth = 0
    for token in tokens.finditer(text):
        found = token.group()
        if found in "[{":
            depth += 1
        elif found in "]}":
            depth -= 1
        elif token["closed"] is None:
            return True
    return depth > 0

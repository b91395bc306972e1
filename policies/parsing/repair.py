"""Set right what failed strictly: the few slips that leave only one possible value.

Each way of mending either yields exactly the value that the text holds or gives up; nothing is closed, added or left
out. They combine, since one message can be fenced and hold a raw line break too.

Models trained on much Python write `{'city': 'Oslo', 'urgent': True}`. Two independent readers must agree on it: the
text rewritten to JSON token by token and read strictly, and `ast.literal_eval`. So what Python would accept beyond
plain data is refused: calls, tuples, sets, bytes, hexadecimal numbers, strings that join because a comma is missing,
escapes that Python and JSON read differently.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from json import JSONDecodeError
from typing import NamedTuple

from reinforced_agent.policies.parsing.output import Repair
from reinforced_agent.policies.text.json import Parsed, parse, parse_at, skip_space
from reinforced_agent.policies.verdicts import ErrorKind, Problem
from reinforced_agent.tools.call import JSON, canonical_json


OUTER = (
    "\ufeff\u200b\u200c\u200d\u2060"  # invisible characters that get glued to texts
    " \t\n\r\v\f\x1c\x1d\x1e\x1f\x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
    "\u2028\u2029\u202f\u205f\u3000"
)

_LABEL = re.compile(r"(?:jsonc?|javascript|python|py|tool_calls?|tool_code)?[ \t]*", re.IGNORECASE)
_STRING_OR_ESCAPE = re.compile(r'"(?:[^"\\]++|\\.)*+"?+|\\[ntr]', re.DOTALL)

MAX_LITERAL = 200_000
"""Characters; Python's parser needs far more memory than a JSON decoder."""

_TOKEN = re.compile(
    r"""'(?:[^'\\\n]++|\\.)*+'?+"""  # a string that stays open matches too, to be refused at once
    r"""|"(?:[^"\\\n]++|\\.)*+"?+"""
    r"""|\b(?:True|False|None)\b"""
    r"""|,(?=\s*+[}\]])""",
    re.DOTALL,
)
_CONSTANTS = {"True": "true", "False": "false", "None": "null", ",": " "}
_ESCAPE_OR_QUOTE = re.compile(r'\\.|"', re.DOTALL)


@dataclass(frozen=True, slots=True)
class Mended:
    """The value of a text that is no strict JSON, or the reason why it has no certain value."""

    value: JSON
    """The value; `None` when there are problems."""
    repairs: tuple[str, ...]
    """What was done."""
    problems: tuple[Problem, ...] = ()
    """Faults of the value itself."""


class _Version(NamedTuple):
    """A text and the repairs that led to it."""

    text: str
    repairs: tuple[Repair, ...]


def mend(text: str) -> Mended | None:
    """Read a text that the strict decoder refused, or return `None` where that would be a guess."""
    versions = list(_versions(text))
    for version in versions:
        mended = _read(version)
        if mended:
            return mended
    return next(filter(None, map(_read_python, versions)), None)


def strip_outer(text: str) -> str:
    """Drop white space of any kind and invisible characters around a text."""
    return text.strip(OUTER)


def unfence(text: str) -> str | None:
    """Return what stands in the one code fence that encloses the whole text, or `None` if there is no such fence."""
    if not (text.startswith("```") and text.endswith("```")) or len(text) < len("``````"):
        return None
    inner = text[3:-3]
    label = _LABEL.match(inner)
    return inner[label.end() :] if label else inner


def blank_escapes(text: str) -> str:
    """Turn each backslash-n, -t or -r between strings into white space of the same length; strings stay untouched."""
    return _STRING_OR_ESCAPE.sub(lambda found: found.group() if found.group()[0] == '"' else "  ", text)


def _versions(text: str) -> Iterator[_Version]:
    version = _Version(text, ())
    yield version
    stripped = strip_outer(text)
    if stripped != text.strip(" \t\n\r"):
        version = _Version(stripped, (Repair.OUTER_SPACE,))
        yield version
    inner = unfence(stripped)
    if inner is not None:
        version = _Version(strip_outer(inner), (*version.repairs, Repair.FENCE))
        yield version
    if "\\" in version.text and (blanked := blank_escapes(version.text)) != version.text:
        yield _Version(blanked, (*version.repairs, Repair.LITERAL_ESCAPES))


def _read(version: _Version) -> Mended | None:
    """Read one version strictly, then with raw control characters, then as one object said several times."""
    for lenient in (False, True):
        repairs = (*version.repairs, Repair.CONTROL_CHARACTERS) if lenient else version.repairs
        mended = _read_once(version.text, repairs, lenient=lenient)
        if mended:
            return mended
    return None


def _read_once(text: str, repairs: tuple[Repair, ...], *, lenient: bool) -> Mended | None:
    try:
        parsed = parse(text, lenient=lenient)
    except JSONDecodeError as error:
        return _read_repeated(text, repairs, lenient=lenient) if error.msg == "Extra data" else None
    return _mended(parsed, repairs)


def _mended(parsed: Parsed, repairs: tuple[Repair, ...]) -> Mended:
    return Mended(parsed.value, tuple(repair.value for repair in repairs), parsed.problems)


def _read_repeated(text: str, repairs: tuple[Repair, ...], *, lenient: bool) -> Mended | None:
    """Take objects that stand back to back for one when all are equal; different ones have no certain meaning."""
    if not text.lstrip().startswith("{"):
        return None
    try:
        pieces = _pieces(text, lenient=lenient)
    except JSONDecodeError:
        return None
    faulty = next((piece for piece in pieces if piece.problems), None)
    if faulty:
        return _mended(faulty, repairs)
    if not all(isinstance(piece.value, dict) for piece in pieces):
        return None
    if len({canonical_json(piece.value) for piece in pieces}) > 1:
        return Mended(None, (), (Problem("several_objects", ErrorKind.MALFORMED),))
    return _mended(pieces[0], (*repairs, Repair.REPEATED_OBJECT))


def _pieces(text: str, *, lenient: bool) -> list[Parsed]:
    """Read the values that stand back to back, each way of writing one only once."""
    pieces: dict[str, Parsed] = {}
    position = skip_space(text)
    while position < len(text):
        parsed = parse_at(text, position, lenient=lenient)
        pieces.setdefault(text[position : parsed.end], parsed)
        position = skip_space(text, parsed.end)
    return list(pieces.values())


def _read_python(version: _Version) -> Mended | None:
    if Repair.LITERAL_ESCAPES in version.repairs:  # which strings a backslash stands in differs between the languages
        return None
    parsed = parse_python(version.text)
    return _mended(parsed, (*version.repairs, Repair.PYTHON_LITERAL)) if parsed else None


class _NotPlainError(ValueError):
    """The text is no plain literal."""


def parse_python(text: str) -> Parsed | None:
    """Read a text as a Python literal of plain data, or return `None`."""
    if len(text) > MAX_LITERAL or not text.lstrip().startswith("{"):
        return None
    try:
        parsed = parse(_TOKEN.sub(_to_json, text))
    except (JSONDecodeError, _NotPlainError):
        return None
    return parsed if parsed.problems or _python_agrees(text, parsed.value) else None


def _to_json(token: re.Match[str]) -> str:
    written = token.group()
    if written in _CONSTANTS:
        return _CONSTANTS[written]
    if len(written) < 2 or written[-1] != written[0]:  # noqa: PLR2004 - two quotes
        raise _NotPlainError
    return f'"{_ESCAPE_OR_QUOTE.sub(_escape, written[1:-1])}"'


def _escape(found: re.Match[str]) -> str:
    r"""Rewrite one escape or quote inside a string; `\/` is one of the few that both languages know differently."""
    written = found.group()
    if written == r"\/":
        raise _NotPlainError
    return {r"\'": "'", '"': r"\""}.get(written, written)


def _python_agrees(text: str, value: JSON) -> bool:
    try:
        literal = ast.literal_eval(text.strip())
        return canonical_json(literal) == canonical_json(value)
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        return False

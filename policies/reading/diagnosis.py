"""Say why a text can't be read: cut off, or malformed at a certain place."""

from __future__ import annotations

import re
from json import JSONDecodeError

from reinforced_agent.policies.reading.mending import blank_escapes
from reinforced_agent.policies.reading.strict import parse, parse_at, skip_space
from reinforced_agent.policies.verdicts import ErrorKind, Problem


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

"""Read a Python dict as the JSON object it stands for, without running or guessing anything.

Models trained on much Python write `{'city': 'Oslo', 'urgent': True}`. Two independent readers must agree on it: the
text rewritten to JSON token by token and read strictly, and `ast.literal_eval`. So all that Python would accept
beyond plain data is refused: calls, tuples, sets, bytes, hexadecimal numbers, strings that join because a comma is
missing, escapes that Python and JSON read differently.
"""

from __future__ import annotations

import ast
import re
from json import JSONDecodeError

from reinforced_agent.policies.reading.strict import Parsed, parse
from reinforced_agent.tools.call import JSON, canonical_json


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

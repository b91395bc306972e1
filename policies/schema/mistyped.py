"""Tells in which way a value of the wrong type went wrong, so that the advice can be more than "change it"."""

from __future__ import annotations

import re
from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from typing import Final

from reinforced_agent.policies.reading.faults import is_wide
from reinforced_agent.policies.reading.strict import parse
from reinforced_agent.policies.schema.view import kind_of
from reinforced_agent.tools.call import EXACT, JSON


_DIGITS: Final = re.compile(r"-?[0-9]+")
_FRACTION: Final = re.compile(r"-?[0-9]*\.[0-9]*")
_WIDE: Final = 2**63
"""64 bits with a sign; twice as much without."""
_NUMBERS: Final = frozenset({"integer", "number"})


def code_of(value: JSON, types: Sequence[str], formats: AbstractSet[str] = frozenset()) -> str:
    """Return the code of the problem of a value that is none of the types it may have.

    Args:
        value: The value, neither null nor empty.
        types: The JSON types that were expected.
        formats: Formats of the elements, where a list was expected.

    """
    wanted = frozenset(types) - {"null"}
    if isinstance(value, str):
        return _code_of_text(value, wanted, formats)
    if wanted == {"boolean"} and isinstance(value, int):
        return "not_boolean"
    if wanted == {"integer"} and isinstance(value, float):
        return code_of_inexact(value) if value.is_integer() and abs(value) >= EXACT else "not_whole"
    if wanted == {"string"} and kind_of(value) in _NUMBERS:
        return "number_for_text"
    return "wrong_type"


def code_of_inexact(value: float) -> str:
    """Return the code of the problem of a whole number that was written as a fraction and may have been rounded."""
    return "inexact_whole" if -_WIDE <= value < 2 * _WIDE else "too_wide"


def null_word(types: Sequence[str], *, required: bool) -> str:
    """Return the code of the problem of the word `null`."""
    if "null" in types:
        return "null_word_nullable"
    return "null_word_required" if required else "null_word"


def _code_of_text(text: str, wanted: frozenset[str], formats: AbstractSet[str]) -> str:
    if wanted & {"array", "object"}:
        if text.strip().startswith(("{", "[")):
            return "too_wide_in_text" if _holds_wide(text) else "json_in_text"
        if "array" in wanted:
            return "text_for_addresses" if formats and formats <= {"email", "idn-email"} else "text_for_list"
        return "wrong_type"
    if wanted == {"boolean"}:
        return "not_boolean"
    if wanted and wanted <= _NUMBERS:
        return _code_of_number(text, wanted)
    return "wrong_type"


def _code_of_number(text: str, wanted: frozenset[str]) -> str:
    if _DIGITS.fullmatch(text) and is_wide(text):
        return "too_wide"
    if wanted == {"integer"} and _FRACTION.fullmatch(text) and any(map(str.isdecimal, text)):
        return "not_whole"
    return "text_for_number"


def _holds_wide(text: str) -> bool:
    try:
        problems = parse(text).problems
    except ValueError:
        return False
    return any(problem.code == "integer_too_long" for problem in problems)

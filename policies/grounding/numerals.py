"""Read the numbers in a text: digits with separators, English words, Chinese numerals, multiples, percent."""

from __future__ import annotations

import re
from collections.abc import Iterator
from decimal import Decimal
from math import prod
from typing import Final

from reinforced_agent.policies.grounding.chinese import chinese_numbers
from reinforced_agent.policies.grounding.english import english_numbers


_LONGEST: Final = 40
"""Digits and separators of one number; longer runs are no amounts."""
DIGITS: Final = re.compile(
    r"(?<![0-9])(?:[0-9]+(?:(?:[.,'_]| (?=[0-9]{3}(?![0-9])))[0-9]+)*|(?<![^\s$€£¥(])[.,][0-9]+)"
)
AFTER: Final = re.compile(r"\s?(%|percent\b|per cent\b|hundred\b|thousand\b|million\b|billion\b|lakhs?\b|crores?\b|"
                           r"dozen\b|grand\b|k\b|m\b|mn\b|mil\b|mio\b|bn\b|b\b|[百千万萬亿億]{1,4})")  # fmt: skip
_POWER: Final = re.compile(r"(?<![0-9.])([0-9]+(?:\.[0-9]+)?)e([+-]?[0-9]{1,3})(?![0-9a-z])")
_STEPPED: Final = re.compile(r"(?<![0-9.])([0-9]{1,3})k([0-9])(?![0-9a-z])")
_FRACTION: Final = re.compile(r"(?<![0-9/])([0-9]{1,4})/([0-9]{1,4})(?![0-9/])")
_TIMES: Final = {
    "hundred": 100,
    "thousand": 1_000,
    "grand": 1_000,
    "k": 1_000,
    "dozen": 12,
    **dict.fromkeys(("million", "m", "mil", "mn", "mio"), 10**6),
    **dict.fromkeys(("billion", "bn", "b"), 10**9),
    **dict.fromkeys(("lakh", "lakhs"), 10**5),
    **dict.fromkeys(("crore", "crores"), 10**7),
}
_HAN_TIMES: Final = {"百": 100, "千": 1_000, "万": 10**4, "萬": 10**4, "亿": 10**8, "億": 10**8}
_PERCENT: Final = ("%", "percent", "per cent")
_GROUP: Final = 3


def numbers_in(text: str) -> frozenset[Decimal]:
    """Return every number that a folded text may mean, without signs; where it is ambiguous, all readings."""
    return frozenset(number.normalize() for number in _numbers(text))


def _numbers(text: str) -> Iterator[Decimal]:
    yield from (number for written, after in _written(text) for number in _scaled([*_readings(written)], after))
    for match in _POWER.finditer(text):
        yield Decimal(f"{match[1]}e{match[2]}")
    for match in _STEPPED.finditer(text):
        yield Decimal(int(match[1]) * 1000 + int(match[2]) * 100)
    for match in _FRACTION.finditer(text):
        if int(match[2]):
            yield Decimal(match[1]) / Decimal(match[2])
    yield from english_numbers(text)
    yield from chinese_numbers(text)


def _readings(written: str) -> Iterator[Decimal]:
    """Read separators as thousands and as decimal mark, and what they part as numbers of its own."""
    pieces = re.split(r"[.,'_ ]", written)
    if not pieces[0]:
        yield Decimal(f"0.{pieces[1]}")
        return
    if len(pieces) == 1:
        yield Decimal(written)
        return
    marks = re.findall(r"[.,'_ ]", written)
    joined = Decimal("".join(pieces))
    grouped = all(len(piece) == _GROUP for piece in pieces[1:])
    if grouped or _is_indian(pieces, marks):
        yield joined
    if marks[-1] in ".,":
        yield joined.scaleb(-len(pieces[-1]))
    if " " in marks or (set(marks) == {","} and (not grouped or len(pieces[0]) == _GROUP)):
        yield from map(Decimal, pieces)  # "100 200" and "1,2,3" may be lists


def _is_indian(pieces: list[str], marks: list[str]) -> bool:
    """Recognise 12,34,567."""
    return set(marks) == {","} and len(pieces[-1]) == _GROUP and all(len(piece) == 2 for piece in pieces[1:-1])  # noqa: PLR2004


def _written(text: str) -> set[tuple[str, str]]:
    """List the numbers in digits, each once with the word or sign behind it that multiplies it."""
    found = (match for match in DIGITS.finditer(text) if len(match[0]) <= _LONGEST)
    return {(match[0], after[1] if (after := AFTER.match(text, match.end())) else "") for match in found}


def _scaled(readings: list[Decimal], after: str) -> Iterator[Decimal]:
    """Apply what follows a number: "%", "k", "million", "万"."""
    yield from readings
    if not after:
        return
    if after in _PERCENT:
        yield from (reading / 100 for reading in readings)
        return
    times = _TIMES.get(after, 0) or prod(_HAN_TIMES[sign] for sign in after)
    yield from (reading * times for reading in readings)

"""Ways to write one name differently without meaning another one, and the nearest names for suggestions."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from rapidfuzz import fuzz, process


_SEPARATORS = re.compile(r"[-_.\s]+")
_WORD_SEPARATORS = re.compile(r"(?<=\w)[-_\s]+(?=\w)")
_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_LONGEST_COMPARED = 100
NEAR = 60.0
"""Likeness from 0 to 100 from which on a name is suggested."""


def fold_words(name: str) -> str:
    """Reduce a name to its words: `getWeather`, `get-weather` and `Get.Weather` become `get_weather`.

    Words are kept apart, so that `re_sign` never becomes `resign`.
    """
    return _SEPARATORS.sub("_", _HUMP.sub("_", name.strip())).casefold()


def fold_key(name: str) -> str:
    """Reduce a field name to its letters and digits: `calendarId` and `calendar_id` become `calendarid`."""
    return _SEPARATORS.sub("", name).casefold()


def fold_value(text: str) -> str:
    """Reduce an allowed value: case, outer white space and the separator between words don't count.

    A sign in front or behind stays, because `A-` is not `A` and `-1` is not `1`.
    """
    return _WORD_SEPARATORS.sub("_", text.strip()).casefold()


def nearest(written: str, names: Iterable[str], *, most: int = 3, floor: float = NEAR) -> tuple[str, ...]:
    """Return the names that look most like the written one, nearest first.

    Args:
        written: What was written.
        names: What could have been meant.
        most: How many to return at most.
        floor: Likeness from 0 to 100 below which a name is left out.

    """
    return tuple(name for name, _ in likeness(written, names, most=most, floor=floor))


def likeness(
    written: str, names: Iterable[str], *, most: int = 3, floor: float = NEAR
) -> tuple[tuple[str, float], ...]:
    """Return the nearest names with their likeness from 0 to 100, nearest first and equal ones by name."""
    return _compare(written, prepared(names), most, floor)


def prepared(names: Iterable[str]) -> dict[str, str]:
    """Fold names once for many comparisons: name → its words, in the order of the alphabet."""
    return {name: fold_words(name) for name in sorted(names)}


def nearest_of(written: str, folded: Mapping[str, str], *, most: int, floor: float) -> tuple[str, ...]:
    """Return the names that look most like the written one, out of prepared ones."""
    return tuple(name for name, _ in _compare(written, folded, most, floor))


def _compare(written: str, folded: Mapping[str, str], most: int, floor: float) -> tuple[tuple[str, float], ...]:
    words = fold_words(written[:_LONGEST_COMPARED])
    found = process.extract(words, folded, scorer=fuzz.ratio, limit=most, score_cutoff=floor)
    return tuple((name, score) for _, score, name in found)

"""Numbers of texts, and whether one follows from others: rounded, in another unit, or by simple arithmetic."""

from __future__ import annotations

import json
import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

from reinforced_agent.policies.grounding.folding import fold
from reinforced_agent.policies.grounding.numerals import numbers_in


_NUMBER: Final = re.compile(
    r"(?<![\w.,#/-])[-\u2212]?[$€£¥]?(\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?)(?![\w/-]|[.,]\d)(?:\s?([kKmM万亿]|million|billion|thousand)(?!\w))?"
)
_IN_RESULT: Final = re.compile(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?")
_TIMES: Final = {"k": 1e3, "thousand": 1e3, "m": 1e6, "million": 1e6, "billion": 1e9, "万": 1e4, "亿": 1e8}
_YEARS: Final = range(1900, 2101)
_SMALL: Final = 100
_MOST_KNOWN: Final = 3_000
_MOST_FREE: Final = 24
"""Numbers up to which any two may be computed with."""
_MOST_FOR_THREE: Final = 120
_MOST_SUMS: Final = 20_000
_MOST_SUMMANDS: Final = 24
_MOST_TEXT: Final = 300_000
_MOST_ITEMS: Final = 2_000
_LONGEST: Final = 15
_FACTORS: Final = (
    *(10.0**power for power in (1, 2, 3, 6, 9)),
    *(7, 12, 24, 30, 52, 60, 365, 1_440, 3_600, 86_400, 1_024, 1_048_576),
)
_PERCENT: Final = re.compile(
    r"(?:discount|tax|rate|vat|percent\w*|pct|off|fee|折扣|税)\D{0,5}(\d{1,3}(?:\.\d{1,4})?)(?!\d)"
    r"|(?<![\d.])(\d{1,3}(?:\.\d{1,4})?)\s?(?:%|percent|per cent)",
    re.IGNORECASE,
)
_UNITS: Final = (1.609344, 2.20462, 0.3048, 0.9144, 2.54, 28.3495, 3.78541, 0.514444, 3.6, 4.184)
"""Between metric and other units, and between units of speed and energy."""
_UNIT: Final = re.compile(
    r"(?<![a-z])(?:km|kilomet\w+|miles?|mi|mph|kn|knots?|kph|met(?:er|re)s?|m|cm|mm|in|inch(?:es)?|ft|feet|foot|yards?|yd"
    r"|kg|kilos?|kilograms?|grams?|g|lbs?|pounds?|oz|ounces?|lit(?:er|re)s?|l|gal(?:lons?)?|k?cal\w*|k?j|joules?|degrees?"
    r"|fahrenheit|celsius)(?![a-z])|°|公里|英里|千米|厘米|公斤|磅|升|加仑|英尺|英寸|卡|焦|度",
    re.IGNORECASE,
)
_COUNTS: Final = tuple(range(1, 13))


@dataclass(frozen=True, slots=True)
class Number:
    """One number as it stands in a text."""

    written: str
    digits: str
    """Its digits, without separators of thousands."""
    value: float
    precision: float
    """Half of its last digit."""

    @property
    def is_telling(self) -> bool:
        """Tell whether it is more than a small count, a rank or a year."""
        if "." in self.digits:
            return len(self.digits.strip("0.").replace(".", "")) > 1
        return self.value >= _SMALL and self.value not in _YEARS


def numbers_of(text: str) -> Iterator[Number]:
    """Read the numbers of a text."""
    for found in _NUMBER.finditer(text):
        digits = found[1].replace(",", "")
        if len(digits) > _LONGEST:
            continue
        times = _TIMES[found[2].lower()] if found[2] else 1.0
        fraction = len(digits.partition(".")[2])
        zeros = 0 if fraction else len(digits) - len(digits.rstrip("0"))
        precision = 0.5 * 10.0 ** (min(zeros, len(digits) - 2) if zeros > 0 else -fraction) * times
        yield Number(found[0].strip(), digits, float(digits) * times, max(precision, 1e-9))


class Known:
    """The numbers that were given."""

    def __init__(self, said: Sequence[str], results: Sequence[str]) -> None:
        """Take what people and the house said, and what tools brought; they are read when somebody asks."""
        self._said_texts, self._results = said, results

    @cached_property
    def _said(self) -> set[float]:
        return {number for text in self._said_texts for number in _in_text(text)}

    @cached_property
    def _given(self) -> set[float]:
        """Every number, with sums, means and counts of the lists in results."""
        found = {number for text in self._results for number in _in_text(text)}
        return found.union(self._said, *(_aggregates(_decoded(text)) for text in self._results))

    @cached_property
    def _values(self) -> list[float]:
        return sorted({*self._given, *map(float, _COUNTS)})

    @cached_property
    def _percents(self) -> frozenset[float]:
        """Numbers that are said to be a percentage."""
        texts = (*self._said_texts, *self._results)
        found = (match for text in texts for match in _PERCENT.finditer(text[:_MOST_TEXT]))
        return frozenset(float(match[1] or match[2]) for match in found) - {0.0, 100.0}

    def has(self, value: float, within: float = 0.01) -> bool:
        """Tell whether a number, or one close to it, was given."""
        return _holds(self._values, value, within)

    def strangers(self, numbers: Sequence[Number], shown: Sequence[Number], answer: str) -> list[Number]:
        """Return the numbers that neither were given nor follow; each that follows helps the next ones."""
        left = [number for number in numbers if not self.has(number.value, number.precision)]
        if not left:
            return []
        units = _UNIT.search(answer) is not None
        basis = self._basis(shown)
        left = [one for one in left if not basis.leads_to(one, units=units) and not self._is_apart(one, basis)]
        named = [number for number in shown if number not in left]
        values = [number.value for number in named]
        return [one for one in left if not _is_sum(one, named) and not _from_two(values, one)]

    def _is_apart(self, number: Number, basis: _Basis) -> bool:
        """Tell whether an amount with cents lies between a number of the basis and any other, as prices do."""
        value, within = abs(number.value), number.precision
        return "." in number.digits and any(
            self.has(one + value, within) or self.has(one - value, within) for one in basis.given
        )

    def _basis(self, shown: Sequence[Number]) -> _Basis:
        """Return what may be computed with: of many numbers only those that were said, or stand in the answer.

        Two of a hundred numbers make almost any third one.
        """
        if len(self._given) <= _MOST_FREE:
            return _Basis(self._given, self._percents)
        near = {number.value for number in shown if self.has(number.value, number.precision)}
        return _Basis(near | self._said, self._percents)


class _Basis:
    """Numbers that others may follow from."""

    def __init__(self, given: set[float], percents: frozenset[float]) -> None:
        self.given, self._percents = given, percents
        self._values = sorted({*given, *map(float, _COUNTS)})[:_MOST_KNOWN]

    def _has(self, value: float, within: float = 0.01) -> bool:
        return _holds(self._values, value, within)

    def leads_to(self, number: Number, *, units: bool) -> bool:
        """Tell whether a number is the sum, difference, product, quotient or share of two, or in another unit."""
        value, within = number.value, number.precision
        if any(
            self._has(value * by, within * by) or self._has(value / by, within / by)
            for by in (_FACTORS + _UNITS if units else _FACTORS)
        ):
            return True
        if units and (self._has((value - 32) / 1.8, within) or self._has(value * 1.8 + 32, within * 2)):
            return True
        return any(self._from(one, value, within) for one in self._values) or self._from_three(value, within)

    def _from(self, one: float, value: float, within: float) -> bool:
        # A count that nobody gave may multiply; added, it would explain too much.
        if one in self.given and any(self._has(other, within) for other in (value - one, value + one, one - value)):
            return True
        if one <= 0:
            return False
        if one in self._percents and any(
            self._has(value / by, within / by) for by in (one / 100, 1 - one / 100, 1 + one / 100)
        ):
            return True
        share = value * one / 100
        close = within * one
        return (
            self._has(value / one, max(within / one, 1e-9))
            or self._has(value * one, close)
            or self._has(share, close / 100)
            or self._has(one + share, close / 100)
            or self._has(one - share, close / 100)
        )

    def _from_three(self, value: float, within: float) -> bool:
        some = self.given if len(self.given) <= _MOST_FOR_THREE else ()
        return any(self._has(value - one - other, within) for one in some for other in some)


def _holds(values: Sequence[float], value: float, within: float) -> bool:
    """Tell whether a sorted list has a number, or one close to it."""
    at = bisect_left(values, value - within)
    return at < len(values) and values[at] <= value + within


def _in_text(text: str) -> Iterator[float]:
    """Read the numbers of a text, in digits, and in words where it is no data."""
    part = text[:_MOST_TEXT]
    yield from (float(one.replace(",", "")) for one in _IN_RESULT.findall(part) if len(one) <= _LONGEST)
    if not part.lstrip().startswith(("{", "[")):
        yield from map(float, numbers_in(fold(part[:20_000])))


def _decoded(text: str) -> Any:
    """Read a result as JSON, as far as it is not too long."""
    if len(text) > _MOST_TEXT or not text.lstrip().startswith(("{", "[")):
        return None
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _aggregates(data: Any) -> Iterator[float]:
    """Sum, average and count the lists in a result, by column."""
    todo, seen = [data], 0
    while todo and seen < _MOST_ITEMS:
        value, seen = todo.pop(), seen + 1
        inner = list(value.values()) if isinstance(value, dict) else value if isinstance(value, list) else []
        todo += inner[:_MOST_ITEMS]
        columns = _columns(inner) if inner else []
        for column in columns:
            yield from (sum(column), sum(column) / len(column))
        yield float(len(inner))


def _columns(items: list[Any]) -> list[list[float]]:
    """Collect the numbers of a list, or those of its objects by key."""
    columns: dict[str, list[float]] = {}
    for item in items[:_MOST_ITEMS]:
        for key, value in item.items() if isinstance(item, dict) else [("", item)]:
            if isinstance(value, int | float) and not isinstance(value, bool):
                columns.setdefault(str(key), []).append(float(value))
    return [column for column in columns.values() if column]


def _sums(values: Sequence[float]) -> list[float]:
    """Add up any of a few numbers."""
    sums = {0.0}
    for value in values[:_MOST_SUMMANDS]:
        if len(sums) > _MOST_SUMS:
            break
        sums |= {round(one + value, 6) for one in sums}
    return sorted(sums)


def _is_sum(number: Number, named: Sequence[Number]) -> bool:
    """Tell whether a number is the sum of some that stand beside it; one with cents of such as have them."""
    exact = "." in number.digits
    parts = [one.value for one in named if one.value <= number.value and ("." in one.digits or not exact)]
    sums = _sums(parts)
    at = bisect_left(sums, number.value - number.precision)
    return at < len(sums) and sums[at] <= number.value + number.precision


def _from_two(values: Sequence[float], number: Number) -> bool:
    """Tell whether a number follows from two that stand beside it."""
    some = sorted({*values, *map(float, _COUNTS)})[:200]
    results = (result for one in some for other in some for result in (one * other, one - other))
    return any(abs(result - number.value) <= number.precision for result in results)

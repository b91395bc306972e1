"""Compute the days that follow from a day and a period: three nights from 5 December, a month after an invoice."""

from __future__ import annotations

import calendar
import re
from collections.abc import Iterable, Iterator
from datetime import date, timedelta
from typing import Final, NamedTuple

from reinforced_agent.policies.grounding.dates import WRITTEN, Day
from reinforced_agent.policies.grounding.numerals import numbers_in


class Period(NamedTuple):
    """A span of time, in one of two units."""

    days: int
    """Days, nights, and weeks of seven days."""
    months: int
    """Months, and years of twelve months."""


_UNITS: Final = {
    **dict.fromkeys(("day", "night", "天", "日", "晚", "夜"), Period(1, 0)),
    **dict.fromkeys(("week", "周", "星期", "礼拜"), Period(7, 0)),
    "fortnight": Period(14, 0),
    **dict.fromkeys(("month", "月"), Period(0, 1)),
    "quarter": Period(0, 3),
    **dict.fromkeys(("year", "年"), Period(0, 12)),
}
_PERIOD: Final = re.compile(
    r"\b([0-9]{1,4}|[a-z]+(?:[ -][a-z]+)?)[ -](?:(?:calendar|more|full) )?"
    r"(day|night|week|fortnight|month|quarter|year)s?\b"
    r"|([0-9]{1,4}|[零一二三四五六七八九十百两半]{1,5})个?(?:半)?(天|日(?!期)|晚|夜|周(?![一二三四五六日天])|星期|礼拜|月(?![0-9])|年(?![0-9]))"
)
_HALF_YEAR: Final = re.compile(r"\bhalf a year\b|半年")
_ONE: Final = re.compile(r"\b(?:a|an|one|per)$")
_MOST: Final = 12
"""Periods and days of a conversation that are put together; from more of them, most days of a year would follow."""
_LONGEST: Final = 1_200


def periods_in(text: str) -> frozenset[Period]:
    """Return the periods that a folded text names, in figures or words."""
    return frozenset(_periods(WRITTEN.sub(" ", text)))


def _periods(text: str) -> Iterator[Period]:
    if _HALF_YEAR.search(text):
        yield Period(0, 6)
    for match in _PERIOD.finditer(text):
        written, unit = (match[1], match[2]) if match[1] else (match[3], match[4])
        numbers = (
            {1} if _ONE.search(written) else {int(one) for one in numbers_in(written) if one == one.to_integral_value()}
        )
        step = _UNITS[unit]
        yield from (Period(step.days * n, step.months * n) for n in numbers if 0 < n <= _LONGEST)


def follows(value: frozenset[Day], said: Iterable[Day], periods: Iterable[Period]) -> bool:
    """Tell whether a day lies a period, or a stay of it, before or after a day that was said."""
    days, spans = [day for day in said if day.day is not None], list(periods)
    if not spans or not days or len(days) > _MOST or len(spans) > _MOST:
        return False
    reached = {day for one in days for base in _dates(one, value) for span in spans for day in _reached(base, span)}
    return any(one.year is not None and Day(*one) in reached for one in value)


def _dates(day: Day, value: frozenset[Day]) -> Iterator[date]:
    """Complete a day without a year by the years around the value."""
    years = {day.year} if day.year else {one.year + step for one in value if one.year for step in (-1, 0, 1)}
    for year in years:
        try:
            yield date(year or 0, day.month or 0, day.day or 0)
        except ValueError:
            continue


def _reached(base: date, span: Period) -> Iterator[Day]:
    """Go forward and back; whoever counts months may mean the day before as the last one."""
    for sign in (1, -1):
        try:
            end = _shifted(base, sign * span.months) + timedelta(days=sign * span.days)
            yield Day(end.year, end.month, end.day)
            if span.months:
                last = end - timedelta(days=1)
                yield Day(last.year, last.month, last.day)
        except (ValueError, OverflowError):
            continue


def _shifted(base: date, months: int) -> date:
    """Go forward by months, to the last day of a shorter one."""
    year, month = divmod(base.year * 12 + base.month - 1 + months, 12)
    return date(year, month + 1, min(base.day, calendar.monthrange(year, month + 1)[1]))

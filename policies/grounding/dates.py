"""Read the dates in a text, in all readings where the order is ambiguous, and compare them with a value."""

from __future__ import annotations

import calendar
import re
from collections.abc import Iterator
from typing import Final, NamedTuple


class Day(NamedTuple):
    """A date as far as it was said."""

    year: int | None
    month: int | None
    day: int | None

    def fits(self, other: Day) -> bool:
        """Tell whether two dates say nothing different."""
        return all(None in pair or pair[0] == pair[1] for pair in zip(self, other, strict=True))


_MONTHS: Final = {
    **{name.lower(): number for number, name in enumerate(calendar.month_name) if name},
    **{name.lower(): number for number, name in enumerate(calendar.month_abbr) if name},
    "sept": 9,
}
_NAME: Final = rf"({'|'.join(sorted(_MONTHS, key=len, reverse=True))})\b\.?"
_YEAR: Final = r"(?:[ ,]*((?:1[0-9]|20|21)[0-9]{2})(?![0-9]))?"
_ISO: Final = re.compile(r"(?<![0-9])([0-9]{4})[-/.]([0-9]{1,2})[-/.]([0-9]{1,2})(?![0-9])")
_COMPACT: Final = re.compile(r"(?<![0-9])((?:19|20)[0-9]{2})([0-9]{2})([0-9]{2})(?![0-9])")
_THREE: Final = re.compile(r"(?<![0-9])([0-9]{1,2})[-/.]([0-9]{1,2})[-/.]([0-9]{4}|[0-9]{2})(?![0-9])")
_TWO: Final = re.compile(r"(?<![0-9/.-])([0-9]{1,2})[/.-]([0-9]{1,2})(?![0-9/-])")
_DAY_FIRST: Final = re.compile(rf"(?<![0-9])([0-9]{{1,2}})(?:st|nd|rd|th)?[ -]?(?:of )?(?:the )?{_NAME}{_YEAR}")
_MONTH_FIRST: Final = re.compile(rf"\b{_NAME} ?(?:the )?([0-9]{{1,2}})(?:st|nd|rd|th)?(?![0-9]){_YEAR}")
_MONTH_ONLY: Final = re.compile(rf"\b{_NAME}[ ,]*(?:of )?((?:1[0-9]|20|21)[0-9]{{2}})?(?![0-9])")
_HAN: Final = re.compile(r"(?:([0-9]{4})年)?([0-9]{1,2})月(?:([0-9]{1,2})[日号號])?")
_YEAR_MONTH: Final = re.compile(r"(?<![0-9])((?:19|20)[0-9]{2})[-/]([0-9]{1,2})(?![0-9/-])")
_OPEN: Final = re.compile(
    r"\b(?:today|tonight|tomorrow|yesterday|now|next|this|coming|last|previous|past|in \w+ (?:days?|weeks?|months?)|"
    r"ago|later|day after|weekend|(?:mon|tues|wednes|thurs|fri|satur|sun)days?|christmas|easter|new year|asap|"
    r"birthday|anniversary|holidays?|valentine|halloween|thanksgiving|(?:[0-9]{1,2})(?:st|nd|rd|th))\b|"
    r"今|明|昨|后天|後天|前天|下周|下个|下個|上周|本周|周[一二三四五六日天末]|星期|礼拜|现在|立即|马上|节|天后|日后"
)
"""Words that name a day which only a calendar knows."""
_CLOCK: Final = re.compile(r"t(?=[0-9]{2}:)| (?=[0-9]{1,2}:)")
_LAST_DAY: Final = 28
WRITTEN: Final = re.compile(
    "|".join(pattern.pattern for pattern in (_ISO, _THREE, _DAY_FIRST, _MONTH_FIRST, _MONTH_ONLY, _HAN))
    + r"|(?<![0-9])[0-9]{1,2}:[0-9]{2}(?::[0-9]{2})?(?![0-9])(?: ?[ap]\.?m\b)?|(?<![0-9])[0-9]{1,2} ?[ap]\.?m\b"
)
"""Where a day or a time of day stands in a text."""


def dates_in(text: str) -> frozenset[Day]:
    """Return every date that a folded text may name."""
    return frozenset(day for day in _dates(text) if 1 <= (day.month or 1) <= 12 and 1 <= (day.day or 1) <= 31)  # noqa: PLR2004


def _dates(text: str) -> Iterator[Day]:
    for pattern in (_ISO, _COMPACT):
        yield from (Day(int(m[1]), int(m[2]), int(m[3])) for m in pattern.finditer(text))
    for match in _THREE.finditer(text):
        for year in _years(match[3]):
            yield Day(year, int(match[1]), int(match[2]))
            yield Day(year, int(match[2]), int(match[1]))
    for match in _TWO.finditer(text):
        yield Day(None, int(match[1]), int(match[2]))
        yield Day(None, int(match[2]), int(match[1]))
    yield from (Day(_number(m[3]), _MONTHS[m[2]], int(m[1])) for m in _DAY_FIRST.finditer(text))
    yield from (Day(_number(m[3]), _MONTHS[m[1]], int(m[2])) for m in _MONTH_FIRST.finditer(text))
    yield from (Day(_number(m[2]), _MONTHS[m[1]], None) for m in _MONTH_ONLY.finditer(text) if m[2])
    yield from (Day(int(m[1]), int(m[2]), None) for m in _YEAR_MONTH.finditer(text))
    yield from (Day(_number(m[1]), int(m[2]), _number(m[3])) for m in _HAN.finditer(text))


def _years(written: str) -> tuple[int, ...]:
    year = int(written)
    return (year,) if len(written) == 4 else (2000 + year, 1900 + year)  # noqa: PLR2004 - two or four digits


def _number(written: str | None) -> int | None:
    return int(written) if written else None


def leaves_open(text: str) -> bool:
    """Tell whether a folded text names days by words such as "tomorrow" that a date can't be compared with."""
    for pattern in (_DAY_FIRST, _MONTH_FIRST, _HAN):
        text = pattern.sub(" ", text)
    return _OPEN.search(text) is not None


def dates_of_value(value: str) -> tuple[frozenset[Day], ...]:
    """Read the dates of a folded value, each in all its readings: a date with or without a time, or a span.

    Empty where the value is something else.
    """
    head = _CLOCK.split(value, maxsplit=1)[0].strip()
    if any(pattern.fullmatch(head) for pattern in (_ISO, _THREE, _DAY_FIRST, _MONTH_FIRST, _HAN)):
        readings = frozenset(day for day in dates_in(head) if day.day is not None)
        return (readings,) if readings else ()
    return tuple(dates for match in _ISO.finditer(value) if (dates := dates_in(match[0])))


def is_named(value: frozenset[Day], said: frozenset[Day]) -> bool:
    """Tell whether a reading of a value fits a date that was said; a month alone fits its first and last days."""
    return any(_covers(spoken, day) for spoken in said for day in value)


def _covers(spoken: Day, day: Day) -> bool:
    if spoken.day is None:
        return spoken.fits(day) and day.day is not None and (day.day == 1 or day.day >= _LAST_DAY)
    return spoken.fits(day)

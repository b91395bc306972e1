"""Find numbers, times and ids in an answer that nobody gave and that don't follow from what was given."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cached_property
from typing import Final

from reinforced_agent.policies.answers.numbers import Known, Number, numbers_of
from reinforced_agent.policies.answers.objections import Evidence


_CODE: Final = re.compile(r"```.*?```|`[^`\n]*`|https?://\S+", re.DOTALL)
_TIME: Final = re.compile(
    r"(?<![\d:.])([01]?\d|2[0-4]):([0-5]\d)(?::[0-5]\d)?(?!\d)(?:\s?([ap])\.?m\b)?", re.IGNORECASE
)
_ID: Final = re.compile(
    r"(?<![\w@.])#?(?=[\w-]*\d[\w-]*\d[\w-]*\d)(?=\w*[A-Za-z])[A-Za-z0-9]+(?:[_-][A-Za-z0-9]+)*(?![\w@])"
)
_CODE_NAMED: Final = re.compile(
    r"\b(?:confirmation|booking|reservation|reference|record locator|PNR|code|number|ticket|order|tracking"
    r"|预订号|确认号|编号|单号)"
    r"(?:\s(?:code|number|id|no\.?))?(?:\sis|:|：|\s#|为|是)?\s?[\"'*`]{0,3}((?=[A-Z0-9]*\d)(?=[A-Z0-9]*[A-Z])[A-Z0-9]{5,10})\b",
    re.IGNORECASE,
)
_DATE: Final = re.compile(
    r"\d{4}[-/.]\d{1,2}[-/.]\d{1,2}(?:T[\d:.]+Z?)?|\d{1,2}[-/.]\d{1,2}[-/.]\d{2,4}|\d+(?:st|nd|rd|th)\b"
)
_QUANTITY: Final = re.compile(r"\d+(?:\.\d+)?(?:[a-z]{1,4}|[A-Z]{1,2})")
_APART: Final = re.compile(r"[\s_#*,-]")
_EXAMPLE: Final = re.compile(r"(?:e\.g\.|for example|such as|looks? like|format|例如|比如|形如)\W*$", re.IGNORECASE)
_SHORTEST: Final = 6
_WORDY: Final = 3
"""Underscores in a name that is no id."""
_MINUTES: Final = 60
_MOST: Final = 12
"""Values that are named."""
_HALF_DAY: Final = 12


def unconfirmed(answer: str, evidence: Evidence) -> tuple[str, ...]:
    """List the values, as they stand in the answer."""
    text = _DATE.sub(" ", _CODE.sub(" ", answer))
    whole = _Whole(evidence)
    found = [*_times(text, whole), *_ids(text, whole), *_numbers(_ID.sub(" ", _TIME.sub(" ", text)), whole)]
    return tuple(dict.fromkeys(found))[:_MOST]


class _Whole:
    """Everything that was given, read as far as somebody asks."""

    def __init__(self, evidence: Evidence) -> None:
        self._evidence = evidence
        self._compact: str | None = None
        self._known: Known | None = None
        self._minutes: frozenset[int] | None = None

    @cached_property
    def _texts(self) -> tuple[str, ...]:
        """All texts."""
        return (*self._evidence.given, *self._evidence.results)

    def holds(self, words: str) -> bool:
        """Tell whether words stand in a text as they are."""
        return any(words in text for text in self._texts)

    @property
    def compact(self) -> str:
        """All texts without separators, in lower case."""
        if self._compact is None:
            self._compact = "\n".join(_APART.sub("", text).lower() for text in self._texts)
        return self._compact

    @property
    def known(self) -> Known:
        """All numbers."""
        if self._known is None:
            self._known = Known(self._evidence.given, self._evidence.results)
        return self._known

    @property
    def minutes(self) -> frozenset[int]:
        """All times of day, in minutes."""
        if self._minutes is None:
            self._minutes = frozenset(minute for text in self._texts for minute in _minutes_in(text))
        return self._minutes


def _minutes_in(text: str) -> Iterator[int]:
    """Read times of day; one without am and pm counts as both."""
    for found in _TIME.finditer(text):
        hour, minute = int(found[1]), int(found[2])
        yield hour * _MINUTES + minute
        if found[3] or hour <= _HALF_DAY:
            yield (hour % _HALF_DAY) * _MINUTES + minute
            yield (hour % _HALF_DAY + _HALF_DAY) * _MINUTES + minute
    # "5 pm", "at 17", "from 8": hours alone.
    for hour in re.findall(r"(?<![\d:.])(\d{1,2})(?=\s?(?:[ap]\.?m\b|点|點|時|时|o'clock|h\b))", text, re.IGNORECASE):
        yield from ((int(hour) % _HALF_DAY) * _MINUTES, (int(hour) % _HALF_DAY + _HALF_DAY) * _MINUTES)
    for hour, minute in re.findall(r"(\d{1,2})[点點時时](\d{1,2})分?", text):
        yield from (int(hour) * _MINUTES + int(minute), (int(hour) + _HALF_DAY) * _MINUTES + int(minute))


def _times(text: str, whole: _Whole) -> Iterator[str]:
    """List times of day that were not given, and don't lie a known span from one that was."""
    for found in _TIME.finditer(text):
        minutes = set(_minutes_in(found[0]))
        if not minutes & whole.minutes and not _is_shifted(minutes, whole):
            yield found[0].strip()


def _is_shifted(minutes: set[int], whole: _Whole) -> bool:
    """Tell whether a time, or a span written like one, follows from times and spans that were given."""
    day = 24 * _MINUTES
    spans = {abs(one - other) % day for one in whole.minutes for other in minutes}
    if any(span % _MINUTES == 0 or whole.known.has(span) or whole.known.has(span / _MINUTES) for span in spans):
        return True
    return any((one - other) % day in minutes for one in whole.minutes for other in whole.minutes)


def _ids(text: str, whole: _Whole) -> Iterator[str]:
    """List ids that were not given."""
    named = [found[1] for found in _CODE_NAMED.finditer(text) if found[1].isupper()]
    for one in dict.fromkeys([*(found[0] for found in _ID.finditer(text)), *named]):
        written = _APART.sub("", one).lower()
        if one.count("_") >= _WORDY or _is_example(text, one):
            continue
        if len(written) < _SHORTEST or _QUANTITY.fullmatch(one) or whole.holds(one):
            continue
        if written not in whole.compact:
            yield one


def _is_example(text: str, written: str) -> bool:
    """Tell whether an id only shows what ids look like."""
    digits = re.sub(r"\D", "", written)
    return (len(digits) > _WORDY and len(set(digits)) == 1) or _EXAMPLE.search(
        text[: text.find(written)][-30:]
    ) is not None


def _numbers(text: str, whole: _Whole) -> Iterator[str]:
    """List numbers that were not given and can't be computed from those that were."""
    numbers = [number for number in numbers_of(text) if number.is_telling]
    if not numbers or all(whole.holds(number.digits) for number in numbers):
        return
    yield from (number.written for number in whole.known.strangers(numbers, _all(text), text))


def _all(text: str) -> list[Number]:
    return list(numbers_of(text))

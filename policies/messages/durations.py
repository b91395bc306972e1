"""How long something takes, as people write it, in English and Chinese."""

from __future__ import annotations

import math
from typing import Final

from reinforced_agent.policies.messages.catalogue import in_language


_MINUTE, _HOUR, _DAY = 60, 3_600, 86_400
_UNITS: Final = (
    (_DAY, "day", "天"),
    (_HOUR, "hour", "小时"),
    (_MINUTE, "minute", "分钟"),
    (1, "second", "秒"),
)
"""Size in seconds, English and Chinese name, from the longest."""
_SHORTEST: Final = 0.001
"""Seconds; what is shorter is written as this."""
_ROUGH: Final = 10
"""Seconds from which no fractions are written."""
_IN_SECONDS: Final = 2 * _MINUTE
"""Seconds from which longer units are used."""


def duration(seconds: float, locale: str = "en") -> str:
    """Write a time in at most two units, such as "0.05 seconds", "90 seconds" or "2 hours 5 minutes".

    Args:
        seconds: The time; what is below zero counts as nothing.
        locale: Language of the reader; unknown languages get English.

    """
    if not math.isfinite(seconds):
        return in_language(locale, "any time", "不限时间")
    seconds = max(seconds, 0.0)
    if seconds < _ROUGH:
        return _written(_short(seconds), _UNITS[-1], locale)
    whole = round(seconds)
    if whole < _IN_SECONDS:
        return _written(str(whole), _UNITS[-1], locale)
    return _in_two_units(whole, locale)


def _short(seconds: float) -> str:
    """Write a few seconds with what can be read of their fraction."""
    if seconds >= 1:
        return f"{seconds:.1f}".removesuffix(".0")
    return f"{max(seconds, _SHORTEST):.2g}" if seconds else "0"


def _in_two_units(seconds: int, locale: str) -> str:
    """Write a longer time in its longest unit and the next one; nothing of a unit is left out."""
    at = next(number for number, (size, *_) in enumerate(_UNITS) if seconds >= size)
    least = _UNITS[min(at + 1, len(_UNITS) - 1)][0]
    # Rounded to the smaller of the two units; that may make one more of the longer.
    left = round(seconds / least) * least
    parts: list[str] = []
    for unit in _UNITS:
        count, left = divmod(left, unit[0])
        parts += [_written(str(count), unit, locale)] if count else []
    return " ".join(parts)


def _written(count: str, unit: tuple[int, str, str], locale: str) -> str:
    """Write a number with its unit."""
    english = unit[1] if count == "1" else f"{unit[1]}s"
    return f"{count} {in_language(locale, english, unit[2])}"

"""Write numbers and names for people; names come from strangers, and are shown without anything that could mislead."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import Final

from reinforced_agent.evaluation.metrics.shares import Number
from reinforced_agent.policies.redaction import masked
from reinforced_agent.policies.text.visible import visible


NOTHING: Final = "–"
"""In place of a number that there is none of."""
_LONGEST: Final = 60
"""Characters of a name that are shown."""


def shown(text: object, longest: int = _LONGEST) -> str:
    """Write a name: secrets masked, characters that can't be seen as their code, cut where it is long."""
    plain = str(masked(str(text)))
    cut = plain if len(plain) <= longest else f"{plain[: longest - 1]}…"
    return visible(cut).replace("\n", "<U+000A>")


def percent(value: float | None, *, sign: bool = False) -> str:
    """Write a share."""
    if value is None:
        return NOTHING
    return f"{100 * value:+.1f} %" if sign else f"{100 * value:.1f} %"


def interval(number: Number, *, sign: bool = False) -> str:
    """Write the interval of a share; empty where there is none."""
    if number.low is None or number.high is None:
        return ""
    form = "+.1f" if sign else ".1f"
    return f"{format(100 * number.low, form)} to {format(100 * number.high, form)} %"


def with_interval(number: Number, *, sign: bool = False) -> str:
    """Write a share with its interval and what it was counted from, or why there is none."""
    if number.value is None:
        return f"{NOTHING} ({number.reason})"
    ends = interval(number, sign=sign)
    return f"{percent(number.value, sign=sign)} ({f'{ends}, ' if ends else ''}n {number.n})"


def probability(number: Number) -> str:
    """Write a p-value."""
    if number.value is None:
        return NOTHING
    return "< 0.0001" if number.value < 0.0001 else f"{number.value:.4f}"  # noqa: PLR2004  # four decimals are shown


def microseconds(value: float) -> str:
    """Write a time given in microseconds, in the unit that fits."""
    for limit, factor, unit in ((1e3, 1.0, "µs"), (1e6, 1e-3, "ms")):
        if value < limit:
            return f"{value * factor:.3g} {unit}"
    return f"{value * 1e-6:,.3g} s" if value < 1e9 else f"{value * 1e-6:,.0f} s"  # noqa: PLR2004  # 1,000 seconds


def seconds(value: float | None) -> str:
    """Write a time given in seconds."""
    return NOTHING if value is None else microseconds(value * 1e6)


def count(value: float | None) -> str:
    """Write a whole number."""
    return NOTHING if value is None else f"{value:,.0f}"


def plural(n: int, one: str, many: str = "") -> str:
    """Write a number of things."""
    return f"{n:,} {one if n == 1 else many or one + 's'}"


def listed(items: Iterable[str]) -> str:
    """Write things one after the other."""
    return ", ".join(items) or NOTHING


def when(first: str, last: str) -> str:
    """Write a span of time, to the minute."""
    begin, end = _minute(first), _minute(last)
    return begin if begin == end else f"{begin} to {end}"


def _minute(text: str) -> str:
    """Write a time given as ISO 8601; what is none is shown as it stands."""
    try:
        return f"{datetime.fromisoformat(text):%Y-%m-%d %H:%M %Z}".strip()
    except ValueError:
        return shown(text)

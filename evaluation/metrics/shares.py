"""A number with what it was counted from, or the reason why there is none; shares with their Wilson interval."""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt
from statistics import NormalDist
from typing import Any, Final


CONFIDENCE: Final = 0.95
"""Share of intervals that hold the true value, unless another one is asked for."""
DIGITS: Final = 6
"""Decimals that are kept when a number is written down."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Number:
    """A measured number; where it can't be measured, `value` is `None` and `reason` says why."""

    value: float | None
    n: int
    """Cases it was measured on."""
    low: float | None = None
    """Lower end of the interval; `None` where there is none."""
    high: float | None = None
    """Upper end of the interval."""
    reason: str = ""
    """Why there is no value, or no interval; empty where both are there."""

    def as_json(self) -> dict[str, Any]:
        """Return the number as plain data, without fields that say nothing."""
        ends = {} if self.low is None or self.high is None else {"low": _short(self.low), "high": _short(self.high)}
        value = None if self.value is None else _short(self.value)
        return {"value": value, "n": self.n, **ends, **({"reason": self.reason} if self.reason else {})}


def share(part: int, total: int, *, confidence: float = CONFIDENCE, of: str = "cases") -> Number:
    """Return part / total with its Wilson interval.

    Meaning: how often something happened, and where its true rate lies. Formula: see `wilson`.

    Args:
        part: How many had it.
        total: How many could have had it.
        confidence: Share of such intervals that hold the true rate, between 0 and 1.
        of: What was counted, for the reason when there is none.

    Raises:
        ValueError: When `part` is negative or exceeds `total`.

    """
    if total == 0 and part == 0:
        return Number(value=None, n=0, reason=f"there are no {of}")
    low, high = wilson(part, total, confidence=confidence)
    return Number(value=part / total, n=total, low=low, high=high)


def wilson(part: int, total: int, *, confidence: float = CONFIDENCE) -> tuple[float, float]:
    """Return the Wilson score interval of a share.

    Meaning: the rates p for which `part` of `total` lies within z standard errors. Unlike the plain interval it stays
    inside 0 to 1 and says something when nothing, or everything, was hit.

    Formula: with p = part/total and z the normal quantile of (1 + confidence)/2,
    (p + z²/2n ± z·√(p(1-p)/n + z²/4n²)) / (1 + z²/n).

    Source: E. B. Wilson, "Probable inference, the law of succession, and statistical inference", Journal of the
    American Statistical Association 22 (1927).

    Raises:
        ValueError: When there are no cases, `part` lies outside them, or `confidence` is no share.

    """
    if not 0 <= part <= total or total == 0:
        msg = f"{part} of {total} is no share: the part lies between 0 and the total, and the total is above 0."
        raise ValueError(msg)
    if not 0 < confidence < 1:
        msg = f"A confidence of {confidence} is none: write a share between 0 and 1, such as 0.95."
        raise ValueError(msg)
    z = NormalDist().inv_cdf((1 + confidence) / 2)
    rate, weight = part / total, z * z / total
    middle = rate + weight / 2
    reach = z * sqrt(rate * (1 - rate) / total + weight / (4 * total))
    # The ends are exactly 0 and 1 there; rounding would leave something beside them.
    low = 0.0 if part == 0 else (middle - reach) / (1 + weight)
    high = 1.0 if part == total else (middle + reach) / (1 + weight)
    return low, high


def _short(value: float) -> float:
    return round(value, DIGITS)

"""How measured values are spread: the middle one, the one that 99 in 100 stay under, and their sum."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from math import ceil
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class Spread:
    """Values of one kind; the unit is that of the values."""

    n: int
    p50: float
    p99: float
    """With fewer than 100 values this is the greatest."""
    total: float

    def as_json(self) -> dict[str, Any]:
        """Return the spread as plain data."""
        return {
            "n": self.n,
            "p50": round(self.p50, 6),
            "p99": round(self.p99, 6),
            "total": round(self.total, 6),
        }


def spread(values: Iterable[float]) -> Spread | None:
    """Measure how values are spread; `None` where there are none.

    Formula: the q-th quantile is the smallest value that at least q·n of the values do not exceed (nearest rank).
    """
    ordered = sorted(values)
    if not ordered:
        return None
    return Spread(n=len(ordered), p50=_rank(ordered, 50), p99=_rank(ordered, 99), total=sum(ordered))


def _rank(ordered: list[float], percent: int) -> float:
    """Return the value of that rank; counted in whole numbers, since 0.99·100 is more than 99."""
    return ordered[max(ceil(percent * len(ordered) / 100), 1) - 1]

"""Whether a reviewer is worth its requests: what it mended and what it spoilt, and when to leave it off."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from math import ceil, sqrt
from statistics import NormalDist
from typing import Any, Final, Literal, TypeAlias

from reinforced_agent.evaluation.metrics.cases import ComparedCase
from reinforced_agent.evaluation.metrics.comparison import (
    TableOfFour,
    break_even,
    harmfulness,
    helpfulness,
    table_of_four,
)
from reinforced_agent.evaluation.metrics.shares import CONFIDENCE, Number, share


Ruling: TypeAlias = Literal["it pays", "leave it off", "not shown yet", "no cases"]

_PSEUDO: Final = 0.5
"""What the interval adds to each cell of the table."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Worth:
    """What a reviewer did to calls of which it is known whether they are right."""

    table: TableOfFour
    """Right or wrong without it, by right or wrong with it."""
    fixed: Number
    """Share of the wrong that it made right: f."""
    broke: Number
    """Share of the right that it made wrong: b."""
    errors: Number
    """Share that is wrong without it: e."""
    net: Number
    """What accuracy gains, e·f - (1-e)·b, with its interval."""
    break_even: Number
    """The error rate above which it does more good than harm."""
    ruling: Ruling
    needed: int | None = None
    """Cases after which a gain of this size would be shown; `None` where there is none, or it is shown already."""

    def as_json(self) -> dict[str, Any]:
        """Return everything as plain data."""
        return {
            "n": self.table.n,
            "table": self.table.as_json(),
            "fixed": self.fixed.as_json(),
            "broke": self.broke.as_json(),
            "errors": self.errors.as_json(),
            "net": self.net.as_json(),
            "break_even": self.break_even.as_json(),
            "ruling": self.ruling,
            "needed": self.needed,
        }

    @property
    def sentence(self) -> str:
        """Say what to do, and why."""
        table = self.table
        seen = f"mended {table.helped} of {table.base_wrong} wrong, spoilt {table.harmed} of {table.base_right} right"
        match self.ruling:
            case "no cases":
                return "Nothing is known of this reviewer: there are no cases."
            case "it pays":
                return f"It pays: {seen}."
            case "not shown yet":
                return f"Not shown to pay yet: {seen}; such a gain would show after about {self.needed} cases."
            case "leave it off":
                return f"Leave it off: {seen}{_threshold(self)}."


def _threshold(worth: Worth) -> str:
    """Say where the break-even lies, where there is one."""
    value, errors = worth.break_even.value, worth.errors.value
    if value is None or errors is None:
        return ""
    return f"; it would pay from an error rate of {value:.1%} on, and here it is {errors:.1%}"


def worth_of(cases: Iterable[ComparedCase], *, confidence: float = CONFIDENCE) -> Worth:
    """Weigh what a reviewer mended against what it spoilt.

    Meaning: with f the share of wrong calls it makes right, b the share of right calls it makes wrong, and e the error
    rate without it, it pays where e·f > (1-e)·b. `it pays` needs the whole interval of the difference above zero;
    `leave it off` is said as soon as there is no gain; in between it is `not shown yet`. Formula of the interval:
    see `paired_interval`. Source: "Reinforced Agent: inference-time feedback for tool-calling agents",
    arXiv 2604.27233, for helpfulness and harmfulness; arithmetic for the rest.
    """
    table = table_of_four(cases)
    net = paired_interval(table, confidence=confidence)
    return Worth(
        table=table,
        fixed=helpfulness(table),
        broke=harmfulness(table),
        errors=share(table.base_wrong, table.n, of="cases"),
        net=net,
        break_even=break_even(table),
        ruling=_ruling(net),
        needed=_needed(table, net, confidence),
    )


def _ruling(net: Number) -> Ruling:
    """Decide by the net gain and its interval."""
    if net.value is None or net.low is None:
        return "no cases"
    if net.value <= 0:
        return "leave it off"
    return "it pays" if net.low > 0 else "not shown yet"


def paired_interval(table: TableOfFour, *, confidence: float = CONFIDENCE) -> Number:
    """Return (helped - harmed) / n with its interval.

    Formula: the Wald interval of a difference of paired shares after 1/2 was added to each of the four cells. Source:
    A. Agresti and Y. Min, "Simple improved confidence intervals for comparing matched proportions", Statistics in
    Medicine 24 (2005).
    """
    if not table.n:
        return Number(value=None, n=0, reason="there are no cases")
    n, helped, harmed = table.n + 4 * _PSEUDO, table.helped + _PSEUDO, table.harmed + _PSEUDO
    middle = (helped - harmed) / n
    reach = _quantile(confidence) * sqrt((helped + harmed) / n - middle**2) / sqrt(n)
    low, high = max(middle - reach, -1.0), min(middle + reach, 1.0)
    return Number(value=(table.helped - table.harmed) / table.n, n=table.n, low=low, high=high)


def _needed(table: TableOfFour, net: Number, confidence: float) -> int | None:
    """Return after how many cases such a gain would be shown: where its interval just leaves zero out."""
    if net.value is None or net.low is None or net.value <= 0 or net.low > 0:
        return None
    spread = (table.helped + table.harmed) / table.n - net.value**2
    return max(ceil(_quantile(confidence) ** 2 * spread / net.value**2), table.n + 1)


def _quantile(confidence: float) -> float:
    """Return the normal quantile of a two-sided interval."""
    return NormalDist().inv_cdf((1 + confidence) / 2)

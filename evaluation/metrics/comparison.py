"""With and without the layers: the table of four, what they help, what they harm, and when they pay off."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from reinforced_agent.evaluation.metrics.cases import ComparedCase
from reinforced_agent.evaluation.metrics.shares import Number, share


@dataclass(frozen=True, slots=True, kw_only=True)
class TableOfFour:
    """How many cases are right or wrong without the layers, by right or wrong with them."""

    kept: int
    """Right without and with."""
    harmed: int
    """Right without, wrong with."""
    helped: int
    """Wrong without, right with."""
    unmended: int
    """Wrong without and with."""

    @property
    def n(self) -> int:
        """All cases."""
        return self.kept + self.harmed + self.helped + self.unmended

    @property
    def base_right(self) -> int:
        """Cases that are right without the layers."""
        return self.kept + self.harmed

    @property
    def base_wrong(self) -> int:
        """Cases that are wrong without the layers."""
        return self.helped + self.unmended

    def as_json(self) -> dict[str, Any]:
        """Return the four counts as plain data."""
        return {"kept": self.kept, "harmed": self.harmed, "helped": self.helped, "unmended": self.unmended}


def table_of_four(cases: Iterable[ComparedCase]) -> TableOfFour:
    """Count the cases into the table; every other number of this module is made from it.

    Meaning: a net lift alone hides how much was broken on the way to it. Formula: counts of (base right or wrong) ×
    (after right or wrong). Source: the fourfold table of paired samples, Q. McNemar, Psychometrika 12 (1947).
    """
    counts = Counter((case.base_right, case.after_right) for case in cases)
    return TableOfFour(
        kept=counts[True, True],
        harmed=counts[True, False],
        helped=counts[False, True],
        unmended=counts[False, False],
    )


def helpfulness(table: TableOfFour) -> Number:
    """Return the share of base errors that were fixed.

    Formula: helped / (helped + unmended). Source: "Reinforced Agent: inference-time feedback for tool-calling
    agents", arXiv 2604.27233, which measures reviewers by it.
    """
    return share(table.helped, table.base_wrong, of="base errors")


def harmfulness(table: TableOfFour) -> Number:
    """Return the share of right calls that were degraded.

    Formula: harmed / (kept + harmed). Source: as for `helpfulness`.
    """
    return share(table.harmed, table.base_right, of="right cases")


def net_lift(table: TableOfFour) -> Number:
    """Return how much accuracy the layers add; its interval comes from `significance.bootstrap`.

    Formula: (helped - harmed) / n, the accuracy with the layers less that without. Source: arithmetic.
    """
    if not table.n:
        return Number(value=None, n=0, reason="there are no cases")
    return Number(value=(table.helped - table.harmed) / table.n, n=table.n)


def break_even(table: TableOfFour) -> Number:
    """Return the error rate of the model above which the layers do more good than harm.

    Meaning: at an error rate e they change accuracy by e·help - (1-e)·harm; it is 0 at the value returned. A model
    that errs less often than that is better off without them. Formula: harm / (help + harm), with `helpfulness` and
    `harmfulness`. Source: the equation above, solved for e.
    """
    help_, harm = helpfulness(table).value, harmfulness(table).value
    if help_ is None or harm is None:
        missing = "base errors" if help_ is None else "right cases"
        return Number(value=None, n=table.n, reason=f"there are no {missing}")
    if help_ + harm == 0:
        return Number(value=None, n=table.n, reason="no case changed")
    return Number(value=harm / (help_ + harm), n=table.n)


@dataclass(frozen=True, slots=True, kw_only=True)
class LayerEffect:
    """What came of the cases in which one layer objected."""

    helpfulness: Number
    """Share of all base errors fixed where this layer objected."""
    harmfulness: Number
    """Share of all right cases degraded where this layer objected."""

    def as_json(self) -> dict[str, Any]:
        """Return both shares as plain data."""
        return {"helpfulness": self.helpfulness.as_json(), "harmfulness": self.harmfulness.as_json()}


def by_layer(cases: Iterable[ComparedCase]) -> dict[str, LayerEffect]:
    """Return helpfulness and harmfulness of every layer that objected, by name.

    Formula: as for the whole, with only those helped and harmed cases in the numerator in which the layer objected. A
    case in which two layers objected counts for both, so the shares of the layers may add up to more than the whole.
    Source: as for `helpfulness`.
    """
    cases = list(cases)
    table = table_of_four(cases)
    helped = Counter(layer for case in cases if case.helped for layer in set(case.layers))
    harmed = Counter(layer for case in cases if case.harmed for layer in set(case.layers))
    return {
        layer: LayerEffect(
            helpfulness=share(helped[layer], table.base_wrong, of="base errors"),
            harmfulness=share(harmed[layer], table.base_right, of="right cases"),
        )
        for layer in sorted({layer for case in cases for layer in case.layers})
    }

"""Whether a difference could be chance: the exact McNemar test, and a seeded bootstrap interval. Needs scipy."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Sequence
from math import isfinite
from typing import Any, Final, Literal

import numpy as np
from scipy.stats import DegenerateDataWarning, binomtest
from scipy.stats import bootstrap as resample

from reinforced_agent.evaluation.metrics.cases import ComparedCase
from reinforced_agent.evaluation.metrics.comparison import TableOfFour
from reinforced_agent.evaluation.metrics.shares import CONFIDENCE, Number


RESAMPLES: Final = 9_999
"""How often the cases are drawn anew."""
_AT_ONCE: Final = 2_000_000
"""Values that are held in memory at the same time."""

Method = Literal["percentile", "BCa"]


def mcnemar(table: TableOfFour) -> Number:
    """Return the two-sided p-value of the exact McNemar test.

    Meaning: how likely so uneven a split of helped and harmed cases is when the layers do as much good as harm.
    Formula: binomial test of helped among helped + harmed, with probability 1/2. Source: Q. McNemar, "Note on the
    sampling error of the difference between correlated proportions", Psychometrika 12 (1947), in its exact form.

    Returns:
        The p-value, with `n` the number of cases that changed; none when no case changed.

    """
    changed = table.helped + table.harmed
    if changed == 0:
        return Number(value=None, n=0, reason="no case changed" if table.n else "there are no cases")
    return Number(value=float(binomtest(table.helped, changed, 0.5).pvalue), n=changed)


def lift_interval(
    cases: Iterable[ComparedCase], *, confidence: float = CONFIDENCE, seed: int = 0, method: Method = "BCa"
) -> Number:
    """Return the net lift with its bootstrap interval; each case adds 1 if helped, -1 if harmed, else 0."""
    changes = [float(case.helped) - float(case.harmed) for case in cases]
    return bootstrap(changes, confidence=confidence, seed=seed, method=method)


def bootstrap(
    values: Sequence[float], *, confidence: float = CONFIDENCE, seed: int = 0, method: Method = "BCa"
) -> Number:
    """Return the mean of some values with its bootstrap interval.

    Meaning: how far the mean would move if other cases of the same kind had been drawn. Formula: means of samples of
    the same size, drawn with replacement; the interval holds the middle `confidence` of them, for `BCa` after a
    correction for bias and skew. Where that correction is not defined, the plain percentiles are taken. Source:
    B. Efron, "Better bootstrap confidence intervals", Journal of the American Statistical Association 82 (1987).

    Args:
        values: One value a case.
        confidence: Share of such intervals that hold the true mean.
        seed: Equal seeds give equal intervals.
        method: How the interval is read off.

    Returns:
        The mean; without an interval, and with the reason, when the values don't vary or there are fewer than two.

    """
    n = len(values)
    if n == 0:
        return Number(value=None, n=0, reason="there are no cases")
    mean = float(np.mean(values))
    if n == 1:
        return Number(value=mean, n=1, reason="one case has no spread")
    if min(values) == max(values):
        return Number(value=mean, n=n, reason="all cases are equal, so nothing varies when they are drawn anew")
    ends = _interval(values, confidence, seed, method)
    if not all(map(isfinite, ends)):
        ends = _interval(values, confidence, seed, "percentile")
    return Number(value=mean, n=n, low=ends[0], high=ends[1])


def _interval(values: Sequence[float], confidence: float, seed: int, method: Method) -> tuple[float, float]:
    """Draw anew, and read the interval off; not a number where the method is not defined."""
    data: Any = (np.asarray(values, dtype=float),)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DegenerateDataWarning)  # the caller takes the other method instead
        found = resample(
            data,
            np.mean,
            n_resamples=RESAMPLES,
            batch=max(1, _AT_ONCE // len(values)),
            confidence_level=confidence,
            method=method,
            rng=np.random.default_rng(seed),
        )
    return float(found.confidence_interval.low), float(found.confidence_interval.high)

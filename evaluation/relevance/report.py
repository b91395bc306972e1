"""What a trained scorer reaches on test cases it has not seen: the trade-off, and how true its probabilities are."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean
from typing import Any, Final

from reinforced_agent.evaluation.metrics.shares import share
from reinforced_agent.evaluation.relevance.samples import Sample
from reinforced_agent.evaluation.relevance.training import Trained


HARMS: Final = (0.001, 0.002, 0.005, 0.007, 0.01, 0.02, 0.05)
"""Shares of right proposals for which the trade-off is told."""
_BINS: Final = 10


def describe(trained: Trained, samples: Sequence[Sample]) -> dict[str, Any]:
    """Tell the trade-off at several thresholds, the chosen one, and the calibration; all on parts left out."""
    pairs = list(zip(trained.probabilities, (sample.wrong for sample in samples), strict=True))
    right = sorted((p for p, wrong in pairs if not wrong), reverse=True)
    curve = [_at(right[min(int(harm * len(right)), len(right) - 1)], pairs) for harm in HARMS]
    return {
        "samples": len(pairs),
        "wrong": sum(wrong for _, wrong in pairs),
        "test_cases": len({sample.id for sample in samples}),
        "chosen": _at(trained.forest.threshold, pairs),
        "curve": curve,
        "brier": round(fmean((p - wrong) ** 2 for p, wrong in pairs), 4),
        "calibration": _calibration(pairs),
    }


def _at(threshold: float, pairs: Sequence[tuple[float, bool]]) -> dict[str, Any]:
    """Count what is asked about at a threshold."""
    wrong, right = sum(wrong for _, wrong in pairs), sum(not wrong for _, wrong in pairs)
    hits = sum(wrong for p, wrong in pairs if p >= threshold)
    harmed = sum(not wrong for p, wrong in pairs if p >= threshold)
    return {
        "threshold": round(threshold, 4),
        "wrong": {"asked": hits} | share(hits, wrong, of="responses").as_json(),
        "right": {"asked": harmed} | share(harmed, right, of="responses").as_json(),
    }


def _calibration(pairs: Sequence[tuple[float, bool]]) -> list[dict[str, float]]:
    """Compare the probabilities with what was wrong, by tenths."""
    bins: dict[int, list[tuple[float, bool]]] = {}
    for p, wrong in pairs:
        bins.setdefault(min(int(p * _BINS), _BINS - 1), []).append((p, wrong))
    return [
        {"n": len(found), "told": round(fmean(p for p, _ in found), 3), "wrong": round(fmean(w for _, w in found), 3)}
        for _, found in sorted(bins.items())
    ]

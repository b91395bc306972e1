"""Train the scorer by gradient boosting, cross-fitted by test case, and calibrate it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from reinforced_agent.evaluation.relevance.responses import FOLDS
from reinforced_agent.evaluation.relevance.samples import Sample
from reinforced_agent.policies.relevance import Forest, Tree


class TrainingError(RuntimeError):
    """The scorer can't be trained; the text says what is missing."""


SETTINGS: Final[dict[str, Any]] = {
    "objective": "binary",
    "learning_rate": 0.2,
    "num_leaves": 7,
    "min_data_in_leaf": 30,
    "feature_fraction": 0.5,
    "bagging_fraction": 0.8,
    "bagging_freq": 1,
    "lambda_l2": 5.0,
    "seed": 7,
    "deterministic": True,
    "force_row_wise": True,
    "num_threads": 1,
    "verbosity": -1,
}
"""Parameters of LightGBM (Ke et al., 2017)."""
ROUNDS: Final = 60
"""Trees of each part."""
_DIGITS: Final = 5
"""Significant digits that are kept of a number."""


@dataclass(frozen=True, slots=True)
class Trained:
    """A scorer, and what it says of each sample whose test case it has not seen."""

    forest: Forest
    probabilities: tuple[float, ...]


def train(samples: Sequence[Sample], *, harm: float) -> Trained:
    """Train one group of trees without each part of the data, and set the threshold by the harm that is allowed.

    Args:
        samples: What to learn from.
        harm: Share of right proposals that may be asked about, as seen on the parts that were left out.

    Raises:
        TrainingError: When LightGBM isn't installed, or the samples hold no right or no wrong one.

    """
    if len({sample.wrong for sample in samples}) < 2:  # noqa: PLR2004
        msg = f"{len(samples)} samples of one kind teach nothing: give a folder with right and wrong responses."
        raise TrainingError(msg)
    names = tuple(sorted(samples[0].features))
    folds = tuple(_grow(names, [s for s in samples if s.fold != part]) for part in range(FOLDS))
    raw = Forest(names, folds, slope=1.0, intercept=0.0, threshold=1.0)
    slope, intercept = _calibrate(
        [raw.sum(sample.features, fold=sample.fold) for sample in samples], [sample.wrong for sample in samples]
    )
    forest = replace(raw, slope=_short(slope), intercept=_short(intercept))
    probabilities = tuple(forest.probability(sample.features, fold=sample.fold) for sample in samples)
    right = [p for p, sample in zip(probabilities, samples, strict=True) if not sample.wrong]
    return Trained(replace(forest, threshold=_threshold(right, harm)), probabilities)


def _grow(names: Sequence[str], samples: Sequence[Sample]) -> tuple[Tree, ...]:
    """Grow the trees of one part.

    Raises:
        TrainingError: When LightGBM isn't installed.

    """
    try:
        import lightgbm  # noqa: PLC0415  # needed by this command alone
        import numpy as np  # noqa: PLC0415
    except ImportError as error:
        msg = "Training needs LightGBM: install it with `pip install 'reinforced-agent[train]'`."
        raise TrainingError(msg) from error
    rows = np.array([[float(sample.features[name]) for name in names] for sample in samples])
    data = lightgbm.Dataset(rows, label=np.array([sample.wrong for sample in samples], dtype=int))
    booster = lightgbm.train(SETTINGS, data, num_boost_round=ROUNDS)
    return tuple(_flat(tree["tree_structure"]) for tree in booster.dump_model()["tree_info"])


def _flat(node: Mapping[str, Any]) -> Tree:
    """Write a tree of LightGBM as plain data."""
    if "leaf_value" in node:
        return _short(node["leaf_value"])
    yes, no = _flat(node["left_child"]), _flat(node["right_child"])
    return (int(node["split_feature"]), _short(node["threshold"]), yes, no)


def _calibrate(odds: Sequence[float], wrong: Sequence[bool]) -> tuple[float, float]:
    """Fit slope and intercept of the log odds (Platt, 1999)."""
    import numpy as np  # noqa: PLC0415
    from scipy.optimize import minimize  # noqa: PLC0415

    scores, labels = np.array(odds), np.array(wrong, dtype=float)

    def loss(weights: Any) -> float:
        z = weights[0] * scores + weights[1]
        return float(np.mean(np.logaddexp(0.0, z) - labels * z))

    slope, intercept = minimize(loss, np.array([1.0, 0.0]), method="BFGS").x
    return float(slope), float(intercept)


def _threshold(right: Sequence[float], harm: float) -> float:
    """Return the probability that at most the allowed share of right proposals exceeds."""
    ordered = sorted(right, reverse=True)
    return _short(ordered[min(int(harm * len(ordered)), len(ordered) - 1)] + 1e-4)


def _short(value: float) -> float:
    """Keep some digits of a number."""
    return float(f"{value:.{_DIGITS}g}")

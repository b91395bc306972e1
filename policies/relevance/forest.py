"""Boosted trees as plain data: made elsewhere, walked through here."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import exp
from typing import Any, Final, Self, TypeAlias


class ForestError(ValueError):
    """Data is no forest; the text says what is missing or of the wrong kind."""


Tree: TypeAlias = "float | tuple[int, float, Tree, Tree]"
"""A leaf, or a branch: position of a feature, threshold, where to go up to the threshold, and where above."""


@dataclass(frozen=True, slots=True)
class Forest:
    """Groups of trees, each trained without one part of the data, so that this part can be judged fairly."""

    names: tuple[str, ...]
    """The features, in the order of a row."""
    folds: tuple[tuple[Tree, ...], ...]
    slope: float
    intercept: float
    """Turn the sum of the leaves into log odds (Platt, 1999)."""
    threshold: float
    """Probability from which it is worth asking again."""

    def probability(self, features: Mapping[str, float], *, fold: int | None = None) -> float:
        """Return the probability that something is wrong.

        Args:
            features: The numbers by name.
            fold: Ask only the trees that were trained without this part; without it, all together.

        """
        return 1 / (1 + exp(-(self.slope * self.sum(features, fold=fold) + self.intercept)))

    def sum(self, features: Mapping[str, float], *, fold: int | None = None) -> float:
        """Return the mean sum of the leaves of a group."""
        row = [features[name] for name in self.names]
        groups = self.folds if fold is None else (self.folds[fold],)
        total = 0.0
        for group in groups:
            for tree in group:
                node = tree
                while isinstance(node, tuple):
                    node = node[2] if row[node[0]] <= node[1] else node[3]
                total += node
        return total / len(groups)

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Self:
        """Read a forest.

        Raises:
            ForestError: When the data is none.

        """
        try:
            names = tuple(map(str, data["features"]))
            folds = tuple(tuple(_tree(tree, len(names)) for tree in group) for group in data["folds"])
            return cls(names, folds, **{name: float(data[name]) for name in _NUMBERS})
        except (KeyError, TypeError, ValueError) as error:
            msg = (
                f"This is no forest: {type(error).__name__}: {error}. Make one with `reinforced-agent train relevance`."
            )
            raise ForestError(msg) from error

    def to_json(self) -> dict[str, Any]:
        """Write the forest as plain data."""
        return {"features": self.names, "folds": self.folds, **{name: getattr(self, name) for name in _NUMBERS}}


_NUMBERS: Final = ("slope", "intercept", "threshold")


def _tree(data: float | Sequence[Any], width: int) -> Tree:
    """Read one tree.

    Raises:
        ValueError: When a branch looks at a feature that there is not, or has another number of parts than four.

    """
    if isinstance(data, int | float):
        return float(data)
    feature, threshold, yes, no = data
    if feature not in range(width):
        msg = f"a branch looks at feature {feature!r} of {width}"
        raise ValueError(msg)
    return (int(feature), float(threshold), _tree(yes, width), _tree(no, width))

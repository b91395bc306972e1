"""The scorer that comes with the package, read from its trained trees."""

from __future__ import annotations

import json
from functools import cache
from importlib.resources import files

from reinforced_agent.policies.relevance import Forest, Relevance, trained


@cache
def shipped_forest() -> Forest:
    """Read the trees that `reinforced-agent train relevance` has grown."""
    text = files("reinforced_agent.policies.relevance").joinpath("forest.json").read_text("utf-8")
    return Forest.from_json(json.loads(text))


def shipped_relevance(*, threshold: float | None = None) -> Relevance:
    """Ask once more about first proposals that hardly fit an English request.

    Args:
        threshold: Probability of a fault from which to ask, from 0 to 1; by default the one at which 0.7 % of the right
            proposals were asked about in training.

    """
    return Relevance(scorers=(trained(shipped_forest(), threshold=threshold),))

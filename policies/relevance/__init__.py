"""Layer 8: does this proposal fit the request? Scorers that answer within a millisecond, and the layer that asks."""

from __future__ import annotations

from reinforced_agent.policies.relevance.features import Proposal, Proposed
from reinforced_agent.policies.relevance.scorers import (
    LAYER,
    Forest,
    ForestError,
    Relevance,
    RelevanceError,
    RelevanceLayer,
    Scorer,
    Tree,
    trained,
)
from reinforced_agent.policies.relevance.tools import ToolIndex
from reinforced_agent.policies.text.language import is_plain_english


__all__ = [
    "LAYER",
    "Forest",
    "ForestError",
    "Proposal",
    "Proposed",
    "Relevance",
    "RelevanceError",
    "RelevanceLayer",
    "Scorer",
    "ToolIndex",
    "Tree",
    "is_plain_english",
    "trained",
]

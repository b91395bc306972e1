"""Layer 9: the optional reviewing model: when it is asked, what it said, and what its word is worth."""

from __future__ import annotations

from reinforced_agent.policies.review.opinions import (
    AskUser,
    Fault,
    Fix,
    Good,
    NoOpinion,
    Opinion,
    insisted,
    verdict_of,
)
from reinforced_agent.policies.review.policy import ReviewerError, ReviewPolicy
from reinforced_agent.policies.review.reading import read_opinions


__all__ = [
    "AskUser",
    "Fault",
    "Fix",
    "Good",
    "NoOpinion",
    "Opinion",
    "ReviewPolicy",
    "ReviewerError",
    "insisted",
    "read_opinions",
    "verdict_of",
]

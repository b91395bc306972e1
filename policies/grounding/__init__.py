"""Compare values of calls with what was said: proof for marked fields, warnings about writes elsewhere."""

from __future__ import annotations

from reinforced_agent.policies.grounding.layer import LAYER, GroundingLayer
from reinforced_agent.policies.grounding.marks import GroundingPolicyError, validate
from reinforced_agent.policies.grounding.matching import said_by_user, values_of_facts
from reinforced_agent.policies.grounding.policy import MARKED_ONLY, Ground, GroundingPolicy, Kind


__all__ = [
    "LAYER",
    "MARKED_ONLY",
    "Ground",
    "GroundingLayer",
    "GroundingPolicy",
    "GroundingPolicyError",
    "Kind",
    "said_by_user",
    "validate",
    "values_of_facts",
]

"""Layer 5: values of grounded fields come from the user or from a tool result, else the user is asked."""

from __future__ import annotations

from reinforced_agent.policies.grounding.dialogue import agrees, said_by_user
from reinforced_agent.policies.grounding.layer import LAYER, GroundingLayer, check_grounding
from reinforced_agent.policies.grounding.policy import Ground, GroundingPolicy, Kind
from reinforced_agent.policies.grounding.validation import GroundingPolicyError, validate


__all__ = [
    "LAYER",
    "Ground",
    "GroundingLayer",
    "GroundingPolicy",
    "GroundingPolicyError",
    "Kind",
    "agrees",
    "check_grounding",
    "said_by_user",
    "validate",
]

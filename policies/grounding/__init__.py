"""Layer 5: values of grounded fields come from the user or from a tool result, else the user is asked."""

from __future__ import annotations

from reinforced_agent.policies.grounding.dialogue import agrees, said_by_user
from reinforced_agent.policies.grounding.layer import LAYER, GroundingLayer, check_grounding
from reinforced_agent.policies.grounding.policy import MARKED_ONLY, Ground, GroundingPolicy, Kind
from reinforced_agent.policies.grounding.said import values_of_facts
from reinforced_agent.policies.grounding.validation import GroundingPolicyError, validate


__all__ = [
    "LAYER",
    "MARKED_ONLY",
    "Ground",
    "GroundingLayer",
    "GroundingPolicy",
    "GroundingPolicyError",
    "Kind",
    "agrees",
    "check_grounding",
    "said_by_user",
    "validate",
    "values_of_facts",
]

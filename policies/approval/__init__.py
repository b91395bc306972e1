"""Approval: which calls a person must agree to, who may decide, and how an answer is read."""

from __future__ import annotations

from reinforced_agent.policies.approval.conditions import Condition
from reinforced_agent.policies.approval.deciders import Person, may_decide
from reinforced_agent.policies.approval.decisions import (
    DECISIONS,
    Decided,
    DecisionType,
    Waiting,
    read_answer,
)
from reinforced_agent.policies.approval.policy import (
    ApprovalPolicy,
    ApprovalRule,
    Assessment,
    Escalation,
    Exemption,
)
from reinforced_agent.policies.approval.validation import ApprovalPolicyError, validate


__all__ = [
    "DECISIONS",
    "ApprovalPolicy",
    "ApprovalPolicyError",
    "ApprovalRule",
    "Assessment",
    "Condition",
    "Decided",
    "DecisionType",
    "Escalation",
    "Exemption",
    "Person",
    "Waiting",
    "may_decide",
    "read_answer",
    "validate",
]

"""The host's rules about answers: texts that must stand in them, content that must not, and a length."""

from __future__ import annotations

from reinforced_agent.policies.answers.objections import (
    Banned,
    Evidence,
    Objection,
    TooLong,
    Unsaid,
    judge_answer,
)
from reinforced_agent.policies.answers.rules import AnswerPolicy, AnswerPolicyError, Disclaimer, Forbidden


__all__ = [
    "AnswerPolicy",
    "AnswerPolicyError",
    "Banned",
    "Disclaimer",
    "Evidence",
    "Forbidden",
    "Objection",
    "TooLong",
    "Unsaid",
    "judge_answer",
]

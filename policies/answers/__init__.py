"""Check the final answer: what it has to tell of the turn, and the host's rules about it."""

from __future__ import annotations

from reinforced_agent.policies.answers.objections import (
    Banned,
    Evidence,
    LeftOut,
    Objection,
    TooLong,
    Uncertain,
    Unsaid,
    judge_answer,
)
from reinforced_agent.policies.answers.rules import AnswerRules, AnswerRulesError, Disclaimer, Forbidden


__all__ = [
    "AnswerRules",
    "AnswerRulesError",
    "Banned",
    "Disclaimer",
    "Evidence",
    "Forbidden",
    "LeftOut",
    "Objection",
    "TooLong",
    "Uncertain",
    "Unsaid",
    "judge_answer",
]

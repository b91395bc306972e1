"""Check the final answer: what it claims against what was brought and done, and the rules of the house about it."""

from __future__ import annotations

from reinforced_agent.policies.answers.judging import judge_answer
from reinforced_agent.policies.answers.objections import (
    Banned,
    Deed,
    Evidence,
    LeftOut,
    Objection,
    TooLong,
    Uncertain,
    Unconfirmed,
    Undone,
    Unsaid,
)
from reinforced_agent.policies.answers.rules import AnswerRules, AnswerRulesError, Disclaimer, Forbidden


__all__ = [
    "AnswerRules",
    "AnswerRulesError",
    "Banned",
    "Deed",
    "Disclaimer",
    "Evidence",
    "Forbidden",
    "LeftOut",
    "Objection",
    "TooLong",
    "Uncertain",
    "Unconfirmed",
    "Undone",
    "Unsaid",
    "judge_answer",
]

"""Hold an answer against what is known and against the rules of the house."""

from __future__ import annotations

import re
from collections.abc import Iterator

from reinforced_agent.policies.answers.actions import undone
from reinforced_agent.policies.answers.doubtful import denied, uncertain
from reinforced_agent.policies.answers.mentions import is_mentioned
from reinforced_agent.policies.answers.objections import (
    Banned,
    Evidence,
    LeftOut,
    Objection,
    TooLong,
    Unconfirmed,
    Unsaid,
)
from reinforced_agent.policies.answers.rules import AnswerRules, Disclaimer
from reinforced_agent.policies.answers.values import unconfirmed


_LOOKED_AT = 50_000
"""Characters of an answer whose claims are looked at."""


def judge_answer(answer: str, evidence: Evidence, rules: AnswerRules) -> tuple[Objection, ...]:
    """Return everything that is to be objected to; nothing for most answers."""
    return tuple(_objections(answer, evidence, rules))


def _objections(answer: str, evidence: Evidence, rules: AnswerRules) -> Iterator[Objection]:
    claims = answer[:_LOOKED_AT]
    if rules.actions and (evidence.writes or evidence.deeds):
        yield from _about_deeds(claims, evidence)
    if rules.values and evidence.used and (values := unconfirmed(claims, evidence)):
        yield Unconfirmed(values)
    if rules.warnings:
        yield from (LeftOut(tool, doubt) for tool, doubt in evidence.doubts if not is_mentioned(doubt, answer))
    yield from (
        Unsaid(rule) for rule in rules.disclaimers if _is_due(rule, answer, evidence) and not _says(rule, answer)
    )
    yield from (Banned(rule) for rule in rules.forbidden if re.search(rule.pattern, answer, re.IGNORECASE))
    if rules.most_characters is not None and len(answer) > rules.most_characters:
        yield TooLong(len(answer), rules.most_characters)


def _about_deeds(answer: str, evidence: Evidence) -> Iterator[Objection]:
    """Object to what is said, or not said, about what was done."""
    wrong = [*undone(answer, evidence)] or [*denied(answer, evidence)]
    yield from wrong
    told = {one.tool for one in wrong if one.why == "unknown"}
    yield from (one for one in uncertain(answer, evidence) if one.tool not in told)


def _is_due(rule: Disclaimer, answer: str, evidence: Evidence) -> bool:
    """Tell whether an answer needs a disclaimer."""
    if not rule.tools and not rule.topics:
        return True
    about = f"{evidence.request}\n{answer}".casefold()
    return not evidence.used.isdisjoint(rule.tools) or any(topic.casefold() in about for topic in rule.topics)


def _says(rule: Disclaimer, answer: str) -> bool:
    """Tell whether the answer holds it already."""
    if rule.present:
        return re.search(rule.present, answer, re.IGNORECASE) is not None
    return " ".join(rule.text.split()).casefold() in " ".join(answer.split()).casefold()

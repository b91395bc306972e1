"""Hold an answer against the host's rules about answers."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeAlias

from reinforced_agent.policies.answers.rules import AnswerPolicy, Disclaimer, Forbidden


@dataclass(frozen=True)
class Evidence:
    """What is known when an answer is given."""

    request: str = ""
    used: frozenset[str] = frozenset()
    """Tools that brought a result in this turn."""


@dataclass(frozen=True, slots=True)
class Unsaid:
    """A disclaimer that is missing."""

    rule: Disclaimer


@dataclass(frozen=True, slots=True)
class Banned:
    """Content that is forbidden."""

    rule: Forbidden


@dataclass(frozen=True, slots=True)
class TooLong:
    """An answer beyond its length."""

    characters: int
    most: int


Objection: TypeAlias = Unsaid | Banned | TooLong


def judge_answer(answer: str, evidence: Evidence, rules: AnswerPolicy) -> tuple[Objection, ...]:
    """Return everything that is to be objected to; nothing for most answers."""
    return tuple(_objections(answer, evidence, rules))


def _objections(answer: str, evidence: Evidence, rules: AnswerPolicy) -> Iterator[Objection]:
    yield from (
        Unsaid(rule) for rule in rules.disclaimers if _is_due(rule, answer, evidence) and not _says(rule, answer)
    )
    yield from (Banned(rule) for rule in rules.forbidden if re.search(rule.pattern, answer, re.IGNORECASE))
    if rules.most_characters is not None and len(answer) > rules.most_characters:
        yield TooLong(len(answer), rules.most_characters)


def _is_due(rule: Disclaimer, answer: str, evidence: Evidence) -> bool:
    if not rule.tools and not rule.topics:
        return True
    about = f"{evidence.request}\n{answer}".casefold()
    return not evidence.used.isdisjoint(rule.tools) or any(topic.casefold() in about for topic in rule.topics)


def _says(rule: Disclaimer, answer: str) -> bool:
    if rule.present:
        return re.search(rule.present, answer, re.IGNORECASE) is not None
    return " ".join(rule.text.split()).casefold() in " ".join(answer.split()).casefold()

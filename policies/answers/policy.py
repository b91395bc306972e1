"""The host's rules about answers: texts that must stand in them, content that must not, and a length."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, TypeAlias

from reinforced_agent.tools.containers import typed_containers


class AnswerPolicyError(ValueError):
    """Rules about answers that can't be kept."""


@dataclass(frozen=True, slots=True, kw_only=True)
@typed_containers
class Disclaimer:
    """A text that certain answers must hold; appended where the model leaves it out."""

    text: str
    tools: tuple[str, ...] = ()
    """Needed when one of these was used in the turn."""
    topics: tuple[str, ...] = ()
    """Needed when the request or the answer holds one of these; without `tools` and `topics`, always."""
    present: str = ""
    """Regular expression that tells whether the answer says it in its own words; by default the text itself."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Forbidden:
    """Content that no answer may hold."""

    pattern: str
    """Regular expression, in any case of letters."""
    message: str
    """For the model: what is not allowed, and what to do."""
    otherwise: Literal["replace", "refuse"] = "replace"
    """What is done when the model writes it again: it is replaced, or the whole answer is."""
    replacement: str = "[…]"
    """What stands in its place."""


@dataclass(frozen=True, slots=True, kw_only=True)
@typed_containers
class AnswerPolicy:
    """Which answers are objected to, how often the model is asked again, and what is done when that doesn't help."""

    disclaimers: tuple[Disclaimer, ...] = ()
    forbidden: tuple[Forbidden, ...] = ()
    most_characters: int | None = None
    """Length; a longer answer is cut."""
    attest: bool = False
    """Whether the model is asked, once a turn, which tools its answer says were carried out, where a tool that changes
    something is offered and none ran, or one did not end done. An answer that by its own account tells of what did not
    run goes back once. Costs one request; an opinion, so off unless switched on."""
    retries: int = 1
    """How often the model is asked again in a turn; 0 = never, the answer is corrected at once."""

    def __post_init__(self) -> None:
        """Refuse rules that can't be kept.

        Raises:
            AnswerPolicyError: On a pattern that is none, or a bound that no answer could keep.

        """
        for pattern in (*(rule.pattern for rule in self.forbidden), *(rule.present for rule in self.disclaimers)):
            try:
                re.compile(pattern)
            except re.error as error:
                msg = f"{pattern!r} in the answer rules is no regular expression: {error}."
                raise AnswerPolicyError(msg) from error
        if (self.most_characters is not None and self.most_characters < 1) or self.retries < 0:
            msg = "AnswerPolicy.most_characters must be above zero, and AnswerPolicy.retries not below."
            raise AnswerPolicyError(msg)


OFF = AnswerPolicy(retries=0)
"""No answer is objected to."""


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

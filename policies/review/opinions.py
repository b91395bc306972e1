"""What a reviewing model may think of one call, a closed set, and what that is worth: a call sent back with a doubt.

An opinion never refuses, asks no person, and lifts no objection; what it says in its own words is quoted, if at all.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final, TypeAlias, assert_never

from reinforced_agent.policies.review.messages import doubt, sent_again
from reinforced_agent.policies.text.folds import shown
from reinforced_agent.policies.untrusted import Screening, clean, screen
from reinforced_agent.policies.verdicts import Accept, Ask, ErrorKind, Revise
from reinforced_agent.tools.call import JSON, Call


LAYER: Final = "reviewer"

_LONGEST_READ: Final = 2_000
"""Characters of a reason that are read; more are not shown of it."""
_LONGEST_REASON: Final = 240
"""Characters of a reason that the assistant is told."""
_SCREENING: Final = Screening()
_UNSAFE: Final = re.compile(r"[`<>{}\[\]\\|\x00-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]+")


class Fault(StrEnum):
    """What a reviewing model may find wrong with a call."""

    WRONG_TOOL = "wrong_tool"
    """Another tool is meant."""
    WRONG_VALUE = "wrong_value"
    """A value is not what was asked for."""
    LEFT_OUT = "left_out"
    """Something that was asked for, and that an argument could say, is left out."""
    UNNEEDED = "unneeded"
    """Nobody asked for it."""
    AGAINST_INSTRUCTIONS = "against_instructions"
    """The host's instructions forbid it, or demand something else first."""
    OTHER = "other"
    """Something else."""


@dataclass(frozen=True, slots=True)
class Good:
    """Nothing to object to."""

    score: float = 1.0
    """How sure it is that the call is right, from 0 to 1."""


@dataclass(frozen=True, slots=True)
class Fix:
    """The assistant should look again."""

    fault: Fault = Fault.OTHER
    field: str = ""
    """Path of the argument, as the reviewing model wrote it; empty for the call as a whole."""
    reason: str = ""
    """In its own words, as it wrote them."""
    score: float = 0.0


@dataclass(frozen=True, slots=True)
class AskUser:
    """Only the user can tell what the call needs."""

    field: str = ""
    reason: str = ""
    score: float = 0.0


@dataclass(frozen=True, slots=True)
class NoOpinion:
    """It said nothing that counts."""

    why: str
    """`unreadable`, `silent`, `late` or `failed`."""


Opinion: TypeAlias = Good | Fix | AskUser | NoOpinion


def plain(opinion: Opinion) -> dict[str, JSON]:
    """Write an opinion as plain data."""
    match opinion:
        case Good(score=score):
            return {"says": "good", "score": score}
        case Fix():
            told: dict[str, JSON] = {"fault": opinion.fault.value, "field": opinion.field, "reason": opinion.reason}
            return {"says": "fix", **told, "score": opinion.score}
        case AskUser():
            return {"says": "ask_user", "field": opinion.field, "reason": opinion.reason, "score": opinion.score}
        case NoOpinion(why=why):
            return {"says": "no_opinion", "why": why}
        case _:
            assert_never(opinion)


def opinion_in(data: Mapping[str, Any]) -> Opinion:
    """Read an opinion that `plain` has written."""
    match data["says"]:
        case "good":
            return Good(data["score"])
        case "fix":
            return Fix(Fault(data["fault"]), data["field"], data["reason"], data["score"])
        case "ask_user":
            return AskUser(data["field"], data["reason"], data["score"])
        case _:
            return NoOpinion(str(data.get("why", "")))


def verdict_of(
    opinion: Opinion, call: Call, parameters: Mapping[str, Any], *, quote: bool, locale: str = "en"
) -> Accept | Revise | None:
    """Turn an opinion into the verdict on a call; `None` where there is no opinion.

    Args:
        opinion: What the reviewing model thinks.
        call: The canonical call.
        parameters: The schema of its tool: a field that neither it nor the call has is not named.
        quote: Whether the assistant is told its words; not where it was shown text of strangers, who could speak
            through it.
        locale: Language of the feedback.

    """
    match opinion:
        case NoOpinion():
            return None
        case Good(score=score):
            return Accept(layer=LAYER, score=score)
        case Fix(fault=fault):
            return _sent_back(opinion, fault.value, call, parameters, quote=quote, locale=locale)
        case AskUser():
            return _sent_back(opinion, "ask_user", call, parameters, quote=quote, locale=locale)
        case _:
            assert_never(opinion)


def insisted(opinion: Fix | AskUser, call: Call, *, quote: bool, locale: str = "en") -> Ask:
    """Tell the person who is asked about a call anyway that the model has sent it again after an objection."""
    reason = quotable(opinion.reason) if quote else ""
    return Ask(
        layer=LAYER,
        kind=ErrorKind.REVIEWER,
        message=sent_again(call.tool, reason, locale),
        operator=_operator(opinion),
        score=1.0,
    )


def _sent_back(
    opinion: Fix | AskUser, code: str, call: Call, parameters: Mapping[str, Any], *, quote: bool, locale: str
) -> Revise:
    """Send a call back with the doubt in our words."""
    field = _known_field(opinion.field, call, parameters)
    reason = quotable(opinion.reason) if quote else ""
    return Revise(
        layer=LAYER,
        kind=ErrorKind.REVIEWER,
        message=doubt(code, call.tool, field, reason, locale),
        operator=_operator(opinion),
        fields=(field,) if field else (),
        missing=(field,) if field and isinstance(opinion, AskUser) else (),
        score=opinion.score,
    )


def _operator(opinion: Fix | AskUser) -> str:
    """Write the opinion for the operator, whole."""
    what = opinion.fault.value if isinstance(opinion, Fix) else "ask_user"
    place = f" at {opinion.field!r}" if opinion.field else ""
    return f"the reviewer says {what}{place}: {opinion.reason or '(no reason)'}"


def _known_field(field: str, call: Call, parameters: Mapping[str, Any]) -> str:
    """Return a field that the call or its tool has, else nothing: a made-up name would mislead."""
    first = re.split(r"[.\[]", field, maxsplit=1)[0]
    known = first in call.arguments or first in parameters.get("properties", {})
    return field if known and re.fullmatch(r"[\w\-.\[\]]+", field) and shown(first) else ""


def quotable(reason: str) -> str:
    """Return a reason as it may be quoted: one line without markup, short; nothing where it reads like an order."""
    reason = reason[:_LONGEST_READ]
    if screen(reason, _SCREENING) is not None:
        return ""
    flat = " ".join(_UNSAFE.sub(" ", clean(reason).text).replace('"', "'").split())
    return flat if len(flat) <= _LONGEST_REASON else f"{flat[:_LONGEST_REASON].rstrip()} …"

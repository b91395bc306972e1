"""What a reviewing model may think of one call: a closed set, however it was put."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, TypeAlias, assert_never

from reinforced_agent.tools.call import JSON


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

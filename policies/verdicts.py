"""The verdict of a layer on one call: accept, revise, refuse or ask, and the signal made from it."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TypeAlias, assert_never

from reinforced_agent.tools.call import JSON, Call


class ErrorKind(StrEnum):
    """What is wrong with a call or its result; each kind has a retry budget of its own."""

    MALFORMED = "malformed"
    """The text of the call can't be read."""
    TRUNCATED = "truncated"
    """The output limit cut the call off."""
    UNKNOWN_TOOL = "unknown_tool"
    """No tool of that name is registered."""
    INVALID_ARGUMENTS = "invalid_arguments"
    """A value is missing, or breaks the tool's schema."""
    UNKNOWN_ARGUMENT = "unknown_argument"
    """A field is not a parameter of the tool."""
    UNGROUNDED_VALUE = "ungrounded_value"
    """A value comes neither from the user nor from a tool result."""
    WRONG_ORDER = "wrong_order"
    """Another tool has to run first."""
    POLICY = "policy"
    """A rule of the host forbids the call."""
    IRRELEVANT = "irrelevant"
    """No tool fits the request."""
    OFF_PLAN = "off_plan"
    """The plan of the task has no such step, or not yet."""
    DUPLICATE = "duplicate"
    """The same call was made before, with the same outcome."""
    TOO_EXPENSIVE = "too_expensive"
    """The call exceeds what is left of money or time."""
    TOO_MANY_CALLS = "too_many_calls"
    """The message holds more calls than are looked at in one."""
    REVIEWER = "reviewer"
    """A reviewing model objects."""
    REJECTED_BY_PERSON = "rejected_by_person"
    """A person said no."""
    TOOL_ERROR_TRANSIENT = "tool_error_transient"
    """The tool failed in a way that may pass."""
    TOOL_ERROR_PERMANENT = "tool_error_permanent"
    """The tool failed in a way that will not pass."""
    BAD_RESULT = "bad_result"
    """The tool returned something unusable."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CallWarning:
    """A doubt about a call: shown to whoever approves it, recorded and counted. By itself it holds nothing back.

    `ApprovalPolicy.on_doubt` says what becomes of an `untrusted_value` in a call that a host rule lets run unasked.
    """

    code: str
    """What is in doubt: `unnamed_value`, `untrusted_value` or `orders`, or a code of the host's own."""
    field: str = ""
    """Path of the argument concerned; empty where the call as a whole is."""
    message: str
    """For the person who decides."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Accept:
    """Nothing to object to; the next layer looks on."""

    layer: str
    """Name of the layer that judged."""
    score: float = 1.0
    """Confidence that the call is right, from 0 to 1."""
    call: Call | None = None
    """The call in the form that later layers must use; `None` leaves it unchanged."""
    warnings: tuple[CallWarning, ...] = ()
    """What a person who approves the call is told."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Objection:
    """What every verdict other than acceptance says."""

    layer: str
    """Name of the layer that judged."""
    kind: ErrorKind
    """What is wrong."""
    message: str
    """For the model: what is wrong, on which field, what is allowed, one thing to do."""
    operator: str = ""
    """For the operator: numbers and ids; may be empty."""
    fields: tuple[str, ...] = ()
    """Paths of the arguments concerned."""
    missing: tuple[str, ...] = ()
    """Paths of those whose value the user has to be asked for, where that is all that is wrong."""
    corrected: Mapping[str, JSON] | None = field(default=None)
    """The right arguments, only where they are certain."""
    score: float = 0.0
    """Confidence that the call is right, from 0 to 1."""
    warnings: tuple[CallWarning, ...] = ()
    """What else a person who looks at the call is told."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Revise(_Objection):
    """The model can repair it: it gets the message, within the budget of the kind."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Refuse(_Objection):
    """Asking the model again can't help."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ask(_Objection):
    """Only a person may decide; `message` is the reason shown to that person."""


Verdict: TypeAlias = Accept | Revise | Refuse | Ask
Objection: TypeAlias = Revise | Refuse | Ask


def name_of(verdict: Verdict) -> str:
    """Return the one-word name of a verdict, as it stands in records."""
    match verdict:
        case Accept():
            return "accept"
        case Revise():
            return "revise"
        case Refuse():
            return "refuse"
        case Ask():
            return "ask"
        case _:
            assert_never(verdict)


def warning_data(warning: CallWarning) -> dict[str, JSON]:
    """Return a warning as plain data."""
    return {"code": warning.code, "field": warning.field, "message": warning.message}


def signal(verdict: Verdict) -> dict[str, JSON]:
    """Serialise a verdict to the plain feedback signal kept in the state and in records."""
    base: dict[str, JSON] = {
        "verdict": name_of(verdict),
        "layer": verdict.layer,
        "is_valid": isinstance(verdict, Accept),
        "score": verdict.score,
    }
    if verdict.warnings:
        base["warnings"] = [warning_data(warning) for warning in verdict.warnings]
    if isinstance(verdict, Accept):
        return base
    return base | {
        "kind": verdict.kind.value,
        "message": verdict.message,
        "operator": verdict.operator,
        "fields": list(verdict.fields),
        **({"missing": list(verdict.missing)} if verdict.missing else {}),
        "corrected_input": None if verdict.corrected is None else dict(verdict.corrected),
    }


@dataclasses.dataclass(frozen=True, slots=True)
class Problem:
    """A fault found by a layer; `wording` turns it into text in the reader's language."""

    code: str
    """Key of the text in every catalogue of `policies.messages`."""
    kind: ErrorKind
    """Which retry budget it draws on."""
    field: str = ""
    """Path of the argument, such as `items[0].sku`; empty for the call as a whole."""
    facts: Mapping[str, str] = dataclasses.field(default_factory=dict)
    """Values for the placeholders of the text; never the malformed text itself."""

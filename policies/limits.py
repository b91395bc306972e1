"""Every bound of a run in one place, each with its unit."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from math import isfinite
from typing import Final

from reinforced_agent.policies.situation import TooExpensive
from reinforced_agent.policies.verdicts import ErrorKind
from reinforced_agent.tools.containers import typed_containers
from reinforced_agent.tools.spec import ToolSpec


_RETRIES: Mapping[ErrorKind, int] = {
    ErrorKind.MALFORMED: 2,
    ErrorKind.TRUNCATED: 1,
    ErrorKind.UNKNOWN_TOOL: 2,
    ErrorKind.INVALID_ARGUMENTS: 3,
    ErrorKind.UNKNOWN_ARGUMENT: 2,
    ErrorKind.UNGROUNDED_VALUE: 1,
    ErrorKind.WRONG_ORDER: 2,
    ErrorKind.POLICY: 1,
    ErrorKind.IRRELEVANT: 1,
    ErrorKind.OFF_PLAN: 1,
    ErrorKind.DUPLICATE: 2,
    ErrorKind.TOO_EXPENSIVE: 1,
    ErrorKind.TOO_MANY_CALLS: 2,
    ErrorKind.REVIEWER: 2,
    ErrorKind.REJECTED_BY_PERSON: 0,
    ErrorKind.TOOL_ERROR_TRANSIENT: 1,
    ErrorKind.TOOL_ERROR_PERMANENT: 0,
    ErrorKind.BAD_RESULT: 1,
}
"""How often the model is asked again for each kind; 0 means never."""

_NUMBERS: Final = (
    "steps",
    "calls",
    "calls_per_message",
    "tool_failures",
    "identical_failures",
    "seconds",
    "call_seconds",
    "call_attempts",
    "parallel_calls",
    "result_tokens",
    "tokens",
    "money",
    "call_money",
)
_MAY_BE_OFF: Final = frozenset({"calls", "tool_failures", "seconds", "result_tokens", "tokens", "money", "call_money"})
_COUNTS: Final = frozenset(_NUMBERS) - {"seconds", "call_seconds", "tokens", "money", "call_money"}
"""Bounds that are compared with what is counted one by one, or cut texts."""
_FROM_ZERO: Final = frozenset({"money", "call_money"})
"""Bounds that let only what is free pass when they are 0."""


@dataclass(frozen=True, kw_only=True)
@typed_containers
class Limits:
    """Bounds of one run, that is of one user message."""

    steps: int = 8
    """Proposals the model may make, and so the most requests to the model."""
    calls: int | None = 100
    """Calls of tools that may be started, all tools together; `None` = off. Those of one tool: `ToolLimits.calls`."""
    calls_per_message: int = 128
    """Calls of one message that are looked at; of each further one the model is told that it was not run."""
    retries: Mapping[ErrorKind, int] = field(default_factory=dict)
    """Requests to revise, by error kind; kinds left out keep their default, 0 means never ask again."""
    tool_failures: int | None = 2
    """Consecutive failures of one tool before it is no longer offered; `None` = off."""
    identical_failures: int = 1
    """Failures of the very same call before it is objected to; one that may pass by itself gets one more try."""
    seconds: float | None = 300.0
    """Working time of the run; time a person takes to answer doesn't count; `None` = off."""
    call_seconds: float = 30.0
    """Time for one call of a tool that declares no timeout of its own; at most what is left of the run."""
    call_attempts: int = 3
    """How often a read, or an idempotent write, is tried when its fault may pass by itself; all within its time."""
    parallel_calls: int = 8
    """Calls of one proposal that run at the same time."""
    result_tokens: int | None = 2000
    """Size of one result as the model sees it, in tokens; of a longer one a part is shown; `None` = off."""
    tokens: int | None = None
    """Tokens that the model may read and write in the run, as it reports them; `None` = off."""
    money: float | None = None
    """What the calls of the run may cost together, in the host's currency (`ToolSpec.estimate`); `None` = off."""
    call_money: float | None = None
    """What one call may cost; `None` = off."""
    too_expensive: TooExpensive = "revise"
    """What happens to a call that costs too much money: `revise` sends it back to the model, `ask` asks a person."""

    def __post_init__(self) -> None:
        """Refuse bounds that no run could keep.

        Raises:
            ValueError: When a bound is no number, zero, negative, or off where it can't be.

        """
        for name in _NUMBERS:
            value = getattr(self, name)
            if value is None and name in _MAY_BE_OFF:
                continue
            if isinstance(value, bool) or not isinstance(value, int | float) or not isfinite(value):
                msg = f"Limits.{name} is {value!r}, but must be a finite number."
                raise ValueError(msg)
            if name in _COUNTS and not isinstance(value, int):
                msg = f"Limits.{name} is {value!r}, but must be a whole number."
                raise ValueError(msg)
            if value < 0 or (value == 0 and name not in _FROM_ZERO):
                msg = f"Limits.{name} is {value!r}, but must be above zero; `None` switches a bound off where allowed."
                raise ValueError(msg)
        if self.too_expensive not in ("revise", "ask"):
            msg = f'Limits.too_expensive is {self.too_expensive!r}: write "revise" or "ask".'
            raise ValueError(msg)
        _check_retries(self.retries)

    def retries_for(self, kind: ErrorKind) -> int:
        """Return how often the model may be asked to revise a fault of this kind."""
        return self.retries.get(kind, _RETRIES[kind])

    def failures_of(self, spec: ToolSpec) -> int | None:
        """Return how often in a row one tool may fail before it is no longer offered; `None` = off."""
        own = "run" if spec.limits is None else spec.limits.failures
        return self.tool_failures if own == "run" else own

    def attempts_at(self, spec: ToolSpec) -> int:
        """Return how often one call of a tool is tried when its fault may pass by itself."""
        own = "run" if spec.limits is None else spec.limits.attempts
        return self.call_attempts if own == "run" else own

    def result_tokens_of(self, spec: ToolSpec | None) -> int | None:
        """Return the size of one result of a tool as the model sees it, in tokens; `None` = off."""
        own = "run" if spec is None or spec.limits is None else spec.limits.result_tokens
        return self.result_tokens if own == "run" else own

    def seconds_of(self, spec: ToolSpec) -> float:
        """Return the time that all attempts at one call of a tool may take together."""
        return self.call_seconds if spec.timeout is None else spec.timeout

    def call_money_of(self, spec: ToolSpec) -> float | None:
        """Return what one call of a tool may cost; `None` = off."""
        own = "run" if spec.limits is None else spec.limits.money
        return self.call_money if own == "run" else own

    def too_expensive_of(self, spec: ToolSpec) -> TooExpensive:
        """Return what happens to a call of a tool that costs too much money."""
        own = "run" if spec.limits is None else spec.limits.too_expensive
        return self.too_expensive if own == "run" else own


def _check_retries(retries: Mapping[ErrorKind, int]) -> None:
    """Refuse numbers of retries that would be ignored, or that nothing could be compared with.

    Raises:
        ValueError: On an error kind that doesn't exist, and on anything but a whole number from 0 up.

    """
    for kind, most in retries.items():
        if kind not in _RETRIES:
            known = ", ".join(f"`{one.value}`" for one in _RETRIES)
            msg = f"Limits.retries names {str(kind)!r}, which is no error kind; these are: {known}."
            raise ValueError(msg)
        if not _is_count(most):
            msg = f"Limits.retries[{str(kind)!r}] is {most!r}, but must be a whole number from 0 up."
            raise ValueError(msg)


def _is_count(value: object) -> bool:
    """Tell whether a value is a whole number from 0 up."""
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0

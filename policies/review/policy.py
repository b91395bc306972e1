"""When a reviewing model is asked, and how often it may send a call back."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from math import isfinite
from typing import Final, Literal, TypeAlias

from reinforced_agent.policies.situation import PastCall
from reinforced_agent.policies.status import Status
from reinforced_agent.policies.verdicts import ErrorKind
from reinforced_agent.tools.spec import Risk


class ReviewerError(ValueError):
    """The reviewer can't be used; the text says what to change."""


RiskWord: TypeAlias = Literal["read", "write", "destructive"]

_MOST_LOOPS: Final = 2
"""More loops than this never paid in what is published, and each costs two requests."""
_RAN: Final = frozenset({Status.DONE, Status.FAILED, Status.UNKNOWN, Status.SERVED, Status.ANSWERED})


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewPolicy:
    """Which calls are reviewed, after all other layers have passed them."""

    from_risk: Risk | RiskWord | None = Risk.WRITE
    """Calls that could do at least this are reviewed: `read` for all, `None` for none because of their risk."""
    below_score: float | None = None
    """Calls of which another layer is less sure than this, from 0 to 1, are reviewed as well; `None` for none."""
    loops: int = 1
    """How often in a row, 1 or 2, calls are sent back before they go on; `Limits.retries` bounds the whole turn."""
    seconds: float = 30.0
    """How long an opinion is waited for; never longer than what is left of the run."""
    context_tokens: int = 6_000
    """Most tokens of the conversation that the reviewing model is shown; the newest messages come first."""

    def __post_init__(self) -> None:
        """Refuse what could never be asked for.

        Raises:
            ReviewerError: When nothing would be reviewed, or a bound is none.

        """
        if self.from_risk is None and self.below_score is None:
            msg = "This reviewer would review nothing: give `from_risk` or `below_score`."
            raise ReviewerError(msg)
        if self.from_risk is not None and self.from_risk not in set(Risk):
            msg = f"Reviewer.from_risk is {self.from_risk!r}: write one of {', '.join(repr(str(one)) for one in Risk)}."
            raise ReviewerError(msg)
        if self.below_score is not None and not 0 < self.below_score <= 1:
            msg = f"Reviewer.below_score is {self.below_score!r}, but must be above 0 and at most 1."
            raise ReviewerError(msg)
        if self.loops not in range(1, _MOST_LOOPS + 1):
            msg = f"Reviewer.loops is {self.loops!r}, but must be 1 or {_MOST_LOOPS}."
            raise ReviewerError(msg)
        for name in ("seconds", "context_tokens"):
            value = getattr(self, name)
            if not isfinite(value) or value <= 0:
                msg = f"Reviewer.{name} is {value!r}, but must be a number above zero."
                raise ReviewerError(msg)

    def wants(self, risk: Risk, score: float) -> bool:
        """Tell whether a call is reviewed, by what it could do and how sure the least sure layer is."""
        if self.from_risk is not None and risk.rank >= Risk(self.from_risk).rank:
            return True
        return self.below_score is not None and score < self.below_score

    def may_object(self, history: Iterable[PastCall]) -> bool:
        """Tell whether there is a loop left since something last ran."""
        return _rounds(tuple(history)) < self.loops


def stands_by(digest: str, history: Iterable[PastCall]) -> bool:
    """Tell whether the model sends a call again to which the reviewer has objected: then it is believed."""
    return any(past.kind == ErrorKind.REVIEWER and past.digest == digest for past in history)


def _rounds(history: tuple[PastCall, ...]) -> int:
    """Count the proposals that the reviewer sent back since something last ran."""
    ran = max((past.step for past in history if past.status in _RAN), default=0)
    return len({past.step for past in history if past.kind == ErrorKind.REVIEWER and past.step > ran})

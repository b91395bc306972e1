"""What can be said about a result: fine, to be used with a warning, or not to be used."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from reinforced_agent.tools.failure_words import PASSING, class_of_status, class_of_text, leaves_open


_MOST_MESSAGE = 500


@dataclass(frozen=True, slots=True)
class Doubt:
    """One thing about a result that the model has to know, as data."""

    code: str
    """Key of its text in `policies.wording.results`."""
    facts: Mapping[str, str] = field(default_factory=dict)
    mention: bool = False
    """Whether the answer to the user has to say so."""


@dataclass(frozen=True, slots=True)
class Fine:
    """The result may be used."""


@dataclass(frozen=True, slots=True)
class Suspicious:
    """The result may be used with what is noted."""

    doubts: tuple[Doubt, ...]


@dataclass(frozen=True, slots=True)
class Bad:
    """The result can't be used."""

    doubt: Doubt
    reported: bool = False
    """Whether the tool itself says that it failed; then a write had no effect, as if it had raised."""
    lost: bool = False
    """Whether it isn't the tool that answered but something on the way, or nothing in time, so that a write may have
    happened or not."""
    may_pass: bool = True
    """Whether the same call may bring a better one."""
    category: str = ""
    """Why the tool failed, as a `FailureClass`, where what it reported tells."""

    def softened(self) -> Suspicious:
        """Return the same as a warning, where the result may as well speak of something else."""
        code = "reads_like_error" if self.doubt.code == "reported_error" else self.doubt.code
        return Suspicious((Doubt(code, self.doubt.facts),))


Sanity: TypeAlias = Fine | Suspicious | Bad


def told_failure(message: str, status: int | None = None) -> Bad:
    """Say that a tool reported its failure, with what follows from its words for another try, and for a write.

    Args:
        message: What it said.
        status: The HTTP status that it named.

    """
    kind = (class_of_status(status) if status is not None else None) or class_of_text(message)
    lost = leaves_open(kind, message, status)
    facts = {"message": message[:_MOST_MESSAGE]} | ({} if status is None else {"status": str(status)})
    return Bad(
        Doubt("reported_error", facts), reported=not lost, lost=lost, may_pass=kind in PASSING, category=kind.value
    )

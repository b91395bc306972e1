"""What can be said about a result: fine, to be used with a warning, or not to be used."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, TypeAlias

from reinforced_agent.tools.error_codes import PASSING, class_of_code, class_of_status, leaves_open


_MOST_MESSAGE: Final = 500

REPORTS_ERROR: Final = "reports_error"
"""A read whose whole result is an error: an answer for the model, but nothing that facts or rules may be built on."""
UNFINISHED: Final = "unfinished"
"""A result that says that something is still under way, so that the same read may be made again."""
SILENT: Final = frozenset({REPORTS_ERROR, UNFINISHED})
"""Doubts for the record and for rules alone: the model reads the result itself."""


@dataclass(frozen=True, slots=True)
class Doubt:
    """One thing about a result that has to be known, as data."""

    code: str
    """Key of its text in `policies.results.messages`, or one of `SILENT`."""
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

    @property
    def reports_error(self) -> bool:
        """Whether a read brought nothing but an error."""
        return any(doubt.code == REPORTS_ERROR for doubt in self.doubts)


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


Sanity: TypeAlias = Fine | Suspicious | Bad


def told_failure(message: str, status: int | None = None, code: str = "") -> Bad:
    """Say that a tool reported its failure, with what follows for another try, and for a write.

    Args:
        message: What it said.
        status: The HTTP status that it named.
        code: The code of gRPC, or of a cloud, that it named.

    """
    kind = class_of_status(status) if status is not None else None
    kind = kind or class_of_code(code)
    lost = leaves_open(kind, message, status)
    facts = {"message": message[:_MOST_MESSAGE]} | ({} if status is None else {"status": str(status)})
    doubt = Doubt("reported_error", facts)
    return Bad(doubt, reported=not lost, lost=lost, may_pass=kind in PASSING, category=kind.value if kind else "")

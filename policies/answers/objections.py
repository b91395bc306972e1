"""What an answer is held against, and what can be wrong with it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

from reinforced_agent.policies.answers.rules import Disclaimer, Forbidden
from reinforced_agent.policies.sanity import Doubt
from reinforced_agent.tools.spec import ToolSpec


@dataclass(frozen=True)
class Deed:
    """One call that was to change something."""

    tool: str
    arguments: Mapping[str, Any] = field(default_factory=dict)
    result: str = ""
    outcome: Literal["done", "unknown", "not_done"] = "done"
    earlier: bool = False
    """Whether it belongs to an earlier turn of the thread."""
    made_good: bool = False
    """Whether a later call of the turn did what this one failed to do."""


@dataclass(frozen=True)
class Evidence:
    """What is known when an answer is given."""

    request: str = ""
    given: Sequence[str] = ()
    """What the user, the host, and the descriptions of the tools say."""
    results: Sequence[str] = ()
    """What tools returned in the thread, and the arguments they were called with."""
    used: frozenset[str] = frozenset()
    """Tools that brought a result in this turn."""
    writes: tuple[ToolSpec, ...] = ()
    """Tools that change something."""
    deeds: Sequence[Deed] = ()
    """Calls that were to change something, in this turn and before, the oldest first."""
    told: Sequence[str] = ()
    """What other calls returned, and what people said: texts that may say that something was done."""
    offer: str = ""
    """What the assistant had said before the request."""
    doubts: tuple[tuple[str, Doubt], ...] = field(default=())
    """Warnings about results that the answer has to mention, each with its tool."""


@dataclass(frozen=True, slots=True)
class Unconfirmed:
    """Values that nobody gave."""

    values: tuple[str, ...]


Why: TypeAlias = Literal["never", "earlier", "other", "part", "unknown"]
"""No tool did it; one did, in an earlier turn only; to something else; to a part only; nobody knows."""


@dataclass(frozen=True, slots=True)
class Undone:
    """A claim that something was done that was not."""

    tool: str
    words: str
    """The claim as it stands in the answer."""
    why: Why = "never"
    values: tuple[str, ...] = ()
    """What it was not done to."""


@dataclass(frozen=True, slots=True)
class Uncertain:
    """A call whose outcome nobody knows, and an answer without a word about that."""

    tool: str


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A warning about a result that the answer doesn't mention."""

    tool: str
    doubt: Doubt


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


Objection: TypeAlias = Unconfirmed | Undone | Uncertain | LeftOut | Unsaid | Banned | TooLong

"""What an answer is held against, and what can be wrong with it."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from reinforced_agent.policies.answers.rules import Disclaimer, Forbidden
from reinforced_agent.policies.sanity import Doubt
from reinforced_agent.tools.spec import ToolSpec


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
    done: Collection[str] = ()
    """Those that did, in this thread."""
    unknown: frozenset[str] = frozenset()
    """Those of which nobody knows."""
    doubts: tuple[tuple[str, Doubt], ...] = field(default=())
    """Warnings about results that the answer has to mention, each with its tool."""


@dataclass(frozen=True, slots=True)
class Unconfirmed:
    """Values that nobody gave."""

    values: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Undone:
    """A claim that something was done that was not."""

    tool: str
    words: str
    """The claim as it stands in the answer."""
    unknown: bool = False
    """Whether it was tried, and nobody knows whether it took effect."""


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


Objection: TypeAlias = Unconfirmed | Undone | LeftOut | Unsaid | Banned | TooLong

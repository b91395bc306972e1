"""What a tool declares about itself: name, parameters, risk, time and what to do when it fails."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any, Self, TypeAlias

from reinforced_agent.tools.call import JSON


class Risk(StrEnum):
    """How much harm a wrong call can do; ordered from least to most."""

    READ = "read"
    """Changes nothing."""
    WRITE = "write"
    """Changes something, or nobody said that it doesn't."""
    DESTRUCTIVE = "destructive"
    """Deletes, pays or otherwise can't be taken back."""

    @property
    def rank(self) -> int:
        """Position in the order of harm, from 0."""
        return list(Risk).index(self)


Arguments: TypeAlias = Mapping[str, JSON]
"""Canonical arguments of a call."""


@dataclass(frozen=True, slots=True)
class Example:
    """A request and the arguments a right call for it has; shown to models that learn from examples."""

    request: str
    arguments: Arguments


@dataclass(frozen=True, slots=True)
class Alternative:
    """Another tool that serves when this one can't."""

    tool: str
    """Registered name of the other tool."""
    arguments: Callable[[Arguments], dict[str, JSON]] = dict
    """Turns the arguments of this tool into those of the other; the result is checked like any call."""


@dataclass(frozen=True, slots=True)
class StaticAnswer:
    """A fixed text that stands in for the result when nothing else can."""

    text: str


Fallback: TypeAlias = Alternative | StaticAnswer


@dataclass(frozen=True, kw_only=True)
class ToolSpec:
    """One tool as the graph knows it."""

    name: str
    """Unique; letters, digits, `_` and `-`, at most 64 characters (what providers accept)."""
    description: str
    """For the model."""
    parameters: Mapping[str, Any]
    """JSON Schema of the arguments, an object schema; unknown fields are refused even where it is silent."""
    risk: Risk = Risk.WRITE
    """Undeclared counts as write, and a write asks a person."""
    timeout: float | None = None
    """Seconds for one call; `None` takes the limit of the run."""
    examples: tuple[Example, ...] = ()
    """Right calls, for small models and for feedback."""
    offered: bool = True
    """Whether the model may call it; a tool that isn't offered serves as a fallback only."""
    pollable: bool = False
    """The same call may be repeated on purpose, because its answer changes."""
    check_repetition: bool = True
    """Whether repeated calls are objected to."""
    idempotent: bool = False
    """Running it twice with the same arguments has the effect of running it once."""
    untrusted_output: bool = False
    """The result may hold text that strangers wrote."""
    fallbacks: tuple[Fallback, ...] = ()
    """What to try, in this order, when the tool fails."""
    validate: Callable[[Arguments], object] | None = None
    """Checks what a schema can't say; raises `ValueError` with a text the model can act on."""
    run: Callable[[Arguments], Any] | None = field(default=None, repr=False)
    """Runs the tool and returns its result."""
    arun: Callable[[Arguments], Awaitable[Any]] | None = field(default=None, repr=False)
    """Runs the tool in an event loop; where it is missing, `run` goes to a thread."""

    def __post_init__(self) -> None:
        """Accept the risk as a plain word."""
        object.__setattr__(self, "risk", Risk(self.risk))

    def declare(self, **declared: Any) -> Self:
        """Return this tool with some of its declarations replaced, such as `risk="read"`."""
        return replace(self, **declared)

"""The arguments of one call as data: what is known beforehand, what was written, and what might stand there instead."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from reinforced_agent.models.local.decode import Branch


@dataclass(frozen=True)
class Steering:
    """What is known about the arguments beside the request."""

    fixed: Mapping[str, Any] = field(default_factory=dict)
    """Values that stand, by field."""
    refused: Mapping[str, Sequence[Any]] = field(default_factory=dict)
    """Values that must not come again, by field."""
    quoted: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """Values that were proposed for a field."""
    hints: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """Texts that a field should be copied from instead of the request."""
    left_out: frozenset[str] = frozenset()
    """Optional fields that stay out."""
    begun: Mapping[str, Sequence[int]] = field(default_factory=dict)
    """Tokens with which values begin, by field."""


@dataclass(frozen=True)
class Alternative:
    """A value that a field might have had instead."""

    field: str
    log_p: float
    """Natural log of the probability of the arguments up to and with this value, or with its beginning."""
    text: str = ""
    """The whole value as JSON; empty where only its beginning is known."""
    begin: tuple[int, ...] = ()
    """Tokens that it begins with."""


@dataclass(frozen=True)
class Filled:
    """Arguments that were written."""

    arguments: dict[str, Any]
    text: str
    """The same as JSON, cut where the tokens ran out."""
    tokens: int
    complete: bool = True
    order: tuple[str, ...] = ()
    """The fields in the order in which they were decided on, those that were left out among them."""
    log_p: Mapping[str, float] = field(default_factory=dict)
    """Natural log of the probability of each value that was chosen, under the masks and with the experts."""
    alternatives: tuple[Alternative, ...] = ()
    """What might have stood there instead, where that was asked for."""


@dataclass(frozen=True)
class Value:
    """One value as it was written, with the blank before it."""

    text: str
    tokens: int = 0
    complete: bool = True
    kept: bool = True
    log_p: float | None = None
    """None where there was nothing to choose."""
    others: Mapping[str, float] = field(default_factory=dict)
    """Other values with their log-probabilities."""
    branches: tuple[Branch, ...] = ()

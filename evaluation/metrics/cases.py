"""The records that numbers are made from: one request with its proposals, and one case with and without the layers.

Live evaluation and the records of a service are both turned into these; nothing here knows where they came from.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Objected:
    """What one layer said against one call."""

    layer: str
    """Name of the layer."""
    kind: str
    """Error kind, such as `invalid_arguments`."""
    fields: tuple[str, ...] = ()
    """Paths of the arguments concerned; empty where it is not about a field."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposal:
    """One call as it was proposed, and what became of it."""

    tool: str
    """Registered name, or the name as written where none is registered."""
    done: bool
    """Whether it ran and brought a usable result."""
    objections: tuple[Objected, ...] = ()
    """What stood against it; empty where it ran at once, or waited for nothing but a person."""
    step: int = 1
    """The message of the model it belonged to, counted from 1; siblings share it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Episode:
    """One request of a user with all calls proposed for it, oldest first."""

    id: str
    proposals: tuple[Proposal, ...] = ()
    resolved: bool = False
    """Whether the request was served in the end, as far as the source can tell."""
    gave_up: bool = False
    """Whether the model stopped proposing calls after feedback, without a result."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparedCase:
    """One case, once without and once with the layers."""

    id: str
    base_right: bool
    """Whether it is right without them: the first proposal as it stands."""
    after_right: bool
    """Whether it is right with them: what came out after all feedback."""
    layers: tuple[str, ...] = ()
    """The layers that objected on the way; empty where nothing was changed."""

    @property
    def helped(self) -> bool:
        """Whether an error was mended."""
        return self.after_right and not self.base_right

    @property
    def harmed(self) -> bool:
        """Whether something right was spoilt."""
        return self.base_right and not self.after_right

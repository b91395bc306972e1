"""What may stand in for a tool that gives no usable result."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TypeAlias

from reinforced_agent.tools.call import JSON
from reinforced_agent.tools.host_functions import require_plain


@dataclass(frozen=True, slots=True)
class Alternative:
    """Another tool that serves when this one can't."""

    tool: str
    """Registered name of the other tool."""
    arguments: Callable[[Mapping[str, JSON]], dict[str, JSON]] = dict
    """Turns the arguments of this tool into those of the other; the result is checked like any call."""

    def __post_init__(self) -> None:
        """Refuse a mapping that could never be used.

        Raises:
            TypeError: When it can't be called, or is async.

        """
        require_plain(self.arguments, "Alternative.arguments")


@dataclass(frozen=True, slots=True)
class StaticAnswer:
    """A fixed text that stands in for the result when nothing else can."""

    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class LastGood:
    """The newest good result of the same call, told with its age; for tools that read only.

    Results are kept in the process, for the person they were made for. Those of calls that a person had to approve
    are not kept.
    """

    max_age: float
    """Seconds after which a result is too old to be told."""
    key: Callable[[Mapping[str, JSON]], str | None] | None = None
    """Which calls may stand for one another, made of the arguments; without it, those with the same arguments. `None`
    from it, or an exception, keeps and finds nothing."""
    shared: bool = False
    """Whether everybody may see what was brought for anybody, across users and tenants; for public data only."""

    def __post_init__(self) -> None:
        """Refuse an age that nothing could have, and a key that nobody could ask.

        Raises:
            ValueError: When the age is zero, negative or no number.
            TypeError: When the key can't be called, or is async.

        """
        if not self.max_age > 0:
            msg = f"LastGood.max_age is {self.max_age!r}, but must be above zero, in seconds."
            raise ValueError(msg)
        if self.key is not None:
            require_plain(self.key, "LastGood.key")


@dataclass(frozen=True, slots=True)
class GiveUp:
    """Ends the turn with a text for the user: nothing further is tried, and the model is not asked again."""

    text: str


Fallback: TypeAlias = Alternative | StaticAnswer | LastGood | GiveUp

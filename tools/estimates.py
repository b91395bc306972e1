"""What a call will cost, as its tool declares it: money and seconds, and what may be called in its place."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, TypeAlias

from reinforced_agent.tools.containers import typed_containers


Given: TypeAlias = Mapping[str, Any]
"""Canonical arguments of a call, whose schema says what they are."""

_MOST: Final = 1e300
"""Far above any amount, and far below where sums end in infinity."""

Amount: TypeAlias = float | Callable[[Given], float]
"""A fixed number, or a function of the arguments; never below zero."""


@dataclass(frozen=True, kw_only=True, slots=True)
@typed_containers
class Lighter:
    """What may be called in place of a call that costs too much."""

    tool: str = ""
    """Registered name of another tool; empty for the same one."""
    arguments: Given | Callable[[Given], Given] = field(default_factory=dict)
    """Arguments laid over those of the call, such as `{"limit": 10}`, or a function that maps all of them."""


@dataclass(frozen=True, kw_only=True, slots=True)
@typed_containers
class Estimate:
    """What one call of a tool will cost, with all its attempts."""

    money: Amount | None = None
    """In the currency that `Limits.money` is in; `None` = nothing."""
    seconds: Amount | None = None
    """Time from start to end; `None` = not known."""
    lighter: tuple[Lighter, ...] = ()
    """What to propose to the model when a call costs too much; the first that fits is taken."""
    actual: Callable[[Any], float | None] | None = None
    """Reads from what the tool returned what the call did cost; `None`, or an error, leaves the estimate."""

    def __post_init__(self) -> None:
        """Refuse amounts that could only fail when a call is judged.

        Raises:
            ValueError: When a fixed amount is no finite number from zero up.

        """
        for name in ("money", "seconds"):
            amount = getattr(self, name)
            if amount is not None and not callable(amount) and not is_amount(amount):
                msg = f"Estimate.{name} is {amount!r}: write a number from 0 up, or a function of the arguments."
                raise ValueError(msg)


def is_amount(value: object) -> bool:
    """Tell whether a value can be an amount of money or time."""
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value < _MOST


def unknown_tools(estimate: Estimate | None, registered: Mapping[str, object]) -> list[str]:
    """Name the tools that an estimate proposes and that aren't registered."""
    lighter = () if estimate is None else estimate.lighter
    return [one.tool for one in lighter if one.tool and one.tool not in registered]

"""What a run has left when a call is judged."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias


TooExpensive: TypeAlias = Literal["revise", "ask"]
"""What happens to a call that costs too much money: `revise` sends it back, with a lighter one where there is one;
`ask` puts it to a person."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Budget:
    """What is left for one call, after what ran before it and what was accepted beside it; `None` = no bound."""

    money: float | None = None
    """Left of the money of the run."""
    call_money: float | None = None
    """Most that this one call may cost."""
    seconds: float | None = None
    """Left of the working time of the run; calls that run side by side share it."""
    calls: int | None = None
    """Calls left of the run."""
    tool_calls: int | None = None
    """Calls left of this tool."""
    too_expensive: TooExpensive = "revise"


UNBOUNDED = Budget()
"""The budget of a run without bounds."""

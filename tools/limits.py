"""Bounds of one tool, where they differ from those of the run."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Final, Literal, TypeAlias


AsRun: TypeAlias = Literal["run"]
"""The tool has the bound that `Limits` sets for every tool."""

_MAY_BE_OFF: Final = frozenset({"calls", "failures", "result_tokens"})
"""Bounds that `None` switches off."""


@dataclass(frozen=True, kw_only=True, slots=True)
class ToolLimits:
    """Bounds of one tool within one run; `"run"` is the bound of `Limits`, `None` = off.

    The time for one call is `ToolSpec.timeout`.
    """

    calls: int | None = None
    """Calls of the tool that may be started in one run; `None` = off."""
    failures: int | AsRun | None = "run"
    """Failures in a row before it is no longer offered; `None` = off."""
    attempts: int | AsRun = "run"
    """How often one call is tried when its fault may pass by itself; 1 = never again."""
    result_tokens: int | AsRun | None = "run"
    """Size of one result as the model sees it, in tokens; `None` = off."""

    def __post_init__(self) -> None:
        """Refuse bounds that no tool could keep.

        Raises:
            ValueError: When a bound is no whole number above zero.

        """
        for field in fields(self):
            value = getattr(self, field.name)
            if value == field.default or (value is None and field.name in _MAY_BE_OFF):
                continue
            if isinstance(value, bool) or not isinstance(value, int) or value <= 0:
                off = ", `None` = off" if field.name in _MAY_BE_OFF else ""
                inherited = "" if field.default is None else ', "run" = as for every tool'
                msg = f"ToolLimits.{field.name} is {value!r}: write a whole number above zero{off}{inherited}."
                raise ValueError(msg)

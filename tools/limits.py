"""Bounds of one tool, where they differ from those of the run."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from typing import Final, Literal, TypeAlias

from reinforced_agent.tools.estimates import is_amount


AsRun: TypeAlias = Literal["run"]
"""The tool has the bound that `Limits` sets for every tool."""

_MAY_BE_OFF: Final = frozenset({"calls", "failures", "result_tokens", "money"})
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
    money: float | AsRun | None = "run"
    """What one call may cost, by `ToolSpec.estimate`; `None` = off."""
    too_expensive: Literal["revise", "ask"] | AsRun = "run"
    """Whether a call that costs too much is sent back to the model, or put to a person."""

    def __post_init__(self) -> None:
        """Refuse bounds that no tool could keep.

        Raises:
            ValueError: On a bound of the wrong kind, zero or negative.

        """
        for field in fields(self):
            value = getattr(self, field.name)
            if value == field.default or (value is None and field.name in _MAY_BE_OFF):
                continue
            if not _SOUND.get(field.name, _is_count)(value):
                off = ", `None` = off" if field.name in _MAY_BE_OFF else ""
                inherited = "" if field.default is None else ', "run" = as for every tool'
                wanted = _WANTED.get(field.name, "a whole number above zero")
                msg = f"ToolLimits.{field.name} is {value!r}: write {wanted}{off}{inherited}."
                raise ValueError(msg)


def _is_count(value: object) -> bool:
    """Tell whether a value is a whole number above zero."""
    return isinstance(value, int) and not isinstance(value, bool) and value > 0


_SOUND: Final[Mapping[str, Callable[[object], bool]]] = {
    "money": is_amount,
    "too_expensive": lambda value: value in ("revise", "ask"),
}
_WANTED: Final = {"money": "a number from 0 up", "too_expensive": '"revise" or "ask"'}

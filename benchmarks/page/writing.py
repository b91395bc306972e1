"""Write numbers, tables and sections as Markdown, the same way on every part of the page."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from reinforced_agent.evaluation.metrics.shares import Number, share


NOTHING: Final = "-"
_FINE: Final = 0.01
"""Shares without an interval below this are written with one decimal more."""
_NEAR: Final = 0.02
_NEARER: Final = 0.0005
"""Intervals that lie nearer to 0 or 1 than these are written with one and with two decimals more."""


@dataclass(frozen=True, slots=True)
class Section:
    """One part of the page."""

    title: str
    commands: tuple[str, ...] = ()
    """What measures it again."""
    parts: tuple[str, ...] = ()
    """Paragraphs and tables."""
    missing: str = ""
    """Why it was not measured; empty where it was."""

    def __str__(self) -> str:
        """Write it down."""
        commands = [f"Measured again by {' and '.join(f'`{command}`' for command in self.commands)}."]
        missing = [f"**Not measured**: {self.missing}."] if self.missing else []
        return "\n\n".join([f"## {self.title}", *(commands if self.commands else ()), *missing, *self.parts])


def table(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Write a table; columns of numbers stand on the right."""
    rows = [list(row) for row in rows]
    sides = ["--:" if all(map(_is_number, cells)) else "---" for cells in zip(*rows, strict=True)] or ["---"] * len(
        columns
    )
    head = [f"| {' | '.join(columns)} |", f"|{'|'.join(sides)}|"]
    return "\n".join([*head, *(f"| {' | '.join(row)} |" for row in rows)])


def _is_number(cell: str) -> bool:
    """Tell whether a cell begins with a number, or says that there is none."""
    return cell == NOTHING or cell.lstrip("+-")[:1].isdigit()


def items(lines: Iterable[str]) -> str:
    """Write a list."""
    return "\n".join(f"- {line}" for line in lines)


def count(number: int) -> str:
    """Write a count with commas."""
    return f"{number:,}"


def percent(value: float, digits: int | None = None) -> str:
    """Write a share as a percentage; small ones with one decimal more."""
    digits = (2 if 0 < abs(value) < _FINE else 1) if digits is None else digits
    return f"{100 * value:.{digits}f}%"


def rate(number: Number | Mapping[str, Any]) -> str:
    """Write a share with its interval, or that there is none."""
    found = number.as_json() if isinstance(number, Number) else number
    value = found["value"]
    if value is None:
        return NOTHING
    if "low" not in found:
        return percent(value)
    low, high = found["low"], found["high"]
    digits = _digits(min(high, 1 - low))
    return f"{percent(value, digits)} ({100 * low:.{digits}f} to {100 * high:.{digits}f})"


def _digits(edge: float) -> int:
    """Choose decimals by how near to 0 or 1 an interval lies."""
    return 1 if edge >= _NEAR else 2 if edge >= _NEARER else 3


def part_of(part: int, total: int) -> str:
    """Write how many of how many, with the share and its Wilson interval."""
    return f"{count(part)} of {count(total)}" + (f" = {rate(share(part, total))}" if total else "")


def points(number: Number) -> str:
    """Write a difference of shares in points, with its interval where there is one."""
    if number.value is None:
        return NOTHING
    ends = (
        "" if number.low is None or number.high is None else f" ({100 * number.low:+.1f} to {100 * number.high:+.1f})"
    )
    return f"{100 * number.value:+.1f}{ends}"


def mean(number: Number, digits: int) -> str:
    """Write a mean with its interval where there is one."""
    if number.value is None:
        return NOTHING
    ends = (
        "" if number.low is None or number.high is None else f" ({number.low:,.{digits}f} to {number.high:,.{digits}f})"
    )
    return f"{number.value:,.{digits}f}{ends}"

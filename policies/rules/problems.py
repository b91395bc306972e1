"""How strictly rule files are read, and what is wrong with rules, with the place in the file where there is one."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final, TypeAlias

from pydantic import ConfigDict


Path: TypeAlias = tuple[str | int, ...]
"""Steps to a place in the data: `("rule", 2, "tools")`."""

STRICT: Final = ConfigDict(extra="forbid")
"""What a class wants to be read from a file says so with `__pydantic_config__ = STRICT`."""


@dataclass(frozen=True, slots=True)
class RuleProblem:
    """One mistake."""

    path: Path
    """Where in the data; empty for the file as a whole."""
    text: str
    """What is wrong, what is allowed, and one thing to do."""
    file: str = ""
    line: int = 0
    """Line in the file, counted from 1; 0 where there is none."""

    def __str__(self) -> str:
        """Write `FILE:LINE: PLACE: TEXT`."""
        place = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in self.path).lstrip(".")
        where = ":".join(part for part in (self.file, str(self.line) if self.line else "") if part)
        return ": ".join(part for part in (where, place, self.text) if part)


class RuleError(ValueError):
    """Rules are wrong; the message names every mistake, one a line."""

    def __init__(self, problems: Iterable[RuleProblem]) -> None:
        """Take all mistakes."""
        self.problems = tuple(problems)
        super().__init__("\n".join(map(str, self.problems)))

"""What a report consists of, for a terminal and a page alike: groups of sections, each with its tables and plots."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from reinforced_agent.evaluation.report.markup import Markup


@dataclass(frozen=True, slots=True)
class Grid:
    """A table; all cells are text."""

    columns: tuple[str, ...]
    rows: Sequence[tuple[str, ...]]
    words: int = 1
    """How many columns at the left hold words; the others hold numbers, and are set flush right."""
    title: str = ""
    """Where a section has several tables of one kind: which one this is."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """One question and its answer."""

    title: str
    about: str
    """What is shown, and how it was counted."""
    grids: list[Grid] = field(default_factory=list)
    plots: list[Markup] = field(default_factory=list)
    """For the page only."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """Everything about one source."""

    name: str
    """Short, and unique in a report."""
    title: str
    facts: list[tuple[str, str]]
    """What was measured, when, and how much of it."""
    warnings: list[str] = field(default_factory=list)
    """What a reader has to know before trusting the numbers."""
    sections: list[Section] = field(default_factory=list)

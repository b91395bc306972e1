"""Print a report on the terminal."""

from __future__ import annotations

from collections.abc import Iterable

from rich.box import SIMPLE
from rich.console import Console
from rich.table import Table
from rich.text import Text

from reinforced_agent.evaluation.report.sections import Grid, Group


def print_report(groups: Iterable[Group], console: Console) -> None:
    """Print every group with its sections and tables; plots are for the page."""
    for group in groups:
        console.rule(Text(group.title, style="bold"), align="left")
        for name, value in group.facts:
            console.print(Text.assemble((f"{name}: ", "dim"), value))
        for warning in group.warnings:
            console.print(Text(warning, style="yellow"))
        for section in group.sections:
            console.print()
            console.print(Text(section.title, style="bold"))
            console.print(Text(section.about, style="dim"))
            for grid in section.grids:
                console.print(_table(grid))
        console.print()


def _table(grid: Grid) -> Table:
    """Make a table; its cells are texts, so that nothing in them is taken for markup."""
    table = Table(header_style="bold", title=Text(grid.title) if grid.title else None, title_justify="left", box=SIMPLE)
    for at, name in enumerate(grid.columns):
        table.add_column(name, justify="left" if at < grid.words else "right", overflow="fold")
    for row in grid.rows:
        table.add_row(*map(Text, row))
    return table

"""Write a report as one page that needs nothing else: no scripts, nothing loaded, plots within it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime
from pathlib import Path
from typing import Final

from reinforced_agent.evaluation.report.markup import Markup, document, element, join, style
from reinforced_agent.evaluation.report.sections import Grid, Group, Section


TITLE: Final = "Tool calls: what the checks did"
_STYLE: Final = Path(__file__).with_name("page.css")
_ALLOWED: Final = "default-src 'none'; style-src 'unsafe-inline'"
"""What a browser may load: nothing, whatever the page held."""


def page(groups: Sequence[Group], *, made_at: datetime, version: str) -> str:
    """Write the page.

    Args:
        groups: What is reported, at least one.
        made_at: When, with its time zone.
        version: Of this package.

    """
    head = element(
        "head",
        element("meta", charset="utf-8"),
        element("meta", name="viewport", content="width=device-width, initial-scale=1"),
        element("meta", name="color-scheme", content="light dark"),
        element("meta", http_equiv="Content-Security-Policy", content=_ALLOWED),
        element("title", TITLE),
        style(_STYLE.read_text(encoding="utf-8")),
    )
    made = f"Made on {made_at:%Y-%m-%d %H:%M %Z} by reinforced-agent {version}."
    top = element("header", element("h1", TITLE), element("p", made, class_="quiet"), _contents(groups))
    body = element("body", top, element("main", map(_group, groups)))
    return document(element("html", head, body, lang="en"))


def _contents(groups: Iterable[Group]) -> Markup:
    """List the sections."""
    links = [
        element("a", section.title, href=f"#{_place(group, section)}") for group in groups for section in group.sections
    ]
    return element("nav", links, aria_label="Sections")


def _place(group: Group, section: Section) -> str:
    """Name the place of a section in the page."""
    return f"{group.name}-{group.sections.index(section)}"


def _group(group: Group) -> Markup:
    """Write everything about one source."""
    facts = [join(element("dt", name), element("dd", value)) for name, value in group.facts]
    warnings = [element("p", text, class_="warning", role="note") for text in group.warnings]
    sections = [_section(section, _place(group, section)) for section in group.sections]
    heading = element("h2", group.title, id=group.name)
    return element("section", heading, element("dl", facts), warnings, sections, aria_labelledby=group.name)


def _section(section: Section, place: str) -> Markup:
    """Write one section: what it shows, its plots, its tables."""
    tables = [_table(grid, section.title) for grid in section.grids]
    heading = element("h3", section.title, id=place)
    return element(
        "section", heading, element("p", _prose(section.about)), section.plots, tables, aria_labelledby=place
    )


def _prose(text: str) -> Iterable[Markup]:
    """Write a text of this program, with what stands between backticks as code."""
    for at, part in enumerate(text.split("`")):
        yield element("code", part) if at % 2 else join(part)


def _table(grid: Grid, title: str) -> Markup:
    """Write a table, which scrolls where the page is narrow."""
    name = f"{title}, {grid.title or 'table'}"
    kinds = [None if at < grid.words else "number" for at in range(len(grid.columns))]
    head = [element("th", name, scope="col", class_=kind) for name, kind in zip(grid.columns, kinds, strict=True)]
    rows = [element("tr", _cells(row, kinds, grid.words)) for row in grid.rows]
    caption = [element("caption", grid.title)] if grid.title else []
    table = element("table", caption, element("thead", element("tr", head)), element("tbody", rows))
    return element("div", table, class_="scroll", role="region", aria_label=name, tabindex=0)


def _cells(row: Sequence[str], kinds: Sequence[str | None], words: int) -> Iterable[Markup]:
    """Write the cells of a row; the first one names it where it holds words."""
    for at, (cell, kind) in enumerate(zip(row, kinds, strict=True)):
        if at == 0 and words:
            yield element("th", cell, scope="row")
        else:
            yield element("td", cell, class_=kind)

"""The parts that all plots are made of: a frame that says what it shows, texts, bars, whiskers and scales."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from math import ceil, floor, log10
from typing import Final

from reinforced_agent.evaluation.report.markup import Markup, element
from reinforced_agent.evaluation.report.words import shown


WIDTH: Final = 760.0
"""Width of every plot, in the units of its drawing; a page scales it."""
ROW: Final = 30.0
"""Height of one row of a plot."""
_LETTER: Final = 8.0
"""Room for one character of a name."""
_NAME: Final = 32
"""Characters of a name that are shown."""


def frame(name: str, title: str, description: str, parts: Iterable[Markup], *, height: float) -> Markup:
    """Draw a plot under its title: an image with a description for those who can't see it.

    Args:
        name: Unique on the page.
        title: What it shows.
        description: Its numbers in words.
        parts: The drawing.
        height: In the units of the drawing.

    """
    drawing = element(
        "svg",
        element("title", title, id=f"{name}-title"),
        element("desc", description, id=f"{name}-desc"),
        parts,
        viewBox=f"0 0 {WIDTH:g} {height:g}",
        role="img",
        aria_labelledby=f"{name}-title {name}-desc",
        id=name,
    )
    return element("figure", element("figcaption", title), drawing)


def label(x: float, y: float, text: str, *, anchor: str = "start", kind: str = "") -> Markup:
    """Write a text whose middle line is at `y`."""
    return element("text", text, x=x, y=y + 4.5, text_anchor=anchor, class_=kind or None)


def room_for(names: Iterable[str]) -> float:
    """Return the room at the left that the names of rows need."""
    return 20 + _LETTER * max(12, *(len(shown(name, _NAME)) for name in names))


def row_name(y: float, room: float, text: str) -> Markup:
    """Write the name of a row at the left, in full when pointed at."""
    return element("text", element("title", text), shown(text, _NAME), x=room - 10, y=y + 4.5, text_anchor="end")


def line(x1: float, y1: float, x2: float, y2: float, kind: str) -> Markup:
    """Draw a line."""
    return element("line", x1=x1, y1=y1, x2=x2, y2=y2, class_=kind)


def bar(x: float, y: float, width: float, height: float, kind: str, tip: str) -> Markup:
    """Draw a bar that says its number when pointed at."""
    return element(
        "rect",
        element("title", tip),
        x=x,
        y=y,
        width=max(width, 1.0),
        height=height,
        rx=2,
        class_=kind,
    )


def dot(x: float, y: float, kind: str, tip: str, *, radius: float = 5) -> Markup:
    """Draw a dot that says its number when pointed at."""
    return element("circle", element("title", tip), cx=x, cy=y, r=radius, class_=kind)


def whisker(low: float, high: float, y: float, kind: str = "whisker") -> list[Markup]:
    """Draw an interval."""
    ends = [line(x, y - 4, x, y + 4, kind) for x in (low, high)]
    return [line(low, y, high, y, kind), *ends]


@dataclass(frozen=True, slots=True)
class Scale:
    """Where values lie between two places of the drawing."""

    low: float
    high: float
    left: float
    right: float = WIDTH - 90

    def __call__(self, value: float) -> float:
        """Return the place of a value."""
        reach = self.high - self.low or 1.0
        return self.left + (value - self.low) / reach * (self.right - self.left)


def axis(
    scale: Callable[[float], float], ticks: Sequence[tuple[float, str]], height: float, *, top: float = 0
) -> list[Markup]:
    """Draw lines at some values, with their names below."""
    lines = [line(scale(value), top, scale(value), height - 24, "grid") for value, _ in ticks]
    names = [label(scale(value), height - 12, name, anchor="middle", kind="quiet") for value, name in ticks]
    return [*lines, *names]


def percent_ticks(low: float, high: float) -> list[tuple[float, str]]:
    """Choose round shares between two others."""
    step = next((step for step in (0.01, 0.02, 0.05, 0.1, 0.2) if (high - low) / step <= 6), 0.25)  # noqa: PLR2004  # more would touch each other
    return [
        (at * step, f"{100 * at * step:.0f} %") for at in range(ceil(low / step - 1e-9), floor(high / step + 1e-9) + 1)
    ]


def decades(low: float, high: float) -> tuple[int, int]:
    """Return the powers of ten around positive values; at least two."""
    first, last = floor(log10(low)), ceil(log10(high))
    return first, max(last, first + 1)

"""The plots of the page, but for the flow: bars, times over powers of ten, shares with intervals, help and harm."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import log10

from reinforced_agent.evaluation.metrics.shares import Number
from reinforced_agent.evaluation.report.drawing import (
    ROW,
    WIDTH,
    Scale,
    axis,
    bar,
    decades,
    dot,
    frame,
    label,
    line,
    percent_ticks,
    room_for,
    row_name,
    whisker,
)
from reinforced_agent.evaluation.report.markup import Markup
from reinforced_agent.evaluation.report.spread import Spread
from reinforced_agent.evaluation.report.words import interval, microseconds, percent, with_interval


_FOOT = 30.0
"""Room for the names of an axis."""


def bars_plot(name: str, title: str, counts: Mapping[str, int]) -> Markup:
    """Draw counts as bars, one a row."""
    room = room_for(counts)
    scale = Scale(0, max(counts.values()), room)
    parts: list[Markup] = []
    for row, (key, count) in enumerate(counts.items()):
        y = ROW * (row + 0.5)
        parts.append(row_name(y, room, key))
        parts.append(bar(room, y - 9, scale(count) - room, 18, "neutral", f"{key}: {count}"))
        parts.append(label(scale(count) + 8, y, f"{count:,}"))
    told = ", ".join(f"{key} {count}" for key, count in counts.items())
    return frame(name, title, f"{title}: {told}.", parts, height=ROW * len(counts))


def times_plot(name: str, title: str, times: Mapping[str, Spread]) -> Markup:
    """Draw median and 99th percentile of times in microseconds, on a scale of powers of ten."""
    low = min(max(found.p50, 0.1) for found in times.values())
    first, last = decades(low, max(max(found.p99, 0.1) for found in times.values()))
    room = room_for(times)
    place, height = Scale(first, last, room), ROW * len(times) + _FOOT

    def scale(value: float) -> float:
        return place(log10(max(value, 0.1)))

    parts = axis(scale, [(10.0**power, microseconds(10.0**power)) for power in range(first, last + 1)], height)
    for row, (key, found) in enumerate(times.items()):
        y = ROW * (row + 0.5)
        parts += [row_name(y, room, key), line(scale(found.p50), y, scale(found.p99), y, "span")]
        parts.append(dot(scale(found.p50), y, "neutral", f"{key}: median {microseconds(found.p50)}"))
        parts.append(dot(scale(found.p99), y, "hollow", f"{key}: 99th percentile {microseconds(found.p99)}"))
        parts.append(label(WIDTH - 80, y, f"n {found.n:,}", kind="quiet"))
    told = "; ".join(
        f"{key}: median {microseconds(found.p50)}, 99th percentile {microseconds(found.p99)}, n {found.n}"
        for key, found in times.items()
    )
    return frame(name, title, f"{title}. {told}.", parts, height=height)


@dataclass(frozen=True, slots=True)
class Row:
    """One share of a plot."""

    name: str
    share: Number
    kind: str = "neutral"
    """Its colour."""
    head: str = ""
    """What stands above this row and those after it; empty for what stood above the one before."""


def shares_plot(name: str, title: str, rows: Sequence[Row], *, signed: bool = False) -> Markup:
    """Draw shares with their intervals, one a row.

    Args:
        name: Unique on the page.
        title: What it shows.
        rows: The shares; one that there is none of says why.
        signed: Whether the shares are differences, which may be negative.

    """
    ends = [end for row in rows for end in (row.share.value, row.share.low, row.share.high) if end is not None]
    low, high = (min([-0.05, *ends]), max([0.05, *ends])) if signed else (0.0, 1.0)
    room = room_for([row.name for row in rows] + [row.head for row in rows])
    scale = Scale(low, high, room, WIDTH - 110)
    height = ROW * (len(rows) + sum(bool(row.head) for row in rows)) + _FOOT
    parts = axis(scale, percent_ticks(low, high), height)
    if signed:
        parts.append(line(scale(0), 0, scale(0), height - 24, "zero"))
    y = -ROW / 2
    for row in rows:
        if row.head:
            y += ROW
            parts.append(label(0, y, row.head, kind="head"))
        y += ROW
        parts += [row_name(y, room, row.name), *_share(row, y, scale, signed=signed)]
    told = "; ".join(f"{row.head} {row.name}: {with_interval(row.share, sign=signed)}".strip() for row in rows)
    return frame(name, title, f"{title}. {told}.", parts, height=height)


def _share(row: Row, y: float, scale: Scale, *, signed: bool) -> list[Markup]:
    """Draw one share with its interval, and write it at the right."""
    one = row.share
    if one.value is None:
        return [label(scale.left + 8, y, one.reason, kind="quiet")]
    ends = [] if one.low is None or one.high is None else whisker(scale(one.low), scale(one.high), y)
    written = label(WIDTH - 98, y, percent(one.value, sign=signed))
    return [*ends, dot(scale(one.value), y, row.kind, with_interval(one, sign=signed)), written]


@dataclass(frozen=True, slots=True, kw_only=True)
class HelpAndHarm:
    """One row of the plot of help against harm."""

    name: str
    help: Number
    harm: Number
    base_errors: float
    """Error rate of the base."""

    @property
    def needed(self) -> float | None:
        """The help that makes up for the harm: at an error rate e, harm·(1-e)/e."""
        if self.harm.value is None or not self.base_errors:
            return None
        return self.harm.value * (1 - self.base_errors) / self.base_errors


def help_and_harm_plot(name: str, title: str, rows: Sequence[HelpAndHarm]) -> Markup:
    """Draw what was mended to the right, what was spoilt to the left, and a mark where they make up for each other."""
    left = max([0.1, *(end for row in rows for end in (row.harm.value, row.harm.high) if end is not None)])
    right = max([0.1, *(end for row in rows for end in (row.help.value, row.help.high) if end is not None)])
    room = room_for(row.name for row in rows)
    scale, height = Scale(-left, right, room, WIDTH - 20), ROW * len(rows) + _FOOT
    ticks = [(at, text.removeprefix("-")) for at, text in percent_ticks(-left, right)]
    parts = [*axis(scale, ticks, height), line(scale(0), 0, scale(0), height - 24, "zero")]
    for number, row in enumerate(rows):
        parts += [row_name(ROW * (number + 0.5), room, row.name), *_help_and_harm(row, ROW * (number + 0.5), scale)]
    told = "; ".join(f"{row.name}: {_told(row)}" for row in rows)
    return frame(name, title, f"{title}. {told}.", parts, height=height)


def _help_and_harm(row: HelpAndHarm, y: float, scale: Scale) -> list[Markup]:
    """Draw one row: both bars with their intervals, and the mark."""
    parts: list[Markup] = []
    for one, sign, kind in ((row.help, 1, "good"), (row.harm, -1, "bad")):
        if one.value is None:
            continue
        ends = sorted((scale(0), scale(sign * one.value)))
        parts.append(bar(ends[0], y - 8, ends[1] - ends[0], 16, kind, _told(row)))
        if one.low is not None and one.high is not None:
            parts += whisker(scale(sign * one.low), scale(sign * one.high), y)
    if row.needed is not None and row.needed <= scale.high:
        parts.append(line(scale(row.needed), y - 13, scale(row.needed), y + 13, "mark"))
    return parts


def _told(row: HelpAndHarm) -> str:
    """Say the numbers of a row."""
    needed = f", break-even at {percent(row.needed)} of help" if row.needed is not None else ""
    return (
        f"help {percent(row.help.value)} ({interval(row.help)}), harm {percent(row.harm.value)} "
        f"({interval(row.harm)}){needed}"
    )

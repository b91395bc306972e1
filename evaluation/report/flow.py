"""Draw how proposals flow: what was proposed, what was said about it, and what became of it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Final

from reinforced_agent.evaluation.report.drawing import WIDTH, bar, frame, label
from reinforced_agent.evaluation.report.markup import Markup, element
from reinforced_agent.evaluation.report.outcomes import FATES, RULINGS, Fate, Ruling
from reinforced_agent.evaluation.report.words import plural


_HEIGHT: Final = 240.0
"""Height of all proposals together."""
_GAP: Final = 14.0
_SLOT: Final = 20.0
"""Least height that a name needs."""
_TOP: Final = 34.0
_THICK: Final = 14.0
_COLUMNS: Final = (110.0, 330.0, 560.0)
_KINDS: Final[Mapping[str, str]] = {
    **dict.fromkeys(("done", "passed"), "good"),
    **dict.fromkeys(("served", "answered", "person asked"), "fair"),
    **dict.fromkeys(("asked again", "sent back"), "again"),
    **dict.fromkeys(("unknown",), "grave"),
}
"""Colour by what it means; everything else is bad."""


@dataclass(slots=True)
class _Node:
    """A bar from which bands go out, and in which others end."""

    name: str
    count: int
    x: float
    y: float
    height: float
    out: float = field(init=False)
    """Where the next band begins."""
    into: float = field(init=False)
    """Where the next band ends."""

    def __post_init__(self) -> None:
        self.out = self.into = self.y


def flow_plot(flow: Mapping[tuple[Ruling, Fate], int]) -> Markup:
    """Draw proposals on the left, what was said about them in the middle, what became of them on the right."""
    total = sum(flow.values())
    rulings = [(name, sum(n for (ruling, _), n in flow.items() if ruling == name)) for name in RULINGS]
    fates = [(name, sum(n for (_, fate), n in flow.items() if fate == name)) for name in FATES]
    (start,) = _column([("proposed", total)], 0, total)
    middle = {node.name: node for node in _column(rulings, 1, total)}
    end = {node.name: node for node in _column(fates, 2, total)}
    nodes = [start, *middle.values(), *end.values()]
    bands = [_band(start, node, node.count, total) for node in middle.values()]
    bands += [_band(middle[ruling], end[fate], n, total) for (ruling, fate), n in flow.items()]
    height = max(node.y + max(node.height, _SLOT) for node in nodes) + 10
    heads = [
        label(x, 12, name, kind="head")
        for x, name in zip(_COLUMNS, ("proposed", "ruling", "what became of it"), strict=True)
    ]
    told = "; ".join(f"{ruling}, then {fate}: {n}" for (ruling, fate), n in flow.items())
    title = "What became of the proposals"
    return frame("flow", title, f"{title}, {total} in all. {told}.", [*heads, *bands, *_drawn(nodes)], height=height)


def _column(counts: Iterable[tuple[str, int]], column: int, total: int) -> list[_Node]:
    """Place the nodes of a column one below the other."""
    nodes, y = [], _TOP
    for name, count in counts:
        if count:
            height = max(_HEIGHT * count / total, 2.0)
            nodes.append(_Node(name, count, _COLUMNS[column], y, height))
            y += max(height, _SLOT) + _GAP
    return nodes


def _band(source: _Node, target: _Node, count: int, total: int) -> Markup:
    """Draw a band between two nodes, as thick as what flows through it."""
    thick = _HEIGHT * count / total
    left, right = source.x + _THICK, target.x
    middle, top, end = (left + right) / 2, source.out, target.into
    source.out, target.into = low, bottom = top + thick, end + thick
    there = f"M{left:.1f} {top:.1f}C{middle:.1f} {top:.1f} {middle:.1f} {end:.1f} {right:.1f} {end:.1f}"
    back = f"V{bottom:.1f}C{middle:.1f} {bottom:.1f} {middle:.1f} {low:.1f} {left:.1f} {low:.1f}Z"
    tip = element("title", f"{source.name} → {target.name}: {count} ({100 * count / total:.1f} %)")
    return element("path", tip, d=there + back, class_=f"band {_KINDS.get(target.name, 'bad')}")


def _drawn(nodes: Iterable[_Node]) -> Iterable[Markup]:
    """Draw the nodes with their names and counts."""
    for node in nodes:
        kind = "neutral" if node.name == "proposed" else _KINDS.get(node.name, "bad")
        yield bar(node.x, node.y, _THICK, node.height, kind, f"{node.name}: {node.count}")
        middle = node.y + max(node.height, _SLOT) / 2 if node.height >= _SLOT else node.y + node.height / 2
        if node.x == _COLUMNS[0]:
            yield label(node.x - 8, middle, plural(node.count, "proposal"), anchor="end")
        else:
            yield label(min(node.x + _THICK + 8, WIDTH), middle, f"{node.name} {node.count:,}", kind="onband")

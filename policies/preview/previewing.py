"""Choose how a long result is shown: JSON by its items, text by its lines, and anything else by its characters."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, Final, Literal, TypeAlias

from reinforced_agent.policies.preview.shape import shape_of
from reinforced_agent.policies.preview.shrinking import shrink, split
from reinforced_agent.policies.tokens import Count, head, tail
from reinforced_agent.policies.wording.sizes import size_text


Kind: TypeAlias = Literal["whole", "items", "fields", "lines", "characters"]

LONGEST_JSON: Final = 16_000_000
"""Characters of JSON that are read; a longer text is shown as text, since its objects take many times its memory."""
_FRAME: Final = 120
"""Tokens for what is told beside the result."""


@dataclass(frozen=True, slots=True)
class Preview:
    """What is shown of a result."""

    text: str
    kind: Kind
    """What was counted; `whole` where the result fits once it is written without indentation."""
    total: int = 0
    """How many there are."""
    first: int = 0
    """How many are shown of the head."""
    last: int = 0
    """How many are shown of the tail."""
    shape: str = ""
    """Keys and types; empty for text."""
    path: str = ""
    """A part of an object that was cut short."""


def read_json(text: str) -> Any:
    """Return the list or object a text consists of, or `None`."""
    if len(text) > LONGEST_JSON or text.lstrip()[:1] not in {"{", "["}:
        return None
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, list | dict) else None


def preview(text: str, tokens: int, count: Count, *, locale: str = "en") -> Preview:
    """Show a result that is over its budget.

    Args:
        text: The whole result.
        tokens: The budget, for the preview and what is told beside it.
        count: Counts tokens.
        locale: Language of the marks where something was left out.

    """
    budget = max(tokens - min(_FRAME, tokens // 2), 1)
    value = read_json(text)
    return (_of_json(value, budget, count, locale) if value else None) or _of_text(text, budget, count, locale)


def _of_json(value: Any, budget: int, count: Count, locale: str) -> Preview | None:
    """Show items or fields, with the shape of the whole; `None` where the budget holds no outline."""
    shape = head(shape_of(value), budget // 6, count)
    shrunk = shrink(value, budget - budget // 6, count, lambda what, left: size_text(f"{what}_out", locale, count=left))
    if shrunk is None:
        return None
    if shrunk.whole:
        return Preview(shrunk.text, "whole")
    if isinstance(value, list):
        first, last = split(len(value), shrunk.bounds.items)
        return Preview(shrunk.text, "items", len(value), first, last, shape)
    return Preview(shrunk.text, "fields", len(value), shape=shape, path=_longest(value))


def _longest(value: dict[str, Any]) -> str:
    """Name the field with the most in it: the one that is read next."""
    long = {key: len(inner) for key, inner in value.items() if isinstance(inner, list | dict | str)}
    return max(long, key=lambda key: long[key], default="")


def _of_text(text: str, budget: int, count: Count, locale: str) -> Preview:
    """Show the first lines and the last ones, or characters where lines are long."""
    start, end = head(text, budget * 3 // 4, count), tail(text, budget // 4, count)
    total = text.count("\n") + (not text.endswith("\n"))
    top, bottom = start.rpartition("\n")[0], end.partition("\n")[2]
    if len(top) * 2 < len(start) or len(bottom) * 2 < len(end):
        mark = size_text("characters_out", locale, count=len(text) - len(start) - len(end))
        return Preview(f"{start}\n[{mark}]\n{end}", "characters", len(text), len(start), len(end))
    first = top.count("\n") + 1
    last = bottom.count("\n") + (not bottom.endswith("\n"))
    mark = size_text("lines_out", locale, count=total - first - last)
    return Preview(f"{top}\n{mark}\n{bottom}", "lines", total, first, last)

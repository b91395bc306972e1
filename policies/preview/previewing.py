"""Choose how a long result is shown: JSON by its items, text by its lines, and anything else by its characters."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import islice
from typing import Any, Final, Literal, TypeAlias

from reinforced_agent.policies.preview.shrinking import shrink, split
from reinforced_agent.policies.tokens import Count, head, tail
from reinforced_agent.policies.wording.sizes import size_text


Kind: TypeAlias = Literal["whole", "items", "fields", "lines", "characters"]

LONGEST_JSON: Final = 16_000_000
"""Characters of JSON that are read; a longer text is shown as text, since its objects take many times its memory."""
_FRAME: Final = 120
"""Tokens for what is told beside the result."""

_DEEPEST: Final = 4
_MOST_KEYS: Final = 20
_LONGEST_KEY: Final = 40
_SAMPLE: Final = 50
"""Items of a list that are looked at."""


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


def shape_of(value: Any, depth: int = 0) -> str:
    """Describe a value, such as `[20000 x {id: number, name: text}]`."""
    if isinstance(value, dict):
        return "{…}" if depth >= _DEEPEST else _of_object([value], depth)
    if isinstance(value, list):
        return _of_list(value, depth)
    return _name(value)


def _of_list(items: list[Any], depth: int) -> str:
    """Describe a list by its first items and its last ones."""
    if not items or depth >= _DEEPEST:
        return f"[{len(items)}]"
    return f"[{len(items)} x {_of_any([*items[:_SAMPLE], *items[-2:]], depth + 1)}]"


def _of_any(values: list[Any], depth: int) -> str:
    """Describe values that stand in the same place."""
    objects = [value for value in values if isinstance(value, dict)]
    merged = [_of_object(objects, depth)] if objects and depth < _DEEPEST else []
    others = (shape_of(value, depth) for value in values if not isinstance(value, dict) or depth >= _DEEPEST)
    found = dict.fromkeys([*merged, *others])
    return "|".join(list(found)[:3])


def _of_object(objects: list[dict[str, Any]], depth: int) -> str:
    """Describe objects by all their keys; `?` marks one that is sometimes missing."""
    keys = list(dict.fromkeys(key for value in objects for key in _keys(value)))[:_MOST_KEYS]
    more = ", …" if any(len(value) > len(keys) for value in objects) else ""
    told = (_of_key(key, objects, depth) for key in keys)
    return "{" + ", ".join(told) + more + "}"


def _of_key(key: str, objects: list[dict[str, Any]], depth: int) -> str:
    """Describe one key."""
    there = [value[key] for value in objects if key in value]
    missing = "?" if len(there) < len(objects) else ""
    return f"{str(key)[:_LONGEST_KEY]}{missing}: {_of_any(there, depth + 1)}"


def _keys(value: dict[str, Any]) -> Iterable[str]:
    """Return the first keys of an object, without a copy of all of them."""
    return islice(value, _MOST_KEYS + 1)


def _name(value: Any) -> str:
    """Name the type of a value that holds no others."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true/false"
    return "number" if isinstance(value, int | float) else "text"

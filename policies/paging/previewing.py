"""Choose how a long result is shown: JSON by its items, text by its lines, and anything else by its characters."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any, Final, Literal, TypeAlias

from reinforced_agent.policies.messages.sizes import size_text
from reinforced_agent.policies.text.tokens import Count, fits, head, tail


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

LeftOut: TypeAlias = Callable[[str, int], str]
"""Says that so many `items`, `fields` or `characters` were left out."""

_FEW: Final = 4
"""Items of a list that are shown before its strings are allowed to be long."""
_FIELDS: Final = 24
"""Fields of an object that are shown where even its lists are short."""
_DEEP: Final = 30
_SHORTEST: Final = 40


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
    keys = list(dict.fromkeys(key for value in objects for key in islice(value, _MOST_KEYS + 1)))[:_MOST_KEYS]
    more = ", …" if any(len(value) > len(keys) for value in objects) else ""
    told = (_of_key(key, objects, depth) for key in keys)
    return "{" + ", ".join(told) + more + "}"


def _of_key(key: str, objects: list[dict[str, Any]], depth: int) -> str:
    """Describe one key."""
    there = [value[key] for value in objects if key in value]
    missing = "?" if len(there) < len(objects) else ""
    return f"{str(key)[:_LONGEST_KEY]}{missing}: {_of_any(there, depth + 1)}"


def _name(value: Any) -> str:
    """Name the type of a value that holds no others."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true/false"
    return "number" if isinstance(value, int | float) else "text"


@dataclass(frozen=True, slots=True)
class Bounds:
    """How much of a value is shown."""

    items: int
    """Of each list."""
    characters: int
    """Of each string."""
    depth: int = _DEEP

    @property
    def fields(self) -> int:
        """Of each object."""
        return max(self.items, min(_FIELDS, self.items * 8))


@dataclass(frozen=True, slots=True)
class Shrunk:
    """What is shown of a value."""

    text: str
    """Valid JSON."""
    bounds: Bounds
    whole: bool
    """Whether nothing had to be left out."""


def split(total: int, most: int) -> tuple[int, int]:
    """Return how many of a list are shown of its head and of its tail."""
    if total <= most:
        return total, 0
    last = most // 4
    return most - last, last


def write_json(value: Any) -> str:
    """Write a value as JSON with real characters."""
    return json.dumps(value, ensure_ascii=False)


def shrink(value: Any, tokens: int, count: Count, left_out: LeftOut) -> Shrunk | None:
    """Return as much of a value as a budget holds, as valid JSON; `None` where not even its outline fits."""

    def written(bounds: Bounds) -> str | None:
        text = write_json(_shown(value, bounds, left_out))
        return text if fits(text, tokens, count) else None

    found = _smallest(written, tokens)
    if found is None:
        return None
    bounds, text = _grow(written, *found)
    return Shrunk(text, bounds, whole=_shown(value, bounds, left_out) == value)


def _smallest(written: Callable[[Bounds], str | None], tokens: int) -> tuple[Bounds, str] | None:
    """Find the longest strings that fit beside few items; then fewer items, and at last less depth."""
    longest, lengths = tokens * 8, list[int]()
    while longest > _SHORTEST:
        lengths.append(longest)
        longest = longest * 4 // 5
    shapes = [*(Bounds(_FEW, length) for length in (*lengths, _SHORTEST)), Bounds(2, _SHORTEST), Bounds(1, _SHORTEST)]
    shapes += [Bounds(1, _SHORTEST, depth) for depth in (6, 4, 3, 2, 1)]
    return next(((bounds, text) for bounds in shapes if (text := written(bounds)) is not None), None)


def _grow(written: Callable[[Bounds], str | None], bounds: Bounds, text: str) -> tuple[Bounds, str]:
    """Show more items as long as they fit: twice as many each time, then the number in between."""
    low, high = bounds.items, None
    while high is None or high - low > max(1, low // 16):
        trying = low * 2 if high is None else (low + high) // 2
        more = written(replace(bounds, items=trying))
        if more is None:
            high = trying
        elif more == text and high is None:
            # All items are shown.
            return replace(bounds, items=trying), text
        else:
            low, text = trying, more
    return replace(bounds, items=low), text


def _shown(value: Any, bounds: Bounds, left_out: LeftOut, depth: int = 0) -> Any:
    """Cut a value to its bounds."""
    if isinstance(value, str):
        return _string(value, bounds.characters, left_out)
    if isinstance(value, list):
        return _list(value, bounds, left_out, depth)
    if isinstance(value, dict):
        return _object(value, bounds, left_out, depth)
    return value


def _list(value: list[Any], bounds: Bounds, left_out: LeftOut, depth: int) -> Any:
    """Keep head and tail of a list."""
    if depth >= bounds.depth and value:
        return left_out("items", len(value))
    first, last = split(len(value), bounds.items)
    told = [_shown(item, bounds, left_out, depth + 1) for item in value[:first]]
    if first + last < len(value):
        told.append(left_out("items", len(value) - first - last))
    return told + [_shown(item, bounds, left_out, depth + 1) for item in (value[-last:] if last else [])]


def _object(value: dict[str, Any], bounds: Bounds, left_out: LeftOut, depth: int) -> Any:
    """Keep the first fields of an object."""
    if depth >= bounds.depth and value:
        return left_out("fields", len(value))
    told = {
        _string(key, bounds.characters, left_out): _shown(inner, bounds, left_out, depth + 1)
        for key, inner in islice(value.items(), bounds.fields)
    }
    if len(value) > bounds.fields:
        told["…"] = left_out("fields", len(value) - bounds.fields)
    return told


def _string(text: str, most: int, left_out: LeftOut) -> str:
    """Keep head and tail of a string."""
    if len(text) <= most:
        return text
    last = most // 4
    return f"{text[: most - last]}{left_out('characters', len(text) - most)}{text[-last:]}"

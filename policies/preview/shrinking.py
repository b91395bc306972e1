"""Make a JSON value fit a budget: fewer items of its lists, shorter strings, and less of what lies deep in it."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any, Final, TypeAlias

from reinforced_agent.policies.tokens import Count, fits


LeftOut: TypeAlias = Callable[[str, int], str]
"""Says that so many `items`, `fields` or `characters` were left out."""

_FEW: Final = 4
"""Items of a list that are shown before its strings are allowed to be long."""
_FIELDS: Final = 24
"""Fields of an object that are shown where even its lists are short."""
_DEEP: Final = 30
_SHORTEST: Final = 40


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

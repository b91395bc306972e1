"""Say of what kind a JSON value is: the keys and types of objects, how many items a list has and of which kind."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice
from typing import Any, Final


_DEEPEST: Final = 4
_MOST_KEYS: Final = 20
_LONGEST_KEY: Final = 40
_SAMPLE: Final = 50
"""Items of a list that are looked at."""


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

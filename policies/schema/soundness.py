"""Tells sound JSON values from ones that no schema should have to look at."""

from __future__ import annotations

import math
from collections.abc import Iterable
from collections.abc import Set as AbstractSet
from typing import Any, Final


DEEPEST: Final = 64
"""Levels of nesting that arguments may have."""


def is_plain(value: object, depth: int = DEEPEST) -> bool:
    """Tell whether a value is sound JSON without whole numbers written as fractions and without placeholders.

    Cheap, and careful: an odd but right value may be called not plain, never the other way round.
    """
    match value:
        case str():
            return (value.isascii() or _is_encodable(value)) and not value.startswith("<")
        case bool() | int() | None:
            return True
        case float():
            return math.isfinite(value) and not value.is_integer()
        case dict():
            return depth > 0 and all(_is_plain_key(k) and is_plain(v, depth - 1) for k, v in value.items())
        case list():
            return depth > 0 and all(is_plain(item, depth - 1) for item in value)
        case _:
            return False


def _is_plain_key(key: object) -> bool:
    return type(key) is str and (key.isascii() or _is_encodable(key))


def _is_encodable(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def find_flaw(value: object, path: tuple[str | int, ...] = ()) -> tuple[str, tuple[str | int, ...]] | None:
    """Find what keeps a value from being sound JSON.

    Returns:
        The code of the problem and the path to it, or `None` for a sound value.

    """
    if len(path) > DEEPEST:
        return "too_deep", path[:1]
    match value:
        case str():
            return None if value.isascii() or _is_encodable(value) else ("broken_characters", path)
        case bool() | int() | None:
            return None
        case float():
            return None if math.isfinite(value) else ("not_finite", path)
        case dict():
            return _first_flaw(value.items(), path)
        case list():
            return _first_flaw(enumerate(value), path)
        case _:
            return "not_json", path


def _first_flaw(
    entries: Iterable[tuple[object, object]], path: tuple[str | int, ...]
) -> tuple[str, tuple[str | int, ...]] | None:
    for key, value in entries:
        if not isinstance(key, str | int) or (isinstance(key, str) and not (key.isascii() or _is_encodable(key))):
            return "broken_characters", path
        found = find_flaw(value, (*path, key))
        if found is not None:
            return found
    return None


def has_integral_float(value: object) -> bool:
    """Tell whether a sound value holds a whole number that is written as a fraction, such as `5.0`."""
    match value:
        case float():
            return value.is_integer()
        case dict():
            return any(has_integral_float(item) for item in value.values())
        case list():
            return any(has_integral_float(item) for item in value)
        case _:
            return False


def holds_text(container: dict[str, Any] | list[Any], texts: AbstractSet[str]) -> bool:
    """Tell whether one of some texts stands anywhere in a sound object or list; written for speed."""
    for item in container.values() if isinstance(container, dict) else container:
        if isinstance(item, str):
            if item in texts:
                return True
        elif isinstance(item, dict | list) and holds_text(item, texts):
            return True
    return False

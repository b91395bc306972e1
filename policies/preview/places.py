"""Find a place in a result, such as `rows.120.name`."""

from __future__ import annotations

import re
from typing import Any, Final

from reinforced_agent.policies.wording.sizes import size_text


_INDEX = re.compile(r"\[(\d{1,9})\]")
_MOST_TOLD: Final = 20
_LONGEST: Final = 60


class PathError(LookupError):
    """Nothing is at this place; the text says what is there instead."""


def resolve(value: Any, path: str, locale: str = "en") -> Any:
    """Return what is at a path: keys of objects and numbers of items or lines, with points between.

    A key that has points in it is found, too. `rows[120].name` is understood.

    Raises:
        PathError: When nothing is there.

    """
    rest, walked = _INDEX.sub(r".\1", path.strip()).removeprefix("$").strip("."), ""
    while rest:
        part = _part(value, rest)
        if part is None:
            raise PathError(_nothing_at(value, path, walked, locale))
        value = _inner(value, part)
        walked = f"{walked}.{part}".strip(".")
        rest = rest[len(part) :].removeprefix(".")
    return value


def _part(value: Any, rest: str) -> str | None:
    """Return the longest beginning of a path that names something here."""
    parts = rest.split(".")
    if isinstance(value, dict):
        names = (".".join(parts[:length]) for length in range(min(len(parts), 20), 0, -1))
        return next((name for name in names if name in value), None)
    if isinstance(value, list | str) and parts[0].isdecimal() and len(parts[0]) < 10:  # noqa: PLR2004  # no such list
        return parts[0] if int(parts[0]) < _size(value) else None
    return None


def _size(value: list[Any] | str) -> int:
    """Count the items of a list or the lines of a text."""
    return len(value) if isinstance(value, list) else value.count("\n") + 1


def _inner(value: Any, part: str) -> Any:
    """Step into a value."""
    if isinstance(value, dict):
        return value[part]
    return value[int(part)] if isinstance(value, list) else value.split("\n")[int(part)]


def _nothing_at(value: Any, path: str, walked: str, locale: str) -> str:
    """Say how far the path leads, and what is there."""
    if isinstance(value, dict):
        names = [str(key)[:_LONGEST] for key in list(value)[:_MOST_TOLD]]
        there = ", ".join(f"`{name}`" for name in names) + (", …" if len(value) > _MOST_TOLD else "")
    elif isinstance(value, list):
        there = f"0 … {len(value) - 1}" if value else "[]"
    else:
        there = "-"
    place = f"`{walked}`" if walked else size_text("place_top", locale)
    return size_text("unknown_path", locale, path=path[:_LONGEST], place=place, there=there or "{}")

"""Walk through plain data by a path, read a result as data, and tell whether a path stays inside a folder."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Final

from reinforced_agent.tools.call import JSON


EVERY = "*"
"""The step of a path that stands for every entry of a table."""

_SCHEME: Final = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:")
"""An address or a Windows drive."""
_HIDDEN: Final = re.compile(r"[\\\x00-\x1f\x7f]|%(?:25)*(?:2e|2f|5c|00)", re.IGNORECASE)
"""Other separators, control characters, and dots or slashes that a tool might decode."""


def look(value: JSON, path: str) -> tuple[JSON, ...] | None:
    """Return the values at a path with dots, those of all list elements; `None` when a step is missing somewhere.

    The list at the end of a path counts by its elements; an empty one has no values, and is known to have none.
    """
    found = list(_walk(value, path.split(".") if path else []))
    return None if any(one is _MISSING for one in found) else tuple(found)


class _Missing(dict[str, JSON]):
    """Marks a step that isn't there."""


_MISSING = _Missing()


def _walk(value: JSON, steps: list[str]) -> Iterator[JSON]:
    if isinstance(value, list):
        for item in value:
            yield from _walk(item, steps)
    elif not steps:
        yield value
    elif not isinstance(value, dict):
        yield _MISSING
    elif steps[0] == EVERY:
        for item in value.values():
            yield from _walk(item, steps[1:])
    elif steps[0] in value:
        yield from _walk(value[steps[0]], steps[1:])
    else:
        yield _MISSING


def decoded(text: str) -> JSON:
    """Read a result as JSON; a text that is none stands for itself."""
    try:
        value: JSON = json.loads(text)
    except (ValueError, RecursionError):
        return text
    return value


def components(path: str) -> tuple[str, ...]:
    """Split an absolute path into its components, with `.` and `..` resolved; `..` of the root is the root."""
    found: list[str] = []
    for part in path.split("/"):
        if part == "..":
            found[-1:] = []
        elif part not in {"", "."}:
            found.append(part)
    return tuple(found)


def is_inside(path: object, root: str) -> bool:
    """Tell whether a path is the folder `root` or lies below it; a relative one starts there.

    Anything that could be read in two ways is not inside: addresses, drives, home folders, backslashes, encoded dots.
    """
    if not isinstance(path, str) or not path or path.startswith("~") or path.strip() != path:
        return False
    if _SCHEME.match(path) or _HIDDEN.search(path):
        return False
    base = components(root)
    return components(path if path.startswith("/") else f"{root}/{path}")[: len(base)] == base

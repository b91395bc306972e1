"""Walk through plain data by a path, and read the text of a result as data."""

from __future__ import annotations

import json
from collections.abc import Iterator

from reinforced_agent.tools.call import JSON


EVERY = "*"
"""The step of a path that stands for every entry of a table."""


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

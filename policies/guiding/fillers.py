"""Take out of strict calls the nulls that stand for what the model left out."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from reinforced_agent.policies.guiding.masks import Mask, allows_null
from reinforced_agent.tools.call import JSON


def without_fillers(arguments: Mapping[str, JSON], mask: Mask) -> dict[str, JSON]:
    """Return arguments without the nulls of fields that may be left out and may not be null, or are null by default.

    Args:
        arguments: As the model wrote them.
        mask: The mask from which the strict parameters were made.

    """
    found: Any = _cleared(dict(arguments), mask)
    return dict(found)


def _cleared(value: JSON, mask: Mask) -> JSON:
    """Clear one value."""
    if isinstance(value, dict):
        inner = _branch(mask, "object")
        fields: Mapping[str, Mask] = inner.get("properties", {})
        return {
            name: _cleared(given, fields.get(name, {}))
            for name, given in value.items()
            if not (given is None and _is_filler(name, inner))
        }
    if isinstance(value, list):
        items = _branch(mask, "array").get("items", {})
        return [_cleared(item, items) for item in value]
    return value


def _is_filler(name: str, mask: Mask) -> bool:
    """Tell whether null says no more than leaving a field out."""
    field = mask.get("properties", {}).get(name)
    if field is None or name in mask["required"]:
        return False
    return not allows_null(field) or field.get("default", "nothing") is None


def _branch(mask: Mask, kind: str) -> Mask:
    """Return what a mask says about values of one type; nothing where it says several things."""
    alike = [one for one in mask.get("anyOf", [mask]) if one.get("type") == kind]
    return alike[0] if len(alike) == 1 else {}

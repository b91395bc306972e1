"""Write a mask as OpenAI's strict tools want it: closed objects of which every field is required.

A field that may be left out becomes one that may be null, so `without_fillers` takes these nulls out again. A tool for
which that isn't certain, or whose mask the form can't hold, is offered without `strict`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from reinforced_agent.policies.guiding.masks import Mask, allows_null
from reinforced_agent.tools.call import JSON


_DEEPEST: Final = 10
"""Levels of nesting, and below how many fields and listed values a schema may hold, by OpenAI's documentation."""
_MOST_FIELDS: Final = 5_000
_MOST_OPTIONS: Final = 1_000
_LEFT_OUT: Final = "null to leave it out"


class InexpressibleError(ValueError):
    """The strict form can't hold a tool; the message says which part."""


def strict_parameters(mask: Mask) -> dict[str, Any]:
    """Return the parameters of a strict tool.

    Raises:
        InexpressibleError: When the form can't hold them.

    """
    found = _strict(mask, "the arguments", 1)
    nodes = list(_nodes(found))
    if sum(len(node.get("properties", ())) for node in nodes) > _MOST_FIELDS:
        msg = f"it has more than {_MOST_FIELDS} fields"
        raise InexpressibleError(msg)
    if sum(len(node.get("enum", ())) for node in nodes) > _MOST_OPTIONS:
        msg = f"it lists more than {_MOST_OPTIONS} values"
        raise InexpressibleError(msg)
    return found


def _strict(mask: Mask, where: str, depth: int) -> Mask:
    """Write one value."""
    if depth > _DEEPEST:
        msg = f"{where} lies more than {_DEEPEST} levels deep"
        raise InexpressibleError(msg)
    words = {"description": mask["description"]} if "description" in mask else {}
    if "enum" in mask:
        return {**words, **_listed(mask["enum"], where)}
    if "anyOf" in mask:
        _require_plain_choice(mask["anyOf"], where)
        return {**words, "anyOf": [_strict(one, where, depth + 1) for one in mask["anyOf"]]}
    match mask.get("type"):
        case None:
            msg = f"{where} may be anything"
            raise InexpressibleError(msg)
        case "object":
            return {**words, **_object(mask, where, depth)}
        case "array":
            return {**words, "type": "array", "items": _strict(mask["items"], f"an item of {where}", depth + 1)}
        case kind:
            return {**words, "type": kind}


def _listed(options: list[Any], where: str) -> Mask:
    """Write listed values, with their types."""
    names = {str: "string", bool: "boolean", int: "integer", float: "number", type(None): "null"}
    kinds = list(dict.fromkeys(names.get(type(option), "") for option in options))
    if "" in kinds:
        msg = f"{where} is one of listed objects or lists"
        raise InexpressibleError(msg)
    return {"type": kinds[0] if len(kinds) == 1 else kinds, "enum": options}


def _object(mask: Mask, where: str, depth: int) -> Mask:
    """Write an object; an open one would be closed by the form, and right fields be refused."""
    if mask.get("additionalProperties") is not False:
        msg = f"{where} may hold fields that aren't declared"
        raise InexpressibleError(msg)
    fields: dict[str, Mask] = {}
    for name, field in mask["properties"].items():
        written = _strict(field, f"`{name}`", depth + 1)
        if name not in mask["required"]:
            _require_certain(field, name)
            written = _optional(written)
        fields[name] = written
    return {"type": "object", "properties": fields, "required": list(fields), "additionalProperties": False}


def _require_certain(field: Mask, name: str) -> None:
    """Refuse a field of which null says something else than leaving it out."""
    if allows_null(field) and field.get("default", "nothing") is not None:
        msg = f"`{name}` may be left out or null, which need not mean the same"
        raise InexpressibleError(msg)


def _optional(written: Mask) -> Mask:
    """Let a field be null, where it isn't yet."""
    if allows_null(written) or "null" in written.get("type", ()):
        return written
    words = {"description": f"{written.get('description', '')} ({_LEFT_OUT})".strip()}
    if "enum" in written:
        kinds = [written["type"]] if isinstance(written["type"], str) else written["type"]
        return {"type": [*kinds, "null"], "enum": [*written["enum"], None], **words}
    if "anyOf" in written:
        return {"anyOf": [*written["anyOf"], {"type": "null"}], **words}
    if written["type"] in {"object", "array"}:
        inside = {key: value for key, value in written.items() if key != "description"}
        return {"anyOf": [inside, {"type": "null"}], **words}
    return {"type": [written["type"], "null"], **words}


def _require_plain_choice(branches: list[Mask], where: str) -> None:
    """Refuse a choice between objects with fields that may be left out: whose null it was could not be told."""
    for kind in ("object", "array"):
        alike = [one for one in branches if one.get("type") == kind]
        if len(alike) > 1 and any(_has_optional(one) for one in alike):
            msg = f"{where} is a choice between several kinds of {kind} with fields that may be left out"
            raise InexpressibleError(msg)


def _has_optional(mask: Mask) -> bool:
    """Tell whether a field in it may be left out."""
    return any(len(node.get("properties", ())) > len(node.get("required", ())) for node in _nodes(mask))


def _nodes(mask: Mask) -> Iterator[Mask]:
    """Yield a mask and everything in it."""
    yield mask
    inner = [*mask.get("anyOf", ()), *mask.get("properties", {}).values()]
    inner += [mask[key] for key in ("items", "additionalProperties") if isinstance(mask.get(key), dict)]
    for one in inner:
        yield from _nodes(one)


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

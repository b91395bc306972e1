"""What a schema says about one value, gathered from all the places that describe it together."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Final

from reinforced_agent.policies.schema.closing import declared, target
from reinforced_agent.policies.schema.dialect import Node
from reinforced_agent.policies.text.json import kind_of
from reinforced_agent.tools.call import JSON


ALL_KINDS: Final = frozenset({"null", "boolean", "integer", "number", "string", "array", "object"})
_NONE: Final[frozenset[str]] = frozenset()


@dataclass(frozen=True, slots=True)
class View:
    """One value as its schema sees it, references followed and `allOf` joined; alternatives stay apart."""

    kinds: frozenset[str]
    """The JSON types it may have."""
    free_text: bool
    """Whether it may be a text that isn't one of listed values."""
    names: frozenset[str]
    """The fields it may have, in all alternatives."""
    closed: bool
    """Whether it may have no other fields."""
    properties: dict[str, list[Node]] = field(default_factory=dict)
    """What describes each field."""
    required: frozenset[str] = _NONE
    """The fields it must have."""
    patterns: dict[str, Node] = field(default_factory=dict)
    """What describes the fields whose name matches a pattern."""
    extra: tuple[Node, ...] = ()
    """What describes all other fields."""
    items: tuple[Node, ...] = ()
    """What describes each element."""
    prefix: tuple[Node, ...] = ()
    """What describes the first elements, one by one."""
    options: tuple[JSON, ...] = ()
    """The listed values; empty where none are listed."""
    alternatives: tuple[tuple[Node, ...], ...] = ()
    """Groups of schemas of which one has to fit."""
    default: tuple[JSON, ...] = ()
    """What a missing value stands for, where that is declared."""
    format: str = ""
    """The form a text must have, where one is named."""


def view(node: Node, root: dict[str, Any]) -> View:
    """Gather what a closed schema says about one value."""
    parts = _parts(node, root)
    if parts is None:
        return View(_NONE, free_text=False, names=_NONE, closed=False)
    options = _options(parts)
    kinds, free_text = _kinds(parts, options, root)
    return View(
        kinds,
        free_text=free_text,
        names=declared(node, root),
        closed=any(part.get(k) is False for part in parts for k in ("additionalProperties", "unevaluatedProperties")),
        properties=_properties(parts),
        required=frozenset(name for part in parts for name in part.get("required", ())),
        patterns={pattern: child for part in parts for pattern, child in part.get("patternProperties", {}).items()},
        extra=_gather(parts, "additionalProperties") + _gather(parts, "unevaluatedProperties"),
        items=_gather(parts, "items"),
        prefix=next((tuple(part["prefixItems"]) for part in parts if "prefixItems" in part), ()),
        options=options,
        alternatives=tuple(tuple(part[k]) for part in parts for k in ("anyOf", "oneOf") if k in part),
        default=tuple(part["default"] for part in parts if "default" in part)[:1],
        format=next((str(part["format"]) for part in parts if "format" in part), ""),
    )


def _parts(node: Node, root: dict[str, Any]) -> list[dict[str, Any]] | None:
    """List the schemas that all have to hold, the node itself first; `None` where nothing can hold."""
    if isinstance(node, bool):
        return [{}] if node else None
    found = [node]
    for inner in [*([target(node["$ref"], root)] if "$ref" in node else ()), *node.get("allOf", ())]:
        parts = _parts(inner, root)
        if parts is None:
            return None
        found += parts
    return found


def _properties(parts: list[dict[str, Any]]) -> dict[str, list[Node]]:
    found: dict[str, list[Node]] = {}
    for part in parts:
        for name, child in part.get("properties", {}).items():
            found.setdefault(name, []).append(child)
    return found


def _gather(parts: list[dict[str, Any]], key: str) -> tuple[Node, ...]:
    return tuple(part[key] for part in parts if part.get(key, False) is not False)


def _options(parts: list[dict[str, Any]]) -> tuple[JSON, ...]:
    lists = [[part["const"]] if "const" in part else part["enum"] for part in parts if part.keys() & {"const", "enum"}]
    return tuple(lists[0]) if lists else ()


def _kinds(parts: list[dict[str, Any]], options: tuple[JSON, ...], root: dict[str, Any]) -> tuple[frozenset[str], bool]:
    kinds, free_text = ALL_KINDS, not options
    for part in parts:
        kinds &= _declared_kinds(part)
        for key in ("anyOf", "oneOf"):
            branches = [view(branch, root) for branch in part.get(key, ())]
            if branches:
                kinds &= frozenset().union(*(branch.kinds for branch in branches))
                free_text &= any(branch.free_text for branch in branches)
    if options:
        kinds &= frozenset().union(*(_with_number(kind_of(option)) for option in options))
    return kinds, free_text and "string" in kinds


def _declared_kinds(part: dict[str, Any]) -> frozenset[str]:
    declared_type = part.get("type")
    if declared_type is None:
        return ALL_KINDS
    names = [declared_type] if isinstance(declared_type, str) else declared_type
    return frozenset().union(*(_with_number(name) for name in names))


def _with_number(kind: str) -> frozenset[str]:
    """Count whole numbers as numbers."""
    return frozenset({"number", "integer"}) if kind == "number" else frozenset({kind})

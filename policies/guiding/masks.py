"""Turn the schema of a tool's arguments into the form that every constrained decoder understands.

Only `type`, `enum`, `anyOf`, `properties`, `required`, `additionalProperties` and `items` are left, beside
`description` and `default` for the reader. What a decoder may not know is left out; a part that can't be put this way
becomes one that allows more.

What feedback has refused is masked in the next attempt, as long as something right may be left: a value of a listed
field where the objection was to that field alone, a tool where another has to run before it.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, TypeAlias

from reinforced_agent.policies.schema import CompiledTool
from reinforced_agent.policies.schema.dialect import Node
from reinforced_agent.policies.schema.view import ALL_KINDS, View
from reinforced_agent.policies.verdicts import ErrorKind
from reinforced_agent.tools.call import JSON, canonical_json


Mask: TypeAlias = dict[str, Any]
"""A schema of these keywords alone; an empty one allows any value."""

ANYTHING: Final[Mapping[str, Any]] = {}
"""The mask that allows any value."""

_DEEPEST: Final = 12
"""Levels below which everything is allowed."""
_ORDER: Final = ("string", "number", "integer", "boolean", "object", "array", "null")
_TOLD: Final = (
    "minimum",
    "maximum",
    "exclusiveMinimum",
    "exclusiveMaximum",
    "multipleOf",
    "minLength",
    "maxLength",
    "minItems",
    "maxItems",
    "pattern",
    "format",
    "default",
)
"""Keywords that the mask leaves out, but that the model should know of."""

_OF_A_VALUE: Final = frozenset({ErrorKind.UNGROUNDED_VALUE, ErrorKind.POLICY, ErrorKind.OFF_PLAN})
"""Objections that may be to one value; others are to form, or to the call as a whole."""


def mask_of(tool: CompiledTool) -> Mask:
    """Return the mask of a tool's arguments."""
    found = _Masker(tool).node(tool.schema, frozenset())
    return found if found.get("type") == "object" else {"type": "object", "additionalProperties": True}


@dataclass(frozen=True, slots=True)
class _Masker:
    """Masks the values of one tool."""

    tool: CompiledTool

    def node(self, node: Node, path: frozenset[str]) -> Mask:
        """Mask one value; a reference that comes back to itself allows any value of its types."""
        seen = self.tool.view(node)
        reference = "" if isinstance(node, bool) else str(node.get("$ref", ""))
        if (reference and reference in path) or len(path) > _DEEPEST:
            return _of_kinds(seen.kinds, {})
        inside = path | {reference or f"level {len(path)}"}
        return {**self._form(seen, inside), **_told(node)}

    def _form(self, seen: View, path: frozenset[str]) -> Mask:
        """Mask by what the schema says."""
        if seen.options:
            return _listed(seen.options)
        if seen.alternatives and not seen.properties:
            return _any_of(self.node(branch, path) for branch in seen.alternatives[0])
        containers = {
            kind: mask(seen, path)
            for kind, mask in (("object", self._object), ("array", self._array))
            if kind in seen.kinds and seen.kinds != ALL_KINDS
        }
        return _of_kinds(seen.kinds, containers)

    def _object(self, seen: View, path: frozenset[str]) -> Mask:
        """Mask the fields of an object."""
        fields = {name: self.node(nodes[0], path) for name, nodes in seen.properties.items()}
        elsewhere = {name: dict(ANYTHING) for name in sorted(seen.names - fields.keys())}
        more: bool | Mask = not seen.closed or bool(seen.patterns)
        if more and seen.extra and not seen.patterns:
            more = self.node(seen.extra[0], path)
        found: Mask = {"type": "object", "properties": fields | elsewhere}
        required = [name for name in found["properties"] if name in seen.required]
        return {**found, "required": required, "additionalProperties": more}

    def _array(self, seen: View, path: frozenset[str]) -> Mask:
        """Mask the elements of a list."""
        elements = [self.node(one, path) for one in (*seen.prefix, *seen.items[:1])]
        open_ended = not elements or (seen.prefix and not seen.items)
        return {"type": "array", "items": dict(ANYTHING) if open_ended else _any_of(elements)}


def _of_kinds(kinds: Iterable[str], containers: Mapping[str, Mask]) -> Mask:
    """Allow values of some types; whole numbers count as numbers where these are allowed."""
    names = [kind for kind in _ORDER if kind in kinds and not (kind == "integer" and "number" in kinds)]
    if len(names) == len(_ORDER) - 1:
        return dict(ANYTHING)
    open_object: Mask = {"type": "object", "additionalProperties": True}
    plain = {"object": open_object, "array": {"type": "array", "items": dict(ANYTHING)}, **containers}
    return _any_of(plain.get(name, {"type": name}) for name in names)


def _listed(options: tuple[JSON, ...]) -> Mask:
    """Allow the listed values."""
    return {"enum": list(options)}


def _any_of(masks: Iterable[Mask]) -> Mask:
    """Allow what one of several masks allows."""
    different: list[Mask] = []
    for one in masks:
        different += [inner for inner in one.get("anyOf", [one]) if inner not in different]
    if not different or dict(ANYTHING) in different:
        return dict(ANYTHING)
    return different[0] if len(different) == 1 else {"anyOf": different}


def _told(node: Node) -> Mask:
    """Keep what is said in words, with the bounds that the mask doesn't hold."""
    if isinstance(node, bool):
        return {}
    bounds = "; ".join(f"{name}: {_as_json(node[name])}" for name in _TOLD if node.get(name) is not None)
    words = " ".join(filter(None, [str(node.get("description", "")), f"({bounds})" if bounds else ""]))
    return {
        **({"description": words} if words else {}),
        **({"default": node["default"]} if "default" in node else {}),
    }


def _as_json(value: JSON) -> str:
    """Write a bound as it stands in the schema."""
    return json.dumps(value, ensure_ascii=False)


def bare(mask: Mask) -> Mask:
    """Return a mask without the words in it."""
    kept = {key: value for key, value in mask.items() if key not in {"description", "default"}}
    if "anyOf" in kept:
        kept["anyOf"] = [bare(one) for one in kept["anyOf"]]
    if "properties" in kept:
        kept["properties"] = {name: bare(one) for name, one in kept["properties"].items()}
    for key in ("items", "additionalProperties"):
        if isinstance(kept.get(key), dict):
            kept[key] = bare(kept[key])
    return kept


def allows_null(mask: Mask) -> bool:
    """Tell whether a value may be null."""
    if "enum" in mask:
        return None in mask["enum"]
    if "anyOf" in mask:
        return any(allows_null(one) for one in mask["anyOf"])
    return "type" not in mask or bool(mask["type"] == "null")


@dataclass(frozen=True, slots=True)
class Refused:
    """A call that the checks refused, since something last ran."""

    tool: str
    arguments: Mapping[str, Any]
    kind: str
    """Error kind of the objection."""
    fields: tuple[str, ...] = ()
    """Paths of the arguments concerned."""
    newest: bool = False
    """Whether it is of the newest proposal."""


@dataclass(frozen=True, slots=True)
class Offer:
    """A tool that the model may call, and what it may write."""

    name: str
    mask: Mask


def narrowed(offers: Sequence[Offer], refused: Iterable[Refused]) -> list[Offer]:
    """Return what is left to propose after refusals, the same where nothing is to be masked."""
    refused = list(refused)
    out_of_order = {one.tool for one in refused if one.newest and one.kind == ErrorKind.WRONG_ORDER and not one.fields}
    left = [offer for offer in offers if offer.name not in out_of_order] or list(offers)
    barred = _barred(refused)
    return [_without(offer, barred) for offer in left]


def _barred(refused: Iterable[Refused]) -> dict[tuple[str, str], set[str]]:
    """Collect the refused values by tool and field, in canonical form."""
    found: dict[tuple[str, str], set[str]] = {}
    for one in refused:
        if one.kind in _OF_A_VALUE and len(one.fields) == 1 and one.fields[0] in one.arguments:
            found.setdefault((one.tool, one.fields[0]), set()).add(canonical_json(one.arguments[one.fields[0]]))
    return found


def _without(offer: Offer, barred: Mapping[tuple[str, str], set[str]]) -> Offer:
    """Mask the refused values of one tool."""
    properties = offer.mask.get("properties", {})
    changed = {
        name: _fewer(properties[name], values)
        for (tool, name), values in barred.items()
        if tool == offer.name and name in properties
    }
    return replace(offer, mask={**offer.mask, "properties": {**properties, **changed}}) if changed else offer


def _fewer(mask: Mask, values: set[str]) -> Mask:
    """Leave refused values out of a list, unless none would be left."""
    options = [True, False] if mask.get("type") == "boolean" else mask.get("enum", [])
    left = [option for option in options if canonical_json(option) not in values]
    if not left or left == options:
        return mask
    return {**{key: value for key, value in mask.items() if key != "type"}, "enum": left}

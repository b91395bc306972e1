"""Closes a schema: unknown fields become errors wherever an object declares its fields and doesn't say otherwise."""

from __future__ import annotations

from collections.abc import Iterator
from enum import Enum, auto
from typing import Any, Final
from urllib.parse import unquote

from reinforced_agent.policies.schema.dialect import LISTS, MAPS, SINGLES, Node, ToolSchemaError


class _Mode(Enum):
    """How the schema at hand is used."""

    WHOLE = auto()
    """It alone describes its value: closed."""
    PART = auto()
    """It describes a value together with others: its fields are closed at the place that joins them."""
    AS_IS = auto()
    """It is a condition; closing it would change what it means."""


_IN_PLACE: Final = ("allOf", "anyOf", "oneOf")
_CONDITIONS: Final = ("not", "if", "contains", "propertyNames")
_OPENERS: Final = ("additionalProperties", "unevaluatedProperties")


def close(schema: dict[str, Any]) -> dict[str, Any]:
    """Return a closed copy of a schema in which every reference leads to an entry of its own `$defs`.

    Raises:
        ToolSchemaError: A reference leads nowhere, out of the schema, or back to itself.

    """
    return _Closer(schema).run()


def declared(node: Node, root: dict[str, Any]) -> frozenset[str]:
    """Return every field name that an object schema or one of the schemas joined to it declares."""
    names: set[str] = set()
    for part in _joined(node, root):
        names |= part.get("properties", {}).keys()
    return frozenset(names)


def target(reference: str, root: dict[str, Any]) -> Node:
    """Follow a reference inside a schema.

    Raises:
        ToolSchemaError: It leads out of the schema, or nowhere.

    """
    base, _, pointer = reference.partition("#")
    if base and base != root.get("$id", root.get("id")):
        why = f"the reference {reference!r} leads out of the schema; put its target into `$defs`"
        raise ToolSchemaError(why)
    found: Any = root
    for step in pointer.split("/")[1:] if pointer else ():
        key = unquote(step).replace("~1", "/").replace("~0", "~")
        found = _step(found, key, reference)
    if (pointer and not pointer.startswith("/")) or not isinstance(found, dict | bool):
        raise _nowhere(reference)
    return found


def _step(found: object, key: str, reference: str) -> object:
    if isinstance(found, dict) and key in found:
        return found[key]
    if isinstance(found, list) and key.isdecimal() and int(key) < len(found):
        return found[int(key)]
    raise _nowhere(reference)


def _nowhere(reference: str) -> ToolSchemaError:
    return ToolSchemaError(f"the reference {reference!r} leads nowhere")


def _joined(node: Node, root: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield a schema and all schemas that describe the same value; conditions don't count."""
    if isinstance(node, bool):
        return
    yield node
    inner: list[Node] = [part for key in _IN_PLACE for part in node.get(key, ())]
    inner += [node[key] for key in ("then", "else") if key in node]
    inner += node.get("dependentSchemas", {}).values()
    if "$ref" in node:
        inner.append(target(node["$ref"], root))
    for part in inner:
        yield from _joined(part, root)


class _Closer:
    """Rewrites one schema; each reference is rewritten once for each way it is used."""

    def __init__(self, schema: dict[str, Any]) -> None:
        self._root = schema
        self._names: dict[tuple[str, _Mode], str] = {}
        self._defs: dict[str, Node] = {}

    def run(self) -> dict[str, Any]:
        self._refuse_circles()
        plain = {k: v for k, v in self._root.items() if k not in {"$id", "id"}}
        closed = self._object(plain, _Mode.WHOLE)
        if not declared(plain, self._root) and not self._is_open(plain):
            own = dict.fromkeys(closed.get("required", ()), True)
            closed |= {"properties": own, "additionalProperties": False}
        return closed | {"$defs": self._defs}

    def _node(self, node: Node, mode: _Mode) -> Node:
        return node if isinstance(node, bool) else self._object(node, mode)

    def _object(self, node: dict[str, Any], mode: _Mode) -> dict[str, Any]:
        joins = mode is _Mode.WHOLE and any(key in node for key in ("properties", "allOf", "required"))
        inner = _Mode.PART if joins else mode
        below = _Mode.AS_IS if mode is _Mode.AS_IS else _Mode.WHOLE
        out = {k: v for k, v in node.items() if k not in {"$defs", "definitions"}}
        for key in MAPS[:3]:
            if key in out:
                child = inner if key == "dependentSchemas" else below
                out[key] = {name: self._node(part, child) for name, part in out[key].items()}
        for key in LISTS:
            if key in out:
                child = below if key == "prefixItems" else inner
                out[key] = [self._node(part, child) for part in out[key]]
        for key in SINGLES:
            if key in out:
                out[key] = self._node(out[key], _mode_of(key, inner, below))
        if "$ref" in out:
            out["$ref"] = f"#/$defs/{self._name(out['$ref'], inner)}"
        return self._closed(out, node) if joins else out

    def _name(self, reference: str, mode: _Mode) -> str:
        key = (reference, mode)
        if key not in self._names:
            self._names[key] = name = f"s{len(self._names)}"
            self._defs[name] = self._node(target(reference, self._root), mode)
        return self._names[key]

    def _closed(self, out: dict[str, Any], node: dict[str, Any]) -> dict[str, Any]:
        names = declared(node, self._root)
        if not names or self._is_open(node):
            return out
        # A field that must be there is a field, even where the author forgot to describe it.
        forgotten = [name for name in out.get("required", ()) if name not in names]
        if forgotten:
            out["properties"] = {**out.get("properties", {}), **dict.fromkeys(forgotten, True)}
        joined = any(key in out for key in (*_IN_PLACE, "$ref", "if", "dependentSchemas"))
        return {("unevaluatedProperties" if joined else "additionalProperties"): False} | out

    def _is_open(self, node: dict[str, Any]) -> bool:
        return any(part.get(key, False) is not False for part in _joined(node, self._root) for key in _OPENERS)

    def _refuse_circles(self) -> None:
        """Refuse a schema that describes a value by itself: no value could ever be checked against it."""
        todo: list[Node] = [self._root]
        seen: set[int] = set()
        while todo:
            node = todo.pop()
            if isinstance(node, bool) or id(node) in seen:
                continue
            seen.add(id(node))
            self._walk(node, frozenset())
            todo += _children(node)

    def _walk(self, node: Node, path: frozenset[int]) -> None:
        if isinstance(node, bool):
            return
        if id(node) in path:
            msg = "a reference leads back to itself"
            raise ToolSchemaError(msg)
        parts = [part for key in _IN_PLACE for part in node.get(key, ())]
        parts += [node[key] for key in ("not", "if", "then", "else") if key in node]
        parts += node.get("dependentSchemas", {}).values()
        if "$ref" in node:
            parts.append(target(node["$ref"], self._root))
        for part in parts:
            self._walk(part, path | {id(node)})


def _mode_of(key: str, inner: _Mode, below: _Mode) -> _Mode:
    if key in _CONDITIONS:
        return _Mode.AS_IS
    return inner if key in {"then", "else"} else below


def _children(node: dict[str, Any]) -> Iterator[Node]:
    for key in MAPS:
        yield from node.get(key, {}).values()
    for key in LISTS:
        yield from node.get(key, ())
    for key in SINGLES:
        yield node.get(key, True)

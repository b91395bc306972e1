"""Makes the arguments of a right call from a schema alone, for feedback when nobody gave an example."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import Any, Final, TypeAlias

from reinforced_agent.policies.schema.dialect import Node
from reinforced_agent.policies.schema.view import View
from reinforced_agent.tools.call import JSON


Path: TypeAlias = tuple[str, ...]
"""Names from the outermost object to a field."""

_DEEPEST: Final = 8
_FORMATS: Final[Mapping[str, str]] = {
    "date": "2026-12-01",
    "time": "09:30:00",
    "date-time": "2026-12-01T09:30:00Z",
    "duration": "PT30M",
    "email": "name@placeholder.example",
    "uri": "https://placeholder.example/",
    "url": "https://placeholder.example/",
    "uuid": "123e4567-e89b-42d3-a456-426614174000",
    "ipv4": "192.0.2.1",
    "ipv6": "2001:db8::1",
    "hostname": "placeholder.example",
}
_HARMLESS: Final = frozenset({"date", "time", "date-time", "duration"})
"""Formats whose example may well be what is meant."""


class _Impossible(Exception):  # noqa: N818 - it never leaves this file
    """No example can be made."""


def make_example(
    root: dict[str, Any], view: Callable[[Node], View], wanted: Collection[Path] = ()
) -> dict[str, JSON] | None:
    """Make the smallest arguments that should fit a schema; the caller has to check that they do.

    Besides the required fields they hold the wanted ones, given by their paths without positions in lists.

    Texts that the schema leaves open are written as `<field>`, so that nobody takes them for real values.
    """
    try:
        made = _Maker(view).make(root, "value", frozenset(wanted), _DEEPEST)
    except _Impossible:
        return None
    return made if isinstance(made, dict) else None


def placeholder(name: str) -> str:
    """Write the stand-in for a text of which nothing is known but the field it belongs to."""
    return f"<{name}>"


def samples_of(schema: object, known: str) -> frozenset[str]:
    """Return the values that examples made from a schema may hold and that nobody means when sending them.

    Args:
        schema: A schema in which such formats may be named.
        known: What the host wrote itself; a value that occurs in it may be meant.

    """
    return frozenset(
        sample
        for name, sample in _FORMATS.items()
        if name not in _HARMLESS and sample not in known and _names_format(schema, name)
    )


def _names_format(node: object, name: str) -> bool:
    if isinstance(node, dict):
        return node.get("format") == name or any(_names_format(child, name) for child in node.values())
    return isinstance(node, list) and any(_names_format(child, name) for child in node)


class _Maker:
    """Makes one example."""

    def __init__(self, view: Callable[[Node], View]) -> None:
        self._view = view

    def make(self, node: Node, name: str, wanted: frozenset[Path], depth: int) -> JSON:
        """Make a value for a node that belongs to the field of a name."""
        if depth == 0:
            raise _Impossible
        seen = self._view(node)
        given = () if wanted - {()} else _given(node, seen)
        if given:
            return given[0]
        if seen.alternatives and not (seen.properties or seen.items):
            return self.make(seen.alternatives[0][0], name, wanted, depth - 1)
        if "object" in seen.kinds and "string" not in seen.kinds:
            return self._object(seen, wanted, depth)
        if "array" in seen.kinds and "string" not in seen.kinds:
            return [self.make(child, name, wanted, depth - 1) for child in seen.prefix or seen.items[:1]]
        return _scalar(node if isinstance(node, dict) else {}, name, seen.kinds)

    def _object(self, seen: View, wanted: frozenset[Path], depth: int) -> dict[str, JSON]:
        # Of a field that is asked for by itself all is shown: an empty object would say little.
        keys = seen.properties.keys() if () in wanted else seen.required | {path[0] for path in wanted if path}
        return {
            key: self.make(child, key, frozenset(path[1:] for path in wanted if path[:1] == (key,)), depth - 1)
            for key, children in seen.properties.items()
            if key in keys
            for child in children[:1]
        }


def _given(node: Node, seen: View) -> tuple[JSON, ...]:
    """Return values that the schema itself names."""
    examples = node.get("examples") if isinstance(node, dict) else None
    named = tuple(examples[:1]) if isinstance(examples, list) else ()
    return named + seen.options[:1] + tuple(value for value in seen.default if value not in (None, "", [], {}))


def _scalar(node: dict[str, Any], name: str, kinds: frozenset[str]) -> JSON:
    if "string" in kinds:
        return _text(node, name)
    if "integer" in kinds:
        return _number(node)
    return "boolean" in kinds or None


def _text(node: dict[str, Any], name: str) -> str:
    if "pattern" in node:
        raise _Impossible
    text = _FORMATS.get(node.get("format", ""), placeholder(name))
    return text.ljust(node.get("minLength", 0), "…")[: node.get("maxLength", len(text) + node.get("minLength", 0))]


def _number(node: dict[str, Any]) -> JSON:
    step = node.get("multipleOf", 1)
    low: int | float = node.get("minimum", node.get("exclusiveMinimum", node.get("maximum", step)))
    if "exclusiveMinimum" in node:
        low += step
    return low

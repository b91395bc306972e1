"""Finds what a closed schema says about a place in the arguments, in all the ways the place can be meant."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from reinforced_agent.policies.schema.closing import target
from reinforced_agent.policies.schema.compiled import CompiledTool
from reinforced_agent.policies.schema.dialect import Node
from reinforced_agent.policies.schema.view import View
from reinforced_agent.tools.call import EXACT, JSON


def views_at(tool: CompiledTool, path: Iterable[str | int]) -> list[View]:
    """List everything that describes the value at a path, alternatives included."""
    return alike(tool, nodes_at(tool, path))


def nodes_at(tool: CompiledTool, path: Iterable[str | int]) -> list[Node]:
    """List the nodes of the schema that describe the value at a path; none where nothing is said about it."""
    nodes: list[Node] = [tool.schema]
    for step in path:
        nodes = [node for seen in alike(tool, nodes) for node in _below(seen, step)]
    return nodes


def alike(tool: CompiledTool, nodes: Iterable[Node]) -> list[View]:
    """View nodes together with all their alternatives."""
    found: list[View] = []
    for node in nodes:
        seen = tool.view(node)
        found += [seen, *alike(tool, (part for group in seen.alternatives for part in group))]
    return found


def node_at(root: dict[str, Any], path: Iterable[str | int]) -> dict[str, Any]:
    """Walk a schema along a path of keywords, references followed; empty where it leads nowhere."""
    node: Any = root
    for step in path:
        if step == "$ref" and isinstance(node, dict):
            node = target(node["$ref"], root)
            continue
        try:
            node = node[step]
        except (KeyError, IndexError, TypeError):
            return {}
    return node if isinstance(node, dict) else {}


def inexact_wholes(tool: CompiledTool, value: JSON) -> Iterator[tuple[tuple[str | int, ...], float]]:
    """Find fractions without a fraction part that stand for whole numbers and are too big to be exact.

    To the validator `1e25` is a whole number; which one was meant is lost.
    """
    yield from _inexact(tool, [tool.schema], value, ())


def _inexact(
    tool: CompiledTool, nodes: list[Node], value: JSON, path: tuple[str | int, ...]
) -> Iterator[tuple[tuple[str | int, ...], float]]:
    if isinstance(value, float):
        kinds = [tool.view(node).kinds for node in nodes]
        whole = bool(kinds) and all("integer" in kind and "number" not in kind for kind in kinds)
        if whole and value.is_integer() and abs(value) >= EXACT:
            yield path, value
        return
    if not isinstance(value, dict | list):
        return
    found = alike(tool, nodes)
    for step, item in value.items() if isinstance(value, dict) else enumerate(value):
        yield from _inexact(tool, [node for seen in found for node in _below(seen, step)], item, (*path, step))


def _below(seen: View, step: str | int) -> tuple[Node, ...]:
    if isinstance(step, int):
        return seen.prefix[step : step + 1] or seen.items
    return tuple(seen.properties.get(step, seen.extra))

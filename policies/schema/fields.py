"""What a schema says about a place in the arguments, and problems with fields: unknown ones, unfilled placeholders."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from typing import Any, Final

from reinforced_agent.policies.schema.closing import target
from reinforced_agent.policies.schema.compiled import CompiledTool
from reinforced_agent.policies.schema.dialect import Node
from reinforced_agent.policies.schema.example import placeholder
from reinforced_agent.policies.schema.view import View
from reinforced_agent.policies.text.folds import NEAR, code_list, likeness, nearest, path_text, shown
from reinforced_agent.policies.verdicts import ErrorKind, Problem
from reinforced_agent.tools.call import EXACT, JSON


FEW: Final = 20
"""Up to so many names or values are all listed in feedback."""
WRAPPERS: Final = ("arguments", "parameters", "input", "args", "kwargs")
"""Names that models put around all arguments."""
_MORE_WRAPPERS: Final = ("params", "tool_input", "tool_args", "tool_arguments", "function", "function_call")
"""Names that may stand around them as well as for something else: they are explained, never taken off."""
_CERTAIN: Final = 80.0
"""Likeness from 0 to 100 from which a misspelt field is taken for its one nearest name."""
_CLEAR_LEAD: Final = 10.0
"""How much less alike the second nearest name has to be."""


def unknown_field(tool: str, key: str, free: frozenset[str], names: frozenset[str], at: Sequence[str | int]) -> Problem:
    """Describe a field that the tool doesn't have.

    Args:
        tool: Name of the tool.
        key: The field.
        free: Declared fields of the same object that aren't there yet.
        names: All declared fields of the same object.
        at: Path of that object.

    """
    near = nearest(key, free, floor=NEAR)
    given = nearest(key, names - free, most=1, floor=_CERTAIN)
    facts = {"tool": tool, "place": path_text(at)}
    for fact, found in (("near", near), ("given", given), ("known", sorted(names))):
        facts[fact] = code_list(path_text([*at, name]) for name in found)
    if shown(key) is None:
        return Problem("unknown_argument_unprintable", ErrorKind.UNKNOWN_ARGUMENT, path_text(at), facts)
    sure = certain_target(key, names)
    if sure is not None and sure in free:
        facts["target"] = path_text([*at, sure])
    return Problem(_code(facts, names, at), ErrorKind.UNKNOWN_ARGUMENT, path_text([*at, key]), facts)


def _code(facts: dict[str, str], names: frozenset[str], at: Sequence[str | int]) -> str:
    if "target" in facts:
        return "unknown_argument_use"
    if not names:
        return "unknown_argument_many" if at else "unknown_argument_none"
    if facts["given"]:
        return "unknown_argument_twice"
    if facts["near"]:
        return "unknown_argument_near"
    if len(names) > FEW:
        return "unknown_argument_many"
    return "unknown_argument_inside" if at else "unknown_argument"


def certain_target(key: str, names: Iterable[str]) -> str | None:
    """Return the one declared name that a misspelt field certainly means, or `None`."""
    found = likeness(key, names, most=2, floor=0.0)
    if not found or found[0][1] < _CERTAIN:
        return None
    return found[0][0] if len(found) == 1 or found[0][1] - found[1][1] >= _CLEAR_LEAD else None


def is_wrapper(tool: str, key: str, value: JSON) -> bool:
    """Tell whether an unknown field was put around all the arguments of a call."""
    if not isinstance(value, dict) and not (isinstance(value, str) and value.strip().startswith("{")):
        return False
    return key == tool or key in WRAPPERS or key in _MORE_WRAPPERS


def copied_placeholders(
    tool: str, value: JSON, samples: AbstractSet[str] = frozenset(), path: tuple[str | int, ...] = ()
) -> Iterator[Problem]:
    """Find stand-ins that were copied out of an example instead of being filled in."""
    if isinstance(value, dict | list):
        for key, item in value.items() if isinstance(value, dict) else enumerate(value):
            yield from copied_placeholders(tool, item, samples, (*path, key))
        return
    name = next((step for step in reversed(path) if isinstance(step, str)), "")
    if value == placeholder(name) or (isinstance(value, str) and value in samples):
        yield Problem("placeholder", ErrorKind.INVALID_ARGUMENTS, path_text(path), {"tool": tool})


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

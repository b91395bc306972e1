"""Notice a value that took the place of one the user had named and that was refused."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

from rapidfuzz import fuzz

from reinforced_agent.policies.grounding.matching import Finding, Said, find
from reinforced_agent.policies.schema import CompiledTool
from reinforced_agent.policies.text.normalise import fold
from reinforced_agent.tools.call import JSON
from reinforced_agent.tools.spec import ToolSpec


_RESPELT: Final = 60.0
"""Likeness from 0 to 100 from which on a text is the refused one in another spelling."""

Refused: TypeAlias = tuple[Mapping[str, JSON], Sequence[str]]
"""The arguments of an earlier call of the same tool that was refused or failed, and the fields that were objected to;
no fields where the tool itself failed."""


@dataclass(frozen=True, slots=True)
class Substitution:
    """One value in place of another."""

    field: str
    named: str
    """What the user had named."""
    used: str
    """What the call ran with, which neither the user nor a result named."""


def substitutions(
    spec: ToolSpec, arguments: Mapping[str, JSON], refused: Sequence[Refused], user: Said, known: Said
) -> tuple[Substitution, ...]:
    """List the fields in which a call ran with another value than the user had named.

    Values that the schema offers are a choice of the host, and a value of another type or spelling is the same one put
    right, so both are left out.

    Args:
        spec: The tool.
        arguments: What it ran with.
        refused: Earlier calls of this tool in the turn, the newest last.
        user: What the user said.
        known: What the user said and trusted tools returned.

    """
    return tuple(_found(spec, arguments, refused, user, known)) if refused else ()


def _found(
    spec: ToolSpec, arguments: Mapping[str, JSON], refused: Sequence[Refused], user: Said, known: Said
) -> Iterator[Substitution]:
    offered = _offered(spec)
    for field, used in arguments.items():
        if not _is_value(used) or used in offered.get(field, ()):
            continue
        named = next((given[field] for given, fields in reversed(refused) if _concerns(field, given, fields)), used)
        if type(named) is not type(used) or named == used or _is_respelt(str(named), str(used)):
            continue
        if find(named, user) is Finding.SAID and find(used, known) is Finding.UNSAID:  # type: ignore[arg-type]  # values
            yield Substitution(field, str(named), str(used))


def _concerns(field: str, given: Mapping[str, JSON], fields: Sequence[str]) -> bool:
    """Return whether an earlier call had a value in a field, and was refused for it as far as is known."""
    return field in given and (not fields or field in fields)


def _is_value(value: JSON) -> bool:
    return isinstance(value, str | int | float) and not isinstance(value, bool)


def _is_respelt(one: str, other: str) -> bool:
    left, right = fold(one), fold(other)
    return left in right or right in left or fuzz.ratio(left, right) >= _RESPELT


def _offered(spec: ToolSpec) -> Mapping[str, tuple[JSON, ...]]:
    """Return the values that the schema lists, by field."""
    tool = CompiledTool.compile(spec)
    properties = tool.view(tool.schema).properties
    return {
        name: tuple(value for node in nodes for value in (*tool.view(node).options, *tool.view(node).default))
        for name, nodes in properties.items()
    }

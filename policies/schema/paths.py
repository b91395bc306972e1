"""Find what a dotted path means: in the arguments of a call, and in the schema of a tool."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from functools import lru_cache
from typing import Final, TypeAlias

from reinforced_agent.policies.same import Same
from reinforced_agent.policies.schema import CompiledTool
from reinforced_agent.policies.schema.dialect import Node
from reinforced_agent.policies.schema.view import View
from reinforced_agent.tools.call import JSON
from reinforced_agent.tools.spec import ToolSpec


_DESTINATION: Final = re.compile(
    r"to|cc|bcc|recipients?|receivers?|payees?|beneficiar(?:y|ies)|accounts?|iban|bic|address(?:es)?|e?mails?|phones?|mobile"
    r"|urls?|uri|links?|href|hosts?|domains?|webhooks?|callback|endpoint|targets?|destinations?|dest|participants?|attendees?"
    r"|invitees?|collaborators?|members?|owners?|channels?|paths?|dirs?|director(?:y|ies)|folders?|repos?|repositor(?:y|ies)"
    r"|buckets?|servers?|keys?|收件人|地址|账号|账户|邮箱|链接|电话|路径"
)
"""Names of arguments that say where something goes."""
_PARTS: Final = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|[\u4e00-\u9fff]+")
_ADDRESS: Final = re.compile(
    r"[^\s@]++@[^\s@.]++(?:\.[^\s@.]++)++|[a-z][a-z0-9+.-]*://\S+|www\.\S+"
    r"|\+?\d[\d ()/.-]{6,20}\d|[A-Z]{2}\d{2}[A-Z0-9 ]{8,34}"
)
"""A whole value that is an address, a link, a telephone number or an account."""


class Gap(Enum):
    """Why there is no value at a path."""

    MISSING = "missing"
    """The last step isn't there."""
    CUT_OFF = "cut_off"
    """An earlier step isn't there."""
    UNKNOWN = "unknown"
    """Something else stands there: an empty list, an object, or a value where an object was expected."""


Value: TypeAlias = "JSON | Gap"


@dataclass(frozen=True, slots=True, kw_only=True)
class Declaration:
    """What the schema of a tool says about a path."""

    named: bool
    """Whether it declares the field by name."""
    open: bool
    """Whether it lets such a field pass without naming it."""
    names: frozenset[str]
    """The fields declared where the path ends or breaks off, as whole paths."""
    kinds: frozenset[str] = frozenset()
    """The JSON types a value may have there, those of the elements for a list; empty where that isn't known."""
    default: tuple[JSON, ...] = ()
    """What a missing value stands for; empty where that isn't certain."""


_NOT_THERE: Final = frozenset({Gap.MISSING, Gap.CUT_OFF})


def values_of(arguments: Mapping[str, JSON], spec: ToolSpec, field: str) -> list[Value]:
    """Return the values at a path, those of all list elements; empty when the tool has no such field.

    A field that the call leaves out has its declared default, or is `Gap.UNKNOWN`; so is what has another shape.
    """
    found = list(_walk(arguments, field.split(".")))
    gaps = [value for value in found if isinstance(value, Gap)]
    if not gaps:
        return found
    declared = declaration(spec, field)
    if len(gaps) == len(found) and not declared.named and (not declared.open or set(gaps) <= _NOT_THERE):
        return []
    return [_filled(value, declared) for value in found]


def _filled(value: Value, declared: Declaration) -> Value:
    """Put the declared default where a value is missing."""
    if not isinstance(value, Gap):
        return value
    return declared.default[0] if value is Gap.MISSING and declared.default else Gap.UNKNOWN


def _walk(value: JSON | Mapping[str, JSON], steps: list[str]) -> Iterator[Value]:
    if isinstance(value, list):
        for item in value:
            yield from _walk(item, steps)
        if not value:
            yield Gap.UNKNOWN
    elif not steps:
        yield Gap.UNKNOWN if isinstance(value, Mapping) else value
    elif not isinstance(value, Mapping):
        yield Gap.UNKNOWN
    elif steps[0] in value:
        yield from _walk(value[steps[0]], steps[1:])
    else:
        yield Gap.CUT_OFF if steps[1:] else Gap.MISSING


def declaration(spec: ToolSpec, field: str) -> Declaration:
    """Look a path up in the parameters of a tool; lists are looked through, alternatives all count.

    Raises:
        ToolSchemaError: When the tool's schema can't be used.

    """
    return _declaration(Same(spec), field)


@lru_cache(maxsize=4096)
def _declaration(same: Same[ToolSpec], field: str) -> Declaration:
    tool = _compiled(same)
    nodes: list[Node] = [tool.schema]
    may_be_open, way = False, ""
    for step in field.split("."):
        views = list(_views(tool, nodes))
        may_be_open |= any(_is_open(view) for view in views)
        nodes = [node for view in views for node in view.properties.get(step, ())]
        if not nodes:
            # A field that only a condition of the schema declares has a name but no node of its own.
            named = any(step in view.names for view in views)
            names = frozenset(way + name for view in views for name in view.names)
            return Declaration(named=named, open=may_be_open, names=names)
        way += f"{step}."
    views = list(_views(tool, nodes))
    kinds = frozenset[str]().union(*(view.kinds for view in views)) - {"array"}
    default = tool.view(nodes[0]).default if len(nodes) == 1 else ()
    return Declaration(named=True, open=may_be_open, names=frozenset({field}), kinds=kinds, default=default)


@lru_cache(maxsize=1024)
def _compiled(same: Same[ToolSpec]) -> CompiledTool:
    return CompiledTool.compile(same.value)


def _views(tool: CompiledTool, nodes: Iterable[Node]) -> Iterator[View]:
    """Look at nodes, the elements of lists and all alternatives, each once."""
    todo, seen = list(nodes), set[int]()
    while todo:
        node = todo.pop()
        if id(node) in seen:
            continue
        seen.add(id(node))
        view = tool.view(node)
        yield view
        todo += [*view.items, *view.prefix, *(inner for group in view.alternatives for inner in group)]


def _is_open(view: View) -> bool:
    """Tell whether an object there may have fields that nobody named."""
    return "object" in view.kinds and bool(not view.closed or view.extra or view.patterns)


def says_where(path: Sequence[str | int], value: JSON, spec: ToolSpec) -> bool:
    """Return whether a value tells where something goes: as the tool declares, else by name or form.

    Good for the order in which a person is shown things, and for nothing else.
    """
    names = [step for step in path if isinstance(step, str)]
    if spec.destinations is not None:
        return bool(names) and names[0] in spec.destinations
    if names and any(_DESTINATION.fullmatch(part.lower()) for part in _PARTS.findall(names[-1])):
        return True
    return isinstance(value, str) and _ADDRESS.fullmatch(value.strip()) is not None

"""Check a grounding policy and the markers in schemas, so that a slip stops the build and not the rule."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from reinforced_agent.policies.approval.fields import declaration
from reinforced_agent.policies.grounding.marks import Mark, marks_of
from reinforced_agent.policies.grounding.policy import MARKER, Ground, GroundingPolicy
from reinforced_agent.policies.schema.folds import nearest
from reinforced_agent.policies.schema.spelling import code_list
from reinforced_agent.tools.spec import ToolSpec


class GroundingPolicyError(ValueError):
    """A grounding policy, or a marker in a schema, is wrong; the message names every entry, one a line."""


def validate(policy: GroundingPolicy, specs: Iterable[ToolSpec]) -> None:
    """Check every entry of a policy and every marker: tools and fields exist, and words are known.

    Raises:
        GroundingPolicyError: Something is wrong; with the nearest names where one doesn't exist.
        ToolSchemaError: A tool's schema can't be used.

    """
    tools = {spec.name: spec for spec in specs}
    problems = [f"{place}: {problem}" for place, problem in _problems(policy, tools)]
    if problems:
        raise GroundingPolicyError("\n".join(problems))


def _problems(policy: GroundingPolicy, tools: Mapping[str, ToolSpec]) -> Iterator[tuple[str, str]]:
    yield from (("without", _no_tool(name, tools)) for name in policy.without if name not in tools)
    for name, fields in policy.fields.items():
        place = f"fields[{name!r}]"
        if name not in tools:
            yield place, _no_tool(name, tools)
            continue
        for path in fields:
            yield from ((place, problem) for problem in _path_problems(path, tools[name]))
    for spec in tools.values():
        yield from ((f"tool {spec.name!r}", problem) for problem in _marker_problems(spec, policy, tools))


def _no_tool(name: str, tools: Iterable[str]) -> str:
    known = sorted(tools)
    near = code_list(nearest(name, known) or known[:20])
    return f"there is no tool {name!r}. " + (f"Use one of {near}." if near else "No tools are registered.")


def _path_problems(path: str, spec: ToolSpec) -> Iterator[str]:
    declared = declaration(spec, path)
    if not declared.named:
        near = code_list(nearest(path, declared.names) or sorted(declared.names)[:20])
        yield f"`{spec.name}` declares no field {path!r}." + (f" Use {near}." if near else "")


def _marker_problems(spec: ToolSpec, policy: GroundingPolicy, tools: Mapping[str, ToolSpec]) -> Iterator[str]:
    try:
        marks = marks_of(spec, policy)
    except ValueError as error:
        if "is not a valid Ground" not in str(error):
            raise
        words = code_list(ground.value for ground in Ground)
        yield f"its schema has an unknown word in `{MARKER}`: {error}. Use {words}."
        return
    for mark in _each(marks):
        if mark.lookup and mark.lookup not in tools:
            yield f"a field is looked up with {mark.lookup!r}, but " + _no_tool(mark.lookup, tools)


def _each(mark: Mark) -> Iterator[Mark]:
    for inner in mark.fields.values():
        yield inner
        yield from _each(inner)

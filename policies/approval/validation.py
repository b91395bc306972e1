"""Check an approval policy against the tools it is for, so that a slip stops the build and not the rule."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from math import isfinite

from reinforced_agent.policies.approval.conditions import Condition
from reinforced_agent.policies.approval.policy import ON_DOUBT, ApprovalPolicy, ApprovalRule
from reinforced_agent.policies.schema.paths import declaration
from reinforced_agent.policies.text.folds import code_list, nearest
from reinforced_agent.tools.spec import Risk, ToolSpec


class ApprovalPolicyError(ValueError):
    """An approval policy doesn't fit its tools; the message names every entry that is wrong, one a line."""


def validate(policy: ApprovalPolicy, specs: Iterable[ToolSpec]) -> None:
    """Check every entry of a policy: tools and fields exist, patterns and times are usable, no exemption lifts all.

    Raises:
        ApprovalPolicyError: Something is wrong; with the nearest names where one doesn't exist.
        ToolSchemaError: A condition names a field of a tool whose schema can't be used.

    """
    tools = {spec.name: spec for spec in specs}
    problems = [f"{place}: {problem}" for place, problem in _problems(policy, tools)]
    if problems:
        raise ApprovalPolicyError("\n".join(problems))


def _problems(policy: ApprovalPolicy, tools: Mapping[str, ToolSpec]) -> Iterator[tuple[str, str]]:
    if policy.on_doubt not in ON_DOUBT:
        yield "on_doubt", f"{policy.on_doubt!r} is none of {code_list(ON_DOUBT)}."
    rules = {"read": policy.read, "write": policy.write, "destructive": policy.destructive}
    for name, rule in policy.tools.items():
        rules[f"tools[{name!r}]"] = rule
        if name not in tools:
            yield f"tools[{name!r}]", _no_tool(name, tools)
    for place, rule in rules.items():
        yield from ((f"{place}.{part}", problem) for part, problem in _rule_problems(rule))
    for number, escalation in enumerate(policy.escalations):
        yield from _condition_problems(f"escalations[{number}].when", escalation.when, tools)
        concerned = [tools[name] for name in escalation.when.tools or tools if name in tools]
        if concerned and all(escalation.risk.rank <= spec.risk.rank for spec in concerned):
            yield f"escalations[{number}].risk", _no_rise(escalation.risk, concerned)
    for number, exemption in enumerate(policy.exemptions):
        place = f"exemptions[{number}].when"
        yield from _condition_problems(place, exemption.when, tools)
        if not _narrows(exemption.when):
            yield place, "this would let every call run unasked. Name `tools`, or a `field` with a test."


def _no_tool(name: str, tools: Iterable[str]) -> str:
    known = sorted(tools)
    near = code_list(nearest(name, known) or known[:20])
    return f"there is no tool {name!r}. " + (f"Use one of {near}." if near else "No tools are registered.")


def _no_rise(risk: Risk, concerned: Iterable[ToolSpec]) -> str:
    declared = ", ".join(f"`{spec.name}` is {spec.risk.value!r}" for spec in concerned)
    return f"{risk.value!r} raises nothing: {declared} already. Use a higher risk, or change the rule of the tool."


def _rule_problems(rule: ApprovalRule) -> Iterator[tuple[str, str]]:
    if rule.expires is not None and (not _is_number(rule.expires) or rule.expires <= 0):
        yield "expires", f"{rule.expires!r} is no time to answer in. Use seconds above 0, or None for never."
    if not all(rule.roles):
        yield "roles", f"{rule.roles!r} are no roles. Use a tuple of names, such as ('finance',)."


def _is_number(value: object) -> bool:
    """Tell whether a value can bound a number."""
    return isinstance(value, int | float) and not isinstance(value, bool) and isfinite(value)


def _narrows(condition: Condition) -> bool:
    """Tell whether a condition leaves calls out for what they are, not only for where they come from."""
    return bool(condition.tools or condition.field) or any(_narrows(other) for other in condition.also)


def _condition_problems(
    place: str, condition: Condition, tools: Mapping[str, ToolSpec], *, outer: tuple[str, ...] = ()
) -> Iterator[tuple[str, str]]:
    yield from ((f"{place}.tools", _no_tool(name, tools)) for name in condition.tools if name not in tools)
    named = condition.tools or outer
    concerned = [tools[name] for name in named if name in tools] if named else list(tools.values())
    yield from ((f"{place}.{part}", problem) for part, problem in _test_problems(condition))
    if condition.field:
        problem = _field_problem(condition, concerned, all_of_them=bool(named))
        yield from [(f"{place}.field", problem)] if problem else []
    for number, other in enumerate(condition.also):
        yield from _condition_problems(f"{place}.also[{number}]", other, tools, outer=named)


def _test_problems(condition: Condition) -> Iterator[tuple[str, str]]:
    for name, bound in condition.bounds.items():
        if not _is_number(bound):
            yield name, f"{bound!r} is no number."
    try:
        re.compile(condition.matches)
    except (re.error, TypeError) as error:
        yield "matches", f"{condition.matches!r} is no regular expression: {error}."
    if condition.tests_values and not condition.field:
        yield "field", "a test on a value needs a `field`. Name the argument it is about."
    if condition.field and not condition.tests_values and condition.tainted is None:
        yield "field", f"{condition.field!r} is put to no test. Add one, such as `above` or `one_of`."


def _field_problem(condition: Condition, tools: list[ToolSpec], *, all_of_them: bool) -> str:
    """Look for the field; every tool that is named has to have it, else one is enough."""
    found = [(spec, declaration(spec, condition.field)) for spec in tools]
    lacking = [(spec, declared) for spec, declared in found if not (declared.named or declared.open)]
    if lacking and (all_of_them or len(lacking) == len(found)):
        known = frozenset[str]().union(*(declared.names for _, declared in lacking))
        near = code_list(nearest(condition.field, known) or sorted(known)[:20])
        whose = f"`{lacking[0][0].name}` has" if all_of_them else "no tool has"
        return f"{whose} {'no' if all_of_them else 'a'} field {condition.field!r}." + (f" Use {near}." if near else "")
    if condition.bounds:
        kinds = {spec.name: declared.kinds for spec, declared in found if declared.kinds}
        texts = [name for name, kind in kinds.items() if not kind & {"number", "integer"}]
        if texts and (all_of_them or len(texts) == len(kinds)):
            return (
                f"{condition.field!r} of `{texts[0]}` is never a number, so no bound fits. Use `one_of` or `matches`."
            )
    return ""

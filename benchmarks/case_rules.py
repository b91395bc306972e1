"""Write what a case says about its house as rules: facts it requires, tools that come first, a folder to stay in."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from reinforced_agent.policies.rules import After, Limit, Requires, Rule, RuleSet, Source


_PATH = re.compile(r"(?:.*_)?(?:path|file|filename|folder|directory)")
"""Names of arguments that hold a path."""


def rules_of(tools: Sequence[Mapping[str, Any]], state: Mapping[str, Any]) -> RuleSet:
    """Return the rules of a case.

    Args:
        tools: Its tools; `depends_on` names those that have to bring a result first.
        state: `policies` with `applies_to`, `requires_state` and `fix`, the tool that establishes it; `workspace_root`.

    """
    policies = state.get("policies") or ()
    sources = tuple(
        Source(fact=fact, tool=policy["fix"])
        for policy in policies
        if policy.get("fix")
        for fact in policy.get("requires_state") or ()
    )
    return RuleSet(rules=(*_required(policies), *_ordered(tools), *_kept_inside(tools, state)), sources=sources)


def facts_of(state: Mapping[str, Any]) -> dict[str, Any]:
    """Return what is known of the facts that the policies of a case ask for; `null` is not known."""
    asked = {fact for policy in state.get("policies") or () for fact in policy.get("requires_state") or ()}
    return {fact: state[fact] for fact in asked if state.get(fact) is not None}


def _required(policies: Sequence[Mapping[str, Any]]) -> Iterator[Rule]:
    """Write the facts that have to be known."""
    for policy in policies:
        for fact, value in (policy.get("requires_state") or {}).items():
            name, applies_to = str(policy.get("id") or fact), tuple(policy.get("applies_to") or ())
            yield Requires(name=name, tools=applies_to, fact=fact, one_of=(value,))


def _ordered(tools: Sequence[Mapping[str, Any]]) -> Iterator[Rule]:
    """Write which tools come first."""
    for tool in tools:
        if tool.get("depends_on"):
            yield After(name=f"before {tool['name']}", tools=(tool["name"],), after=tuple(tool["depends_on"]))


def _kept_inside(tools: Sequence[Mapping[str, Any]], state: Mapping[str, Any]) -> Iterator[Rule]:
    """Write where paths have to stay."""
    root = state.get("workspace_root")
    for tool in tools if root else ():
        for field in (tool.get("parameters") or {}).get("properties") or ():
            if _PATH.fullmatch(field):
                yield Limit(name="workspace", tools=(tool["name"],), field=field, inside=str(root), may_be_missing=True)

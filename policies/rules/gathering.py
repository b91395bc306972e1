"""Put the rules of a house together: single rules, rule sets and callables, with one stock of facts for all of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from inspect import iscoroutinefunction
from typing import TypeAlias

from reinforced_agent.policies.rules.base import Base
from reinforced_agent.policies.rules.expressions import Fact
from reinforced_agent.policies.rules.facts import CHRONICLE, Learner, Source, sources_of
from reinforced_agent.policies.rules.ordering import Quota, Requires
from reinforced_agent.policies.rules.scene import Knowledge, Stage
from reinforced_agent.policies.rules.sets import Bound, RuleSet
from reinforced_agent.policies.rules.validation import validate
from reinforced_agent.policies.situation import Layer
from reinforced_agent.tools.spec import ToolSpec


Policies: TypeAlias = RuleSet | Iterable[Layer | RuleSet]
"""What a host may give as its rules."""


@dataclass(frozen=True, slots=True)
class HouseRules:
    """The rules of one agent, ready to be asked."""

    layers: tuple[Layer, ...] = ()
    sets: tuple[RuleSet, ...] = ()
    """The rule sets among them."""
    learner: Learner | None = None
    """Says what calls establish; `None` where no rule could ask for it."""
    user_quotas: Mapping[str, tuple[Quota, ...]] = field(default_factory=dict)
    """Tool → the quotas of users that it counts for."""
    told_facts: tuple[str, ...] = ()
    """The facts of which the model is told whether they are known."""
    secret_facts: frozenset[str] = frozenset()
    """Those of which it is told no more."""


def gather(policies: Policies, specs: Iterable[ToolSpec]) -> HouseRules:
    """Flatten rule sets into layers, and let every rule know every source of facts.

    Raises:
        RuleError: When a rule doesn't fit the tools.
        ToolSchemaError: When a rule names a field of a tool whose schema can't be used.

    """
    specs = tuple(specs)
    items = (policies,) if isinstance(policies, RuleSet) else tuple(policies)
    for item in items:
        _refuse_unusable(item)
    sets = tuple(item for item in items if isinstance(item, RuleSet))
    for rules in sets:
        validate(rules, specs)
    validate([item for item in items if isinstance(item, Base)], specs)
    layers = tuple(layer for item in items for layer in (item if isinstance(item, RuleSet) else (item,)))
    sources = (*sources_of(specs), *dict.fromkeys(_sources(layers)))
    if not any(isinstance(layer, Base | Bound) for layer in layers) and not (layers and sources):
        return HouseRules(layers, sets)
    informed = tuple(_informed(layers, sources))
    return HouseRules(
        informed,
        sets,
        Learner(sources),
        user_quotas=_user_quotas(informed),
        told_facts=tuple(dict.fromkeys(fact for one in sets if one.tell_facts for fact in facts_of(one.rules))),
        secret_facts=frozenset(fact for one in sets for fact in one.secret_facts),
    )


def _user_quotas(layers: Iterable[Layer]) -> dict[str, tuple[Quota, ...]]:
    found: dict[str, tuple[Quota, ...]] = {}
    for layer in layers:
        if isinstance(layer, Bound) and isinstance(layer.rule, Quota) and layer.rule.per == "user":
            for tool in layer.rule.tools:
                found[tool] = (*found.get(tool, ()), layer.rule)
    return found


def facts_of(rules: Iterable[Base]) -> Iterator[str]:
    """Name the facts that rules refer to; those about the calls of the thread themselves are left out."""
    for rule in rules:
        if isinstance(rule, Requires):
            yield rule.fact.partition(".")[0]
        for _, claim in rule.claims_inside():
            named = [part.fact for part in claim.expressions if isinstance(part, Fact)]
            yield from (name for name in (*named, claim.was_looked_up) if name and name not in CHRONICLE)


def _refuse_unusable(item: object) -> None:
    """Refuse what can't be asked about a call.

    Raises:
        TypeError: It is no rule, rule set or function, or one that has to be awaited.

    """
    if isinstance(item, RuleSet | Base | Bound):
        return
    if not callable(item) or isinstance(item, type | ToolSpec):
        msg = f"{item!r} can't be a policy: give a rule, a rule set, a file of rules, or a function (call, situation)."
        raise TypeError(msg)
    if iscoroutinefunction(item) or iscoroutinefunction(type(item).__call__):
        msg = f"{item!r} can't be a policy: it is async. Make it a plain function, and hand it what it needs as facts."
        raise TypeError(msg)


def _sources(layers: Iterable[Layer]) -> Iterator[Source]:
    for layer in layers:
        if isinstance(layer, Bound):
            yield from layer.stage.knowledge.sources


def _informed(layers: Iterable[Layer], sources: tuple[Source, ...]) -> Iterator[Layer]:
    """Give every rule the sources of all; rules that shared a stage share one again."""
    stages: dict[int, Stage] = {0: Stage(Knowledge(sources))}
    for layer in layers:
        if isinstance(layer, Bound):
            known = layer.stage.knowledge
            stage = stages.setdefault(id(layer.stage), Stage(replace(known, sources=sources)))
            yield Bound(layer.rule, stage)
        elif isinstance(layer, Base):
            yield Bound(layer, stages[0])
        else:
            yield layer

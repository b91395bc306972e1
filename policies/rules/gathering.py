"""Put the rules of a house together: single rules, rule sets and callables, with one stock of facts for all of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import TypeAlias

from reinforced_agent.policies.rules.base import Base
from reinforced_agent.policies.rules.facts import Source, sources_of
from reinforced_agent.policies.rules.learning import Learner
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


def gather(policies: Policies, specs: Iterable[ToolSpec]) -> HouseRules:
    """Flatten rule sets into layers, and let every rule know every source of facts.

    Raises:
        RuleError: When a rule doesn't fit the tools.
        ToolSchemaError: When a rule names a field of a tool whose schema can't be used.

    """
    specs = tuple(specs)
    items = (policies,) if isinstance(policies, RuleSet) else tuple(policies)
    sets = tuple(item for item in items if isinstance(item, RuleSet))
    for rules in sets:
        validate(rules, specs)
    validate([rule for item in items if (rule := _alone(item)) is not None], specs)
    layers = tuple(layer for item in items for layer in (item if isinstance(item, RuleSet) else (item,)))
    if not any(isinstance(layer, Base | Bound) for layer in layers):
        return HouseRules(layers, sets)
    sources = (*sources_of(specs), *dict.fromkeys(_sources(layers)))
    return HouseRules(tuple(_informed(layers, sources)), sets, Learner(sources))


def _alone(item: object) -> Base | None:
    """Return a rule that belongs to no set."""
    return item if isinstance(item, Base) else None


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

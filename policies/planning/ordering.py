"""Business rules that can be judged before anything ran: order, prerequisites, quotas, and what is forbidden at all."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from reinforced_agent.policies.planning.steps import Plan, Step
from reinforced_agent.policies.rules import After, Forbidden, Order, Quota, Requires
from reinforced_agent.policies.rules.claims import Claim, holds
from reinforced_agent.policies.rules.expressions import Computed, Field, Result
from reinforced_agent.policies.rules.facts import DONE, Source
from reinforced_agent.policies.rules.scene import Knowledge, Scene
from reinforced_agent.policies.rules.sets import Bound
from reinforced_agent.policies.situation import PastCall, Situation
from reinforced_agent.policies.status import Status
from reinforced_agent.policies.verdicts import Refuse, Revise
from reinforced_agent.tools.call import JSON, Call


@dataclass(frozen=True, slots=True)
class PlanRule:
    """A rule that looks at what was done before rather than at arguments, with the sources of facts it knows."""

    rule: Requires | After | Order | Quota | Forbidden
    sources: tuple[Source, ...] = ()
    layer: Bound | None = None

    def scene(self, call: Call, situation: Situation) -> Scene:
        """Return what the rule looks at."""
        return self.layer.stage.scene(call, situation) if self.layer else Scene(call, situation, Knowledge())


def rules_for_plans(layers: Iterable[Any]) -> tuple[PlanRule, ...]:
    """Choose the rules that can be judged from the layers of the host."""
    found: list[PlanRule] = []
    for layer in layers:
        rule = layer.rule if isinstance(layer, Bound) else layer
        if not isinstance(rule, Requires | After | Order | Quota | Forbidden) or _looks_at_arguments(rule):
            continue
        sources = layer.stage.knowledge.sources if isinstance(layer, Bound) else ()
        found.append(PlanRule(rule, sources, layer if isinstance(layer, Bound) else None))
    return tuple(found)


def _looks_at_arguments(rule: Requires | After | Order | Quota | Forbidden) -> bool:
    """Tell whether a rule needs arguments, results or the books, which a plan doesn't know yet."""
    if isinstance(rule, Quota) and rule.per == "user":
        return True
    claims: tuple[Claim, ...] = (*rule.when, *(rule.claims if isinstance(rule, Forbidden) else ()))
    return any(isinstance(part, Field | Result | Computed) for claim in claims for part in claim.expressions)


def objections(
    rules: Iterable[PlanRule], plan: Plan, situation: Callable[[str], Situation]
) -> Iterator[tuple[Step, Revise | Refuse]]:
    """Go through the steps in order as if each had worked, and yield what a rule would object to.

    Args:
        rules: What can be judged.
        plan: Steps with registered tools, in an order that can be kept.
        situation: What is known now, for a tool.

    """
    rules, earlier = tuple(rules), list[str]()
    for step in plan.in_order() if rules else ():
        expected = _expected(situation(step.tool), earlier)
        for rule in rules:
            verdict = _judge(rule, step, expected, earlier)
            if verdict is not None:
                yield step, verdict
        earlier.append(step.tool)


def _judge(rule: PlanRule, step: Step, situation: Situation, earlier: list[str]) -> Revise | Refuse | None:
    """Judge a step by one rule; where a question to a person would follow, the plan may stand."""
    scene = rule.scene(Call(step.id, step.tool, step.arguments), situation)
    if any(holds(claim, scene) is not True for claim in rule.rule.when):
        return None
    if isinstance(rule.rule, Requires) and _will_be_known(rule.rule.fact, rule.sources, earlier):
        return None
    if isinstance(rule.rule, Forbidden) and any(holds(claim, scene) is not True for claim in rule.rule.claims):
        return None
    verdict = rule.rule.judge(scene)
    return verdict if isinstance(verdict, Revise | Refuse) else None


def _will_be_known(fact: str, sources: Iterable[Source], earlier: list[str]) -> bool:
    """Tell whether an earlier step may establish a fact."""
    name = fact.partition(".")[0]
    return any(source.fact == name and source.tool in earlier and source.on != "failure" for source in sources)


def _expected(situation: Situation, earlier: list[str]) -> Situation:
    """Return the situation as it will be when the earlier steps have worked."""
    told = situation.facts.get(DONE)
    facts: Mapping[str, JSON] = situation.facts
    if isinstance(told, list):
        facts = {**situation.facts, DONE: [*told, *earlier]}
    past = tuple(PastCall(tool=tool, digest="", status=Status.DONE.value) for tool in earlier)
    # Rules that take the turn from the history, because the facts don't hold it, find the steps there.
    return replace(situation, facts=facts, history=(*situation.history, *past), siblings=())

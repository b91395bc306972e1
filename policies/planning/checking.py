"""Check a plan before anything runs: its shape, its tools, their order, what it takes, and what nobody has said yet."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Final

from reinforced_agent.policies.costs import Cost, cost_of_plan, estimate
from reinforced_agent.policies.messages.costs import written
from reinforced_agent.policies.messages.durations import duration
from reinforced_agent.policies.planning.messages import listed, say
from reinforced_agent.policies.planning.steps import Plan, Step
from reinforced_agent.policies.rules import After, Forbidden, Order, Quota, Requires
from reinforced_agent.policies.rules.claims import Claim, holds
from reinforced_agent.policies.rules.expressions import Computed, Field, Result
from reinforced_agent.policies.rules.facts import DONE, Source
from reinforced_agent.policies.rules.scene import Knowledge, Scene
from reinforced_agent.policies.rules.sets import Bound
from reinforced_agent.policies.schema import CompiledTool
from reinforced_agent.policies.situation import Layer, PastCall, Situation
from reinforced_agent.policies.status import Status
from reinforced_agent.policies.tool_names import NameIndex, Resolved, check_routing
from reinforced_agent.policies.verdicts import ErrorKind, Refuse, Revise
from reinforced_agent.tools.call import JSON, Call
from reinforced_agent.tools.spec import ToolSpec


_TOLERANCE: Final = 1e-9
"""Sums of fractions don't come out even."""
_MOST_NAMED: Final = 20
"""Ids or parameters that one fault names."""


@dataclass(frozen=True, slots=True)
class Fault:
    """Why a plan can't be followed."""

    kind: ErrorKind
    message: str
    """For the model."""
    soft: bool = False
    """Whether a plan that keeps it may be followed all the same: the call itself will show."""


@dataclass(frozen=True, slots=True)
class Missing:
    """A value that only the user can tell."""

    tool: str
    field: str


@dataclass(frozen=True, slots=True)
class Checked:
    """A plan with registered tool names, and what is wrong with it."""

    plan: Plan
    faults: tuple[Fault, ...] = ()
    missing: tuple[Missing, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Outlook:
    """What a plan has to make do with."""

    locale: str = "en"
    most_steps: int = 12
    rounds: int = 8
    """Proposals that are left for it."""
    money: float | None = None
    """Money that is left; `None` without a bound."""
    seconds: float | None = None
    """Working time that is left; `None` without a bound."""
    withheld: frozenset[str] = frozenset()
    """Tools that can't be called now."""
    done: frozenset[str] = frozenset()
    """Ids of steps that an earlier plan has brought behind it; new steps may name them."""


@dataclass(frozen=True, slots=True)
class PlanChecker:
    """What every plan of one agent is checked against."""

    tools: Mapping[str, CompiledTool]
    names: NameIndex
    rules: tuple[PlanRule, ...] = ()
    grounding: Layer | None = None

    def check(self, plan: Plan, situation: Callable[[ToolSpec], Situation], outlook: Outlook) -> Checked:
        """Find everything that is wrong; what can't be judged before the shape is right is left for then."""
        if len(plan.steps) > outlook.most_steps:
            # Nothing else is worth a look, however many steps there are.
            return Checked(plan, (_too_many(plan, outlook),))
        resolved, unknown = self._resolved(plan, outlook)
        shape = tuple(_shape(resolved, outlook))
        if shape or unknown:
            return Checked(resolved, (*shape, *unknown))
        faults = [*_reach(resolved, outlook), *self._cost(resolved, outlook)]
        for step in resolved.in_order():
            faults += self._step(step, situation, outlook)
        for step, verdict in objections(self.rules, resolved, lambda tool: situation(self.tools[tool].spec)):
            faults.append(Fault(verdict.kind, _at(step, verdict.message, outlook.locale)))
        return Checked(resolved, tuple(faults), tuple(self._missing(resolved)))

    def _resolved(self, plan: Plan, outlook: Outlook) -> tuple[Plan, list[Fault]]:
        """Put the registered names in place of those that certainly mean them."""
        steps: list[Step] = []
        faults: list[Fault] = []
        for step in plan.steps:
            match check_routing(step.tool, self.names, locale=outlook.locale):
                case Resolved(name=name):
                    if name in outlook.withheld:
                        what = say("withheld", outlook.locale, tool=name)
                        faults.append(Fault(ErrorKind.UNKNOWN_TOOL, _at(step, what, outlook.locale)))
                    steps.append(replace(step, tool=name))
                case Revise(message=message):
                    faults.append(Fault(ErrorKind.UNKNOWN_TOOL, _at(step, message, outlook.locale)))
                    steps.append(step)
        return Plan(tuple(steps)), faults

    def _cost(self, plan: Plan, outlook: Outlook) -> Iterator[Fault]:
        """Check what the tools say they cost; what can't be told before the arguments are known counts as nothing."""
        costs = [
            [cost for step in group if isinstance(cost := estimate(self.tools[step.tool].spec, step.arguments), Cost)]
            for group in plan.rounds
        ]
        total = cost_of_plan(costs)
        for code, needed, left, write in (
            ("too_dear", total.money, outlook.money, written),
            ("too_slow", total.seconds, outlook.seconds, partial(duration, locale=outlook.locale)),
        ):
            if left is not None and needed > left + _TOLERANCE:
                facts = {"needed": write(needed), "left": write(max(left, 0.0))}
                yield Fault(ErrorKind.TOO_EXPENSIVE, say(code, outlook.locale, **facts))

    def _step(self, step: Step, situation: Callable[[ToolSpec], Situation], outlook: Outlook) -> Iterator[Fault]:
        """Check the arguments of one step as far as they are known."""
        tool, locale = self.tools[step.tool], outlook.locale
        view = tool.view(tool.schema)
        if view.closed:
            for name in (*step.arguments, *step.missing):
                if name not in view.names:
                    what = _unknown_field(name, tool, locale)
                    yield Fault(ErrorKind.UNKNOWN_ARGUMENT, _at(step, what, locale))
        if self.grounding is not None and step.arguments:
            verdict = self.grounding(Call(step.id, step.tool, step.arguments), situation(tool.spec))
            if isinstance(verdict, Revise | Refuse):
                yield Fault(verdict.kind, _at(step, verdict.message, locale))
        unnamed = sorted(view.required - step.arguments.keys() - set(step.missing))
        if unnamed and not step.depends_on:
            what = say("unnamed", locale, tool=step.tool, fields=listed(unnamed[:_MOST_NAMED], locale))
            yield Fault(ErrorKind.INVALID_ARGUMENTS, _at(step, what, locale), soft=True)

    def _missing(self, plan: Plan) -> Iterator[Missing]:
        """List required values that the model knows nobody has given; each once a tool."""
        seen: set[tuple[str, str]] = set()
        for step in plan.in_order():
            tool = self.tools[step.tool]
            required = tool.view(tool.schema).required
            for name in step.missing:
                if name in required and name not in step.arguments and (step.tool, name) not in seen:
                    seen.add((step.tool, name))
                    yield Missing(step.tool, name)


def _shape(plan: Plan, outlook: Outlook) -> Iterator[Fault]:
    """Check ids and dependencies."""
    locale = outlook.locale
    count = Counter(step.id for step in plan.steps)
    if "" in count:
        yield _invalid(say("no_id", locale))
    for repeated in [one for one, times in count.items() if times > 1 and one][:_MOST_NAMED]:
        yield _invalid(say("same_id", locale, step=repeated))
    known = listed(list(plan.ids)[:_MOST_NAMED], locale)
    for step in plan.steps:
        for other in step.depends_on:
            if other not in plan.ids | outlook.done:
                yield _invalid(say("dangling", locale, step=step.id, other=other, known=known))
    if max(count.values(), default=0) > 1:
        return
    if stuck := plan.ids - {step.id for step in plan.in_order()}:
        yield _invalid(say("cycle", locale, steps=listed(sorted(stuck)[:_MOST_NAMED], locale)))


def _invalid(message: str) -> Fault:
    return Fault(ErrorKind.INVALID_ARGUMENTS, message)


def _too_many(plan: Plan, outlook: Outlook) -> Fault:
    facts = {"count": len(plan.steps), "most": outlook.most_steps}
    return Fault(ErrorKind.TOO_EXPENSIVE, say("too_many", outlook.locale, **facts))


def _reach(plan: Plan, outlook: Outlook) -> Iterator[Fault]:
    """Check how many proposals a plan takes against those that are left."""
    # The last proposal is the answer.
    if len(plan.rounds) > max(outlook.rounds - 1, 0):
        facts = {"rounds": len(plan.rounds), "left": max(outlook.rounds - 1, 0)}
        yield Fault(ErrorKind.TOO_EXPENSIVE, say("too_long", outlook.locale, **facts))


def _at(step: Step, what: str, locale: str) -> str:
    return say("at_step", locale, step=step.id, what=what)


def _unknown_field(name: str, tool: CompiledTool, locale: str) -> str:
    known = sorted(tool.view(tool.schema).names)[:_MOST_NAMED]
    code = "unknown_field" if known else "no_fields"
    return say(code, locale, field=name, tool=tool.name, known=listed(known, locale))


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
    done = None if situation.done is None else [*situation.done, *earlier]
    return replace(situation, facts=facts, done=done, history=(*situation.history, *past), siblings=())

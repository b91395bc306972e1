"""Layer 7: object to calls that the run can't afford, and propose what it can.

Money adds up, and calls that run side by side share the time. What a call will cost is told by its tool; a function
that breaks while it tells lets nothing through where a bound depends on it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

from reinforced_agent.policies.messages.costs import Excess, advise, advise_lighter, question, tell_excess
from reinforced_agent.policies.schema import CompiledTool
from reinforced_agent.policies.schema.validate import check_arguments
from reinforced_agent.policies.situation import Budget, Situation
from reinforced_agent.policies.verdicts import Accept, Ask, ErrorKind, Refuse, Revise, Verdict
from reinforced_agent.tools.call import JSON, Call, canonical_json
from reinforced_agent.tools.estimates import Amount, Estimate, Lighter, is_amount
from reinforced_agent.tools.spec import ToolSpec


LAYER: Final = "cost"

_TOLERANCE: Final = 1e-9
"""Sums of fractions don't come out even; three times 0.1 fits into 0.3."""


@dataclass(frozen=True, slots=True)
class Cost:
    """What a call, or several, will take."""

    money: float = 0.0
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class Broken:
    """An estimate that can't be made, with the reason for the operator."""

    reason: str


Estimated: TypeAlias = Cost | Broken
Unit: TypeAlias = Literal["money", "seconds"]


def side_by_side(costs: Iterable[Cost]) -> Cost:
    """Return what calls take that run at the same time: all the money, and the time of the slowest."""
    listed = list(costs)
    return Cost(sum(one.money for one in listed), max((one.seconds for one in listed), default=0.0))


def in_turn(costs: Iterable[Cost]) -> Cost:
    """Return what calls, or groups of them, take one after the other."""
    listed = list(costs)
    return Cost(sum(one.money for one in listed), sum(one.seconds for one in listed))


def cost_of_plan(groups: Iterable[Iterable[Cost]]) -> Cost:
    """Return what a plan takes: the groups run one after the other, the calls of a group side by side."""
    return in_turn(side_by_side(group) for group in groups)


def estimate(spec: ToolSpec, arguments: Mapping[str, JSON], units: Iterable[Unit] = ("money", "seconds")) -> Estimated:
    """Return what a call will cost, in the units asked for; a tool that declares nothing costs nothing."""
    declared = spec.estimate
    if declared is None:
        return Cost()
    found: dict[str, float] = {}
    for name in units:
        try:
            found[name] = _amount(getattr(declared, name), arguments)
        except Exception as error:  # noqa: BLE001  # the function is the host's code
            return Broken(f"the estimate of {name} for {spec.name!r} raised {type(error).__name__}: {error}")
    return Cost(**found)


def _amount(amount: Amount | None, arguments: Mapping[str, JSON]) -> float:
    """Work an amount out.

    Raises:
        ValueError: When what comes out is no amount.

    """
    value = amount(arguments) if callable(amount) else amount
    if value is None and amount is None:
        return 0.0
    if value is None or not is_amount(value):
        msg = f"{value!r} is no finite number from 0 up"
        raise ValueError(msg)
    return float(value)


@dataclass(frozen=True, slots=True)
class CostLayer:
    """Judges calls by what they cost and by what is left."""

    tools: Mapping[str, CompiledTool]
    """Every registered tool, to check what is proposed in place of a call."""

    def __call__(self, call: Call, situation: Situation) -> Verdict:
        """Accept what the run can afford."""
        spec, budget = situation.spec, situation.budget
        if code := _used_up(budget):
            return _refusal(Excess(code), call, situation)
        if spec.estimate is None:
            return Accept(layer=LAYER)
        cost = estimate(spec, call.arguments, _bound_units(budget))
        if isinstance(cost, Broken):
            return self._about_broken(cost, call, situation)
        excesses = _excesses(cost, budget)
        return self._object(excesses, call, situation) if excesses else Accept(layer=LAYER)

    def _about_broken(self, broken: Broken, call: Call, situation: Situation) -> Verdict:
        """Stop a call whose cost nobody can tell, while a bound depends on it."""
        if situation.budget.too_expensive == "ask":
            return _ask([Excess("broken")], call, situation, broken.reason)
        return _refusal(Excess("broken"), call, situation, broken.reason)

    def _object(self, excesses: list[Excess], call: Call, situation: Situation) -> Verdict:
        """Put a call that costs too much to a person, or send it back with what would fit, or refuse it."""
        spec, locale = situation.spec, situation.locale
        if situation.budget.too_expensive == "ask" and all(excess.unit == "money" for excess in excesses):
            # A person can spend more money, but can't make more time.
            return _ask(excesses, call, situation)
        head = tell_excess(excesses, call.tool, locale)
        operator = "; ".join(f"{one.code}: {one.cost:g} of {one.most:g}" for one in excesses)
        if (lighter := self._lighter(call, situation)) is not None:
            return Revise(
                layer=LAYER,
                kind=_KIND,
                message=f"{head} {advise_lighter(lighter.tool, lighter.arguments, locale)}",
                operator=operator,
                fields=_changed(lighter, call),
                corrected=lighter.arguments if lighter.tool == call.tool else None,
            )
        if spec.estimate is not None and all(callable(getattr(spec.estimate, one.unit)) for one in excesses):
            message = f"{head} {advise('narrow', locale)}"
            return Revise(layer=LAYER, kind=_KIND, message=message, operator=operator)
        message = f"{head} {advise('without', locale)}"
        return Refuse(layer=LAYER, kind=_KIND, message=message, operator=operator)

    def _lighter(self, call: Call, situation: Situation) -> Call | None:
        """Return the first declared call in place of this one that is valid and that the run can afford."""
        declared: Estimate | None = situation.spec.estimate
        for lighter in () if declared is None else declared.lighter:
            proposed = _proposed(lighter, call)
            if proposed is not None and proposed.digest != call.digest and self._fits(proposed, situation):
                return proposed
        return None

    def _fits(self, proposed: Call, situation: Situation) -> bool:
        """Tell whether a call is valid, offered to the model, and can be afforded."""
        tool = self.tools[proposed.tool]
        if not tool.spec.offered or not isinstance(check_arguments(tool, proposed), Accept):
            return False
        cost = estimate(tool.spec, proposed.arguments)
        return isinstance(cost, Cost) and not _excesses(cost, situation.budget)


_KIND: Final = ErrorKind.TOO_EXPENSIVE


def _bound_units(budget: Budget) -> Iterator[Unit]:
    """Name what is bounded: an estimate that nothing depends on is not asked for."""
    if budget.money is not None or budget.call_money is not None:
        yield "money"
    if budget.seconds is not None:
        yield "seconds"


def _used_up(budget: Budget) -> str:
    """Return which bound leaves nothing for any call; empty where none does."""
    if budget.seconds is not None and budget.seconds <= 0:
        return "time"
    if budget.calls is not None and budget.calls <= 0:
        return "calls"
    return "tool_calls" if budget.tool_calls is not None and budget.tool_calls <= 0 else ""


def _excesses(cost: Cost, budget: Budget) -> list[Excess]:
    """List the bounds that a call would break."""
    bounds = (
        ("call_money", "money", cost.money, budget.call_money),
        ("money", "money", cost.money, budget.money),
        ("seconds", "seconds", cost.seconds, budget.seconds),
    )
    return [
        Excess(code, unit, amount, max(most, 0.0))
        for code, unit, amount, most in bounds
        if most is not None and amount > most + _TOLERANCE and amount > 0
    ]


def _refusal(excess: Excess, call: Call, situation: Situation, operator: str = "") -> Refuse:
    """Refuse a call that no other arguments can make possible."""
    message = f"{tell_excess([excess], call.tool, situation.locale)} {advise('without', situation.locale)}"
    return Refuse(layer=LAYER, kind=_KIND, message=message, operator=operator or excess.code)


def _ask(excesses: list[Excess], call: Call, situation: Situation, operator: str = "") -> Ask:
    """Put a call to a person, with what it costs and what is left."""
    message = question(excesses, call.tool, situation.locale)
    return Ask(layer=LAYER, kind=_KIND, message=message, operator=operator)


def _proposed(lighter: Lighter, call: Call) -> Call | None:
    """Make the call that is declared in place of another; a mapping that breaks makes none."""
    try:
        mapping = lighter.arguments
        arguments = dict(mapping(call.arguments)) if callable(mapping) else {**call.arguments, **mapping}
        canonical_json(arguments)
    except Exception:  # noqa: BLE001  # the mapping is the host's code
        return None
    return Call(call.id, lighter.tool or call.tool, arguments)


def _changed(lighter: Call, call: Call) -> tuple[str, ...]:
    """Name the fields that a lighter call of the same tool changes."""
    if lighter.tool != call.tool:
        return ()
    before, after = call.arguments, lighter.arguments
    return tuple(name for name in {**before, **after} if before.get(name) != after.get(name))

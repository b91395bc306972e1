"""Rules about values: limits of one argument, relations between several, and combinations that must not be."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from reinforced_agent.policies.approval.conditions import Condition, Look
from reinforced_agent.policies.approval.conditions import holds as condition_holds
from reinforced_agent.policies.rules.base import Base, Finding
from reinforced_agent.policies.rules.claims import Claim, fields_of, holds
from reinforced_agent.policies.rules.expressions import (
    Computed,
    Count,
    Expression,
    Fact,
    Field,
    Result,
    Scalar,
    Sum,
    values,
)
from reinforced_agent.policies.rules.messages import phrase
from reinforced_agent.policies.rules.scene import Scene
from reinforced_agent.policies.schema.paths import values_of
from reinforced_agent.policies.text.folds import code_list, shown
from reinforced_agent.policies.text.json_paths import is_inside
from reinforced_agent.policies.text.normalise import normalised
from reinforced_agent.tools.call import JSON


_FEW = 12
"""Allowed values that a message lists."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Limit(Base):
    """An argument keeps to a number, a list, a pattern or a folder; one that is missing without a default doesn't."""

    kind: Literal["limit"] = "limit"
    field: str
    """Path with dots; lists are looked through, and every value has to keep to it. A rule without `tools` is about
    every tool that has the field."""
    at_least: float | None = None
    at_most: float | None = None
    above: float | None = None
    below: float | None = None
    one_of: tuple[Scalar, ...] = ()
    none_of: tuple[Scalar, ...] = ()
    matches: str = ""
    """Regular expression that the whole text matches."""
    inside: str = ""
    """Absolute folder that the path stays in, by components and after `..`; links on the disk are not followed."""
    may_be_missing: bool = False
    """Whether a call may leave the whole argument out."""

    @property
    def condition(self) -> Condition:
        """What it says about the value, without the folder."""
        return Condition(
            field=self.field,
            at_least=self.at_least,
            at_most=self.at_most,
            above=self.above,
            below=self.below,
            one_of=self.one_of,
            none_of=self.none_of,
            matches=self.matches,
        )

    def objection(self, scene: Scene) -> Finding | None:
        """Object unless every value is known to keep to the limit."""
        arguments = scene.call.arguments
        if self.may_be_missing and self.field.partition(".")[0] not in arguments:
            return None
        if not self.tools and not values_of(arguments, scene.situation.spec, self.field):
            return None
        condition = self.condition
        fits = not condition.tests_values or condition_holds(condition, Look(scene.call, scene.situation), every=True)
        if fits and (not self.inside or self._is_inside(scene)):
            return None
        return Finding(
            "limit", {"field": self.field, "allowed": bounds_text(self, scene.situation.locale)}, (self.field,)
        )

    def _is_inside(self, scene: Scene) -> bool:
        found = values_of(scene.call.arguments, scene.situation.spec, self.field)
        read = (normalised(value) for value in found if isinstance(value, str))
        return bool(found) and all(is_inside(value, self.inside) for value in (*found, *read))


@dataclass(frozen=True, slots=True, kw_only=True)
class Relation(Base):
    """A claim about arguments, facts and results has to hold; one that can't be checked doesn't."""

    kind: Literal["relation"] = "relation"
    must: Claim
    """What has to hold."""

    def objection(self, scene: Scene) -> Finding | None:
        """Object to a claim that doesn't hold, or that can't be checked yet."""
        found = holds(self.must, scene)
        if found:
            return None
        fields = fields_of([self.must])
        facts = {"fields": code_list(fields or [scene.call.tool]), **claim_facts(self.must, scene)}
        missing = self._missing(found, scene)
        if not missing:
            return Finding("relation", facts, fields)
        results = {part.result for part in self.must.expressions if isinstance(part, Result)}
        source = missing if missing in results else scene.source_of(missing)
        return Finding("unchecked_from" if source else "unchecked", facts | {"source": source, "fact": missing}, fields)

    def _missing(self, found: bool | None, scene: Scene) -> str:  # noqa: FBT001  # what `holds` has found
        """Name what has to be looked up first; empty where the claim is known not to hold."""
        table = self.must.was_looked_up
        if table and holds(Claim(value=self.must.value, was_looked_up=table), scene) is False:
            return table
        return "" if found is False else _not_known(self.must, scene) or self.name


@dataclass(frozen=True, slots=True, kw_only=True)
class Forbidden(Base):
    """A combination that must not be: the call is stopped unless one of the claims is known not to hold."""

    kind: Literal["forbidden"] = "forbidden"
    claims: tuple[Claim, ...] = ()
    """What must not hold all together."""
    with_tools: tuple[str, ...] = ()
    """Where given, one of these tools ran in the thread, may have, or stands beside the call in the same message.

    Without claims the pair excludes each other: these tools are stopped as well once one of `tools` ran. With claims,
    which only a call of `tools` can meet, the rule looks back alone.
    """

    def concerns(self, tool: str) -> bool:
        """Tell whether the rule is about a tool, on either side of the pair."""
        return not self.tools or tool in self.tools or (self._excludes_both and tool in self.with_tools)

    @property
    def _excludes_both(self) -> bool:
        return not self.claims and not self.when

    def objection(self, scene: Scene) -> Finding | None:
        """Object unless one of the claims is known not to hold."""
        if any(holds(claim, scene) is False for claim in self.claims):
            return None
        fields = fields_of(self.claims)
        if self.with_tools:
            met = self._met(scene)
            return Finding("forbidden_with", {"others": code_list(met)}, fields) if met else None
        return Finding("forbidden", {"fields": code_list(fields or [scene.call.tool])}, fields)

    def _met(self, scene: Scene) -> list[str]:
        """Name the tools on the other side that ran, may have, or stand beside the call."""
        tool = scene.call.tool
        first = not self.tools or tool in self.tools
        others = (*(self.with_tools if first else ()), *(self.tools if tool in self.with_tools else ()))
        # Of two calls in one message only one gives way: the second side yields to what stands before it.
        around = {*scene.done, *scene.unknown_runs, *(other.tool for other in scene.beside(later=first))}
        return [name for name in dict.fromkeys(others) if name in around]


def _name_of(part: Fact | Result | Computed) -> str:
    match part:
        case Fact(fact=name) | Result(result=name) | Computed(computed=name):
            return name


def _not_known(claim: Claim, scene: Scene) -> str:
    """Name the first fact, or the tool of the first result, that is missing; empty where none is."""
    for part in claim.expressions:
        if isinstance(part, Fact | Result | Computed) and values(part, scene) is None:
            return _name_of(part)
    return ""


if TYPE_CHECKING:
    from reinforced_agent.policies.rules.values import Limit


def bounds_text(limit: Limit, locale: str) -> str:
    """Say what a limit allows."""
    said = [phrase(name, locale, bound=f"{bound:g}") for name, bound in limit.condition.bounds.items()]
    listed = {"one_of": limit.one_of, "none_of": limit.none_of}
    said += [phrase(name, locale, bound=code_list(some[:_FEW])) for name, some in listed.items() if some]
    texts = {"matches": limit.matches, "inside": limit.inside}
    said += [phrase(name, locale, bound=text) for name, text in texts.items() if text]
    return phrase("and", locale).join(said)


def claim_facts(claim: Claim, scene: Scene) -> dict[str, str]:
    """Say what a claim is about (`value`) and what it expects (`expected`)."""
    locale = scene.situation.locale
    expected = [phrase(name, locale, bound=_with_value(other, scene)) for name, other in claim.tests.items()]
    if claim.was_looked_up:
        expected.append(phrase("was_looked_up", locale, bound=claim.was_looked_up))
    return {"value": _with_value(claim.value, scene), "expected": phrase("and", locale).join(expected)}


def _with_value(expression: Expression, scene: Scene) -> str:
    """Name an expression, with its values where they are few."""
    name = _named(expression, scene.situation.locale)
    if not name or not isinstance(expression, str | int | float | tuple):
        found = values(expression, scene) or ()
        known = _listed(found)
        return f"{name} ({known})" if name and known else name or known
    return name


def _listed(found: tuple[JSON, ...]) -> str:
    """List values that may be shown; numbers only, because texts of results may be anybody's."""
    numbers = [text for value in found if isinstance(value, int | float) and (text := shown(value))]
    return ", ".join(numbers[:_FEW]) if len(numbers) == len(found) else ""


def _named(expression: Expression, locale: str) -> str:
    match expression:
        case Field(field=name) | Fact(fact=name) | Computed(computed=name):
            return f"`{name}`"
        case Result(result=name):
            return phrase("result", locale, bound=name)
        case Sum(sum=inner):
            return phrase("sum", locale, bound=_named(inner, locale))
        case Count(count=inner):
            return phrase("count", locale, bound=_named(inner, locale))
        case tuple():
            return code_list(expression[:_FEW])
        case _:
            return code_list([expression])

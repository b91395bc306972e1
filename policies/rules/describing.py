"""Say in words what a limit allows and what a claim expects; values only where they are short and harmless."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reinforced_agent.policies.rules.claims import Claim
from reinforced_agent.policies.rules.expressions import Computed, Count, Expression, Fact, Field, Result, Sum, values
from reinforced_agent.policies.rules.scene import Scene
from reinforced_agent.policies.rules.wording import phrase
from reinforced_agent.policies.schema.spelling import code_list, shown
from reinforced_agent.tools.call import JSON


if TYPE_CHECKING:
    from reinforced_agent.policies.rules.comparing import Limit


_FEW = 12
"""Allowed values that a message lists."""


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

"""A claim about values, such as "the payments add up to the price", and whether it holds: yes, no, not known."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from reinforced_agent.policies.rules.expressions import Expression, Field, Found, number, parts, values
from reinforced_agent.policies.rules.problems import STRICT
from reinforced_agent.policies.rules.scene import Scene
from reinforced_agent.policies.text.normalise import normalised
from reinforced_agent.tools.call import JSON
from reinforced_agent.tools.containers import typed_containers


TESTS: Final = ("equals", "at_most", "at_least", "one_of", "none_of")


@dataclass(frozen=True, slots=True, kw_only=True)
@typed_containers
class Claim:
    """Every value passes all tests that are given. Numbers compare exactly; `True` is no number, nor is `"5"`."""

    __pydantic_config__ = STRICT

    value: Expression
    """What is tested."""
    equals: Expression | None = None
    """The values are these, in this order."""
    at_most: Expression | None = None
    """Each is a number up to this one, or up to the one at its place in a list as long."""
    at_least: Expression | None = None
    """Each is a number from this one on, or from the one at its place."""
    one_of: Expression | None = None
    """Each is among these."""
    none_of: Expression | None = None
    """None is among these."""
    was_looked_up: str = ""
    """Name of a fact that is a table: each is a key of it."""

    @property
    def tests(self) -> dict[str, Expression]:
        """The comparisons that are given, by name."""
        all_tests = {name: getattr(self, name) for name in TESTS}
        return {name: other for name, other in all_tests.items() if other is not None}

    @property
    def expressions(self) -> tuple[Expression, ...]:
        """Everything it looks at."""
        return tuple(part for side in (self.value, *self.tests.values()) for part in parts(side))


def fields_of(claims: Iterable[Claim]) -> tuple[str, ...]:
    """Name the arguments that claims look at, each once."""
    found = (part.field for claim in claims for part in claim.expressions if isinstance(part, Field))
    return tuple(dict.fromkeys(found))


def holds(claim: Claim, scene: Scene) -> bool | None:
    """Tell whether a claim holds; `None` when that isn't known."""
    found = values(claim.value, scene)
    if found is None:
        return None
    results = [_passes(name, found, values(other, scene)) for name, other in claim.tests.items()]
    if claim.was_looked_up:
        table = scene.facts.get(claim.was_looked_up)
        keys = table if isinstance(table, dict) else {}
        results.append(all(isinstance(key, str) and key in keys for key in found))
    return False if False in results else None if None in results else True


def _passes(name: str, found: tuple[JSON, ...], others: Found) -> bool | None:
    """Put values to one test."""
    if others is None:
        return None
    match name:
        case "equals":
            return len(found) == len(others) and all(map(same, found, others))
        case "one_of":
            return all(any(same(value, other) for other in others) for value in found)
        case "none_of":
            return not any(same(value, other) for value in found for other in others)
        case _:
            return _bounded(name, found, others)


def same(one: JSON, other: JSON) -> bool:
    """Tell whether two values are the same; `1` and `1.0` are, `1` and `True` are not. Texts compare normalised."""
    left, right = number(one), number(other)
    if left is not None and right is not None:
        return left == right
    if isinstance(one, str) and isinstance(other, str):
        return normalised(one) == normalised(other)
    return type(one) is type(other) and one == other


def _bounded(name: str, found: tuple[JSON, ...], others: tuple[JSON, ...]) -> bool | None:
    """Compare numbers with one bound, or each with its own."""
    bounds = others * len(found) if len(others) == 1 else others
    if len(bounds) != len(found):
        return None
    results: list[bool | None] = []
    for value, bound in zip(found, bounds, strict=True):
        left, right = number(value), number(bound)
        if left is None or right is None:
            results.append(None)
        else:
            results.append(left <= right if name == "at_most" else left >= right)
    return False if False in results else None if None in results else True

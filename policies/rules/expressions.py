"""What a rule may compare: arguments, facts, results, sums, counts and named functions; data, never code to run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from math import isfinite
from typing import Annotated, Any, Final, TypeAlias

from pydantic import Discriminator, Tag

from reinforced_agent.policies.rules.facts import BESIDE, DONE
from reinforced_agent.policies.rules.problems import STRICT
from reinforced_agent.policies.rules.scene import Scene
from reinforced_agent.policies.schema.paths import Gap, values_of
from reinforced_agent.policies.text.json_paths import decoded, look
from reinforced_agent.tools.call import JSON
from reinforced_agent.tools.containers import typed_containers


Scalar: TypeAlias = str | int | float | bool
Found: TypeAlias = tuple[JSON, ...] | None
"""The values of an expression in their order; `None` when they aren't known."""


@dataclass(frozen=True, slots=True)
class Field:
    """An argument of the call; lists are looked through, so that `items.price` is every price."""

    __pydantic_config__ = STRICT

    field: str
    """Path with dots."""
    beside: bool = False
    """Whether the calls of the same tool before it in the message count as well, such as for a sum."""


@dataclass(frozen=True, slots=True)
@typed_containers
class Fact:
    """A session fact; what isn't known has no values. `tools_done` and `tools_beside` are there always."""

    __pydantic_config__ = STRICT

    fact: str
    """Name of the fact."""
    at: Expression | None = None
    """Keys to look up, where the fact is a table; one that the table lacks makes the whole unknown."""
    path: str = ""
    """Path inside the fact or its entry; `*` stands for every entry."""


@dataclass(frozen=True, slots=True)
class Result:
    """What a tool brought last in this turn; for earlier turns declare a fact."""

    __pydantic_config__ = STRICT

    result: str
    """Name of the tool."""
    path: str = ""


@dataclass(frozen=True, slots=True)
@typed_containers
class Sum:
    """The sum of numbers, exact in decimals; anything but numbers makes it unknown."""

    __pydantic_config__ = STRICT

    sum: Expression


@dataclass(frozen=True, slots=True)
@typed_containers
class Count:
    """How many values there are."""

    __pydantic_config__ = STRICT

    count: Expression


@dataclass(frozen=True, slots=True)
class Computed:
    """What a function of the host makes of the call and the facts; the rule set knows it by name."""

    __pydantic_config__ = STRICT

    computed: str


NODES: Final[Mapping[str, type]] = {
    "field": Field,
    "fact": Fact,
    "result": Result,
    "sum": Sum,
    "count": Count,
    "computed": Computed,
}
"""The expressions that are no plain values, by the entry that only they have."""


def _tag(value: Any) -> str:
    """Tell an expression by the entry that only it has."""
    if isinstance(value, list | tuple):
        return "<list>"
    if not isinstance(value, Mapping):
        return next((f"<{name}>" for name, node in NODES.items() if isinstance(value, node)), "<value>")
    return next((f"<{name}>" for name in NODES if name in value), "")


Expression: TypeAlias = Annotated[
    Annotated[Field, Tag("<field>")]
    | Annotated[Fact, Tag("<fact>")]
    | Annotated[Result, Tag("<result>")]
    | Annotated[Sum, Tag("<sum>")]
    | Annotated[Count, Tag("<count>")]
    | Annotated[Computed, Tag("<computed>")]
    | Annotated[tuple[Scalar, ...], Tag("<list>")]
    | Annotated[Scalar, Tag("<value>")],
    Discriminator(_tag),
]
"""Anything with values; a plain value or a tuple of them stands for itself."""


def values(expression: Expression, scene: Scene) -> Found:
    """Find the values of an expression; `None` when any part of it isn't known."""
    match expression:
        case Field(field=path, beside=beside):
            found = values_of(scene.call.arguments, scene.situation.spec, path)
            for other in scene.beside(later=False) if beside else ():
                if other.tool == scene.call.tool:
                    found = [*found, *values_of(dict(other.arguments), scene.situation.spec, path)]
            known = tuple(value for value in found if not isinstance(value, Gap))
            return known if found and len(known) == len(found) else None
        case Fact():
            return _of_fact(expression, scene)
        case Result(result=tool, path=path):
            text = scene.last_result(tool)
            return None if text is None else look(decoded(text), path)
        case Sum(sum=inner):
            return _total(values(inner, scene))
        case Count(count=inner):
            counted = values(inner, scene)
            return None if counted is None else (len(counted),)
        case Computed(computed=name):
            return scene.computed(name)
        case tuple():
            return expression
        case _:
            return (expression,)


def _of_fact(expression: Fact, scene: Scene) -> Found:
    if expression.fact == DONE:
        return scene.done
    if expression.fact == BESIDE:
        return tuple(other.tool for other in scene.beside())
    if expression.fact not in scene.facts:
        return None
    fact = scene.facts[expression.fact]
    if expression.at is None:
        return look(fact, expression.path)
    keys = values(expression.at, scene)
    if keys is None or not isinstance(fact, Mapping):
        return None
    entries = [look(fact[key], expression.path) if isinstance(key, str) and key in fact else None for key in keys]
    known = [entry for entry in entries if entry is not None]
    return tuple(value for entry in known for value in entry) if len(known) == len(entries) else None


def number(value: JSON) -> Decimal | None:
    """Read a number exactly as it is written; `None` for anything that is no finite number."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not isfinite(value):
        return None
    return Decimal(str(value))


def _total(found: Found) -> Found:
    """Add numbers up."""
    numbers = [number(value) for value in found or ()]
    known = [one for one in numbers if one is not None]
    if found is None or len(known) < len(numbers):
        return None
    total = sum(known, Decimal(0))
    return (int(total) if total == total.to_integral_value() else float(total),)


def parts(expression: Expression | None) -> tuple[Expression, ...]:
    """List an expression and everything inside it."""
    match expression:
        case None:
            return ()
        case Fact(at=inner) if inner is not None:
            return (expression, *parts(inner))
        case Sum(sum=inner) | Count(count=inner):
            return (expression, *parts(inner))
        case _:
            return (expression,)

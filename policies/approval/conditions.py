"""A condition on a call as plain data, and whether a call meets it: yes, no, or not known."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import isfinite
from typing import Final, TypeAlias

from reinforced_agent.policies.approval.origins import Taint, tainted
from reinforced_agent.policies.egress import Leak, Private
from reinforced_agent.policies.parsing.output import HARMLESS
from reinforced_agent.policies.schema.paths import Gap, Value, values_of
from reinforced_agent.policies.situation import Situation
from reinforced_agent.policies.text.normalise import normalised
from reinforced_agent.tools.call import Call
from reinforced_agent.tools.containers import typed_containers


Listed: TypeAlias = str | int | float | bool
"""A value that a condition may list; `True` is no number, and `1` and `1.0` are the same."""

LONGEST_MATCHED: Final = 10_000
"""Characters; whether a longer text matches counts as not known, so that no text can keep the rules busy."""


@dataclass(frozen=True, slots=True, kw_only=True)
@typed_containers
class Condition:
    """What has to hold for a call; all parts that are given have to, and tests on a field by the same value.

    Texts are compared as they stand and normalised: NFKC, white space collapsed, invisible characters left out.
    A tool that doesn't have the field is not concerned. A field that the call leaves out has its declared default;
    without one, or with a value of another type, whether the condition holds is not known.
    """

    tools: tuple[str, ...] = ()
    """Registered names; empty for every tool."""
    field: str = ""
    """Path of an argument, with dots: `recipient.account`. Lists are looked through: `items.price` is every price."""
    above: float | None = None
    """The number is greater. Numbers compare exactly; neither `True` nor `"5"` is one."""
    at_least: float | None = None
    """The number is greater or equal."""
    below: float | None = None
    """The number is less."""
    at_most: float | None = None
    """The number is less or equal."""
    one_of: tuple[Listed, ...] = ()
    """The value is one of these, exactly."""
    none_of: tuple[Listed, ...] = ()
    """The value is none of these, and of the type of one of them."""
    matches: str = ""
    """Regular expression that the whole text matches."""
    repaired: bool | None = None
    """Whether the call had to be repaired in a way that could matter; `None` when that makes no difference."""
    tainted: bool | None = None
    """Whether the field, or without one any argument, comes from untrusted text only; `None`: makes no difference."""
    also: tuple[Condition, ...] = ()
    """Further conditions on the same call, such as on another field."""

    @property
    def bounds(self) -> dict[str, float]:
        """The limits for a number that are given."""
        all_bounds = {name: getattr(self, name) for name in ("above", "at_least", "below", "at_most")}
        return {name: bound for name, bound in all_bounds.items() if bound is not None}

    @property
    def tests_values(self) -> bool:
        """Whether it looks at a value."""
        return bool(self.bounds or self.one_of or self.none_of or self.matches)


class Look:
    """One call and what conditions may ask about it; found out once, and only when asked."""

    def __init__(self, call: Call, situation: Situation) -> None:
        """Take the call and its situation."""
        self.call = call
        self.situation = situation

    @cached_property
    def repairs(self) -> tuple[str, ...]:
        """What had to be repaired, without what touches no argument."""
        return tuple(name for name in self.call.repairs if name not in HARMLESS)

    @cached_property
    def taints(self) -> tuple[Taint, ...]:
        """The arguments that come from untrusted text only."""
        situation = self.situation
        return tainted(self.call.arguments, trusted=situation.trusted, untrusted=situation.untrusted)

    @cached_property
    def leaks(self) -> tuple[Leak, ...]:
        """The arguments of an outward read that carry a private value, once untrusted content was read."""
        situation = self.situation
        if not situation.spec.is_outward or not situation.untrusted:
            return ()
        return Private(situation.trusted, situation.untrusted).in_arguments(self.call.arguments)


def holds(condition: Condition, look: Look, *, every: bool) -> bool | None:
    """Tell whether a call meets a condition; `None` when that isn't known.

    Args:
        condition: What has to hold.
        look: The call.
        every: Whether every element of a list has to meet it, as for a permission, or any, as for a warning.

    """
    if condition.tools and look.call.tool not in condition.tools:
        return False
    return _all(_parts(condition, look, every=every))


def _parts(condition: Condition, look: Look, *, every: bool) -> Iterator[bool | None]:
    if condition.repaired is not None:
        yield condition.repaired == bool(look.repairs)
    if condition.field:
        yield _field_holds(condition, look, every=every)
    if condition.tainted is not None:
        yield condition.tainted == any(_concerns(condition.field, taint) for taint in look.taints)
    for other in condition.also:
        yield holds(other, look, every=every)


def _concerns(field: str, taint: Taint) -> bool:
    """Tell whether a taint lies at a field or inside it."""
    names = ".".join(step for step in taint.path if isinstance(step, str))
    return not field or f"{names}.".startswith(f"{field}.")


def _field_holds(condition: Condition, look: Look, *, every: bool) -> bool | None:
    values = values_of(look.call.arguments, look.situation.spec, condition.field)
    if not values or not condition.tests_values:
        return bool(values)
    # A value counts as it stands and in the spelling that it is read in; neither may slip past a rule.
    read = [copy for value in values if isinstance(value, str) and (copy := normalised(value)) != value]
    results = [_test(condition, value) for value in (*values, *read)]
    return _all(results) if every else _any(results)


def _test(condition: Condition, value: Value) -> bool | None:
    """Put one value to all tests."""
    if isinstance(value, Gap):
        return None
    return _all(_tests(condition, value))


def _tests(condition: Condition, value: Value) -> Iterator[bool | None]:
    for name, bound in condition.bounds.items():
        yield _compares(name, value, bound)
    if condition.one_of:
        yield _is_listed(value, condition.one_of)
    if condition.none_of:
        listed = _is_listed(value, condition.none_of)
        yield None if listed is None else not listed
    if condition.matches:
        text = value if isinstance(value, str) and len(value) <= LONGEST_MATCHED else None
        yield None if text is None else re.fullmatch(condition.matches, text) is not None


def _compares(name: str, value: Value, bound: float) -> bool | None:
    """Compare a number with a bound; anything else isn't known to be on either side."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    if isinstance(value, float) and not isfinite(value):
        return None
    results = {"above": value > bound, "at_least": value >= bound, "below": value < bound, "at_most": value <= bound}
    return results[name]


def _is_listed(value: Value, listed: Sequence[Listed]) -> bool | None:
    """Look a value up among those of its own type; without one of its type, the list says nothing about it."""
    alike = [other for other in listed if _kind(other) == _kind(value)]
    return value in alike if alike else None


def _kind(value: object) -> type:
    """Return the type by which values are told apart; all numbers have one."""
    return float if isinstance(value, int | float) and not isinstance(value, bool) else type(value)


def _all(results: Iterable[bool | None]) -> bool | None:
    """Join what has to hold together."""
    known = list(results)
    return False if False in known else None if None in known else True


def _any(results: Iterable[bool | None]) -> bool | None:
    """Join what may hold apart."""
    known = list(results)
    return True if True in known else None if None in known else False

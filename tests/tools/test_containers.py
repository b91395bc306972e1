"""What a host declares may come in any container, and what doesn't belong into one is refused when it is declared."""

from __future__ import annotations

import dataclasses
import types
import typing
from collections import deque
from collections.abc import Callable, Mapping
from enum import Enum
from typing import Any

import pytest

import reinforced_agent
from reinforced_agent import Breaker, FailureRules, Limits, ResultRules, Toolset, ToolSpec
from reinforced_agent.policies import rules


GATHERED = {tuple, frozenset}
OF_A_CALL = {reinforced_agent.Erasure, rules.Finding, rules.Observed, rules.RuleProblem}
"""Made while calls are judged, or something is done, not declared."""


class ShopError(Exception):
    """An exception of a host."""


def declarations() -> list[type]:
    """List the dataclasses that a host may make."""
    public = [getattr(module, name) for module in (reinforced_agent, rules) for name in module.__all__]
    return sorted(
        {one for one in public if isinstance(one, type) and dataclasses.is_dataclass(one)} - OF_A_CALL,
        key=lambda one: one.__qualname__,
    )


def members(hint: Any) -> tuple[Any, ...]:
    """Take a union apart."""
    return typing.get_args(hint) if typing.get_origin(hint) in {typing.Union, types.UnionType} else (hint,)


def fields_of(containers: set[Any]) -> list[Any]:
    """List the fields of the declarations that hold several things, each with the type that does."""
    return [
        pytest.param(declared, field.name, member, id=f"{declared.__qualname__}.{field.name}")
        for declared in declarations()
        for hints in [typing.get_type_hints(declared)]
        for field in dataclasses.fields(declared)
        for member in members(hints[field.name])
        if typing.get_origin(member) in containers
    ]


def sample(hint: Any) -> Any:
    """Make a value of a type."""
    hint = members(hint)[0]
    form, parts = typing.get_origin(hint) or hint, typing.get_args(hint)
    if form is type:
        return ShopError
    if form in GATHERED:
        return (sample(parts[0]),)
    if form is typing.Literal:
        return parts[0]
    if form is Mapping or form is dict:
        return {sample(parts[0]): sample(parts[1])}
    if form is Callable or form is typing.get_origin(Callable[[], Any]):
        return lambda *_: None
    if isinstance(form, type) and issubclass(form, Enum):
        return next(iter(form))
    if dataclasses.is_dataclass(form):
        return made(form)
    return {str: "x", int: 1, float: 1.0, bool: True, Any: "x"}[form]


def made(declared: Any, **given: Any) -> Any:
    """Make a declaration with what it can't do without."""
    hints = typing.get_type_hints(declared)
    needed = [
        field.name
        for field in dataclasses.fields(declared)
        if field.default is dataclasses.MISSING and field.default_factory is dataclasses.MISSING
    ]
    return declared(**{name: sample(hints[name]) for name in needed if name not in given} | given)


@pytest.mark.parametrize(("declared", "name", "hint"), fields_of(GATHERED))
def test_any_iterable_becomes_what_is_declared(declared: Any, name: str, hint: Any) -> None:
    """A list or a generator does what a tuple does."""
    element, form = sample(typing.get_args(hint)[0]), typing.get_origin(hint)
    for given in ([element], deque([element]), (one for one in [element])):
        assert getattr(made(declared, **{name: given}), name) == form([element])


@pytest.mark.parametrize(("declared", "name", "hint"), fields_of(GATHERED))
def test_one_alone_is_no_container(declared: Any, name: str, hint: Any) -> None:
    """A single class, text or object is refused with the way to write it; no text counts as its letters."""
    del hint
    alternatives = members(typing.get_type_hints(declared)[name])
    others = [value for value in ("abc", "", 5, None) if type(value) not in alternatives]
    for given in (ShopError, b"abc", {"a": 1}, *others):
        with pytest.raises(TypeError, match=rf"{name} is .*: write .*a tuple or a list of"):
            made(declared, **{name: given})


@pytest.mark.parametrize(("declared", "name", "hint"), fields_of(GATHERED))
def test_what_does_not_belong_into_a_container_is_refused(declared: Any, name: str, hint: Any) -> None:
    """One element of another kind among right ones is named."""
    right = sample(typing.get_args(hint)[0])
    with pytest.raises(TypeError, match=rf"{name} holds <object"):
        made(declared, **{name: [right, object()]})


@pytest.mark.parametrize(("declared", "name", "hint"), fields_of({Mapping}))
def test_a_mapping_is_one(declared: Any, name: str, hint: Any) -> None:
    """Pairs in a list are no mapping, and neither keys nor values may be of another kind."""
    with pytest.raises(TypeError, match=rf"{name} is .*: write .*a mapping of"):
        made(declared, **{name: [("a", "b")]})
    key, value = typing.get_args(hint)
    with pytest.raises(TypeError, match=name):
        made(declared, **{name: {5: sample(value)}})
    if value is not Any:
        with pytest.raises(TypeError, match=name):
            made(declared, **{name: {sample(key): object()}})


def test_every_container_of_the_house_was_looked_at() -> None:
    """The lists of fields above are not empty, and every other kind of container would be new."""
    assert len(fields_of(GATHERED)) > 30
    assert len(fields_of({Mapping})) > 8
    assert fields_of({list, dict, set}) == []


@pytest.mark.parametrize(
    ("declare", "said"),
    [
        pytest.param(
            lambda: Breaker(errors=ShopError),  # type: ignore[arg-type]
            r"Breaker\.errors is ShopError: write a tuple or a list of subclasses of `BaseException`, "
            r"such as `\(ShopError,\)`\.",
            id="alone",
        ),
        pytest.param(
            lambda: FailureRules(mistakes=[KeyboardInterrupt]),  # type: ignore[arg-type]
            r"FailureRules\.mistakes holds KeyboardInterrupt: it can hold subclasses of `Exception` only\.",
            id="element",
        ),
        pytest.param(
            lambda: ToolSpec(name="a", description="", parameters={}, destinations="to"),  # type: ignore[arg-type]
            r"ToolSpec\.destinations is 'to': write a tuple or a list of texts or `None`, such as `\('to',\)`\.",
            id="optional",
        ),
        pytest.param(
            lambda: ResultRules(schema=[1]),  # type: ignore[arg-type]
            r"ResultRules\.schema is \[1\]: write a mapping of texts to anything or subclasses of `BaseModel`",
            id="mapping",
        ),
    ],
)
def test_the_text_says_where_what_and_what_instead(declare: Callable[[], object], said: str) -> None:
    """Class and field, the value, what is allowed, and how to write one alone."""
    with pytest.raises(TypeError, match=said):
        declare()


def test_words_stand_for_kinds_of_errors() -> None:
    """Where the keys are an enumeration, its words will do, and unknown ones are answered with those there are."""
    assert Limits(retries={"policy": 7}).retries == {"policy": 7}  # type: ignore[dict-item]
    with pytest.raises(ValueError, match="these are: `malformed`"):
        Limits(retries={"rudeness": 7})  # type: ignore[dict-item]


def test_a_rule_of_a_kind_of_its_own_is_settled_as_far_as_its_types_are_known() -> None:
    """A class inside a function may name types that can't be found from outside."""

    class Hidden:
        """A type that only this function knows."""

    @dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
    class Own(rules.Rule):
        """A kind of the host."""

        hidden: Hidden | None = None

    assert Own(name="a", tools=["pay"]).tools == ("pay",)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match=r"Own\.tools is 'pay'"):
        Own(name="a", tools="pay")  # type: ignore[arg-type]


def alone(page: int) -> int:
    """Stand alone."""
    return page


@pytest.mark.parametrize(
    ("given", "said"),
    [
        pytest.param(alone, r"tools is alone: write a tuple or a list, such as `\(alone,\)`", id="function"),
        pytest.param("alone", r"tools is 'alone': write a tuple or a list", id="text"),
    ],
)
def test_tools_stand_in_a_list(given: Any, said: str) -> None:
    """One alone is refused with the way to write it."""
    with pytest.raises(TypeError, match=said):
        Toolset(given)

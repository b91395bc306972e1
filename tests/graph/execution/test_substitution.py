"""A result about another value than the user had named says so, to the model and in the receipt."""

from __future__ import annotations

from typing import Any

import pytest

from reinforced_agent import Risk, ToolSpec
from tests.graph.house import House, call, calls


TEXT: dict[str, Any] = {"type": "string"}
STATIONS = ("Amsterdam", "Oslo", "New York")


def forecast(city: dict[str, Any], *, run: Any = None) -> ToolSpec:
    def look(given: Any) -> str:
        if given["city"] not in STATIONS:
            raise LookupError(given["city"])
        return "3 degrees"

    parameters = {"type": "object", "properties": {"city": city, "days": {"type": "integer", "maximum": 7}}}
    return ToolSpec(name="forecast", description="Weather.", parameters=parameters, risk=Risk.READ, run=run or look)


def about(city: str, call_id: str, **more: Any) -> dict[str, Any]:
    return calls(call("forecast", {"city": city, **more}, call_id))


def notes(house: House) -> list[str]:
    return [note["message"] for note in house.result["receipt"]["notes"] if note["code"] == "substituted"]


def test_another_value_than_the_user_named_is_told() -> None:
    """The user asked for Sydney, the tool has no such station, and the model looked at Amsterdam."""
    house = House(about("Sydney", "c1"), about("Amsterdam", "c2"), "3 degrees.", tools=[forecast(TEXT)])
    house.say("What is the weather in Sydney?")
    assert all(name in house.told("c2") for name in ("Sydney", "Amsterdam", "city", "3 degrees"))
    [message] = notes(house)
    assert "Sydney" in message
    assert "Amsterdam" in message


def test_a_number_in_place_of_the_one_that_was_named_is_told() -> None:
    """A bound that refused the user's number doesn't make another one theirs."""
    house = House(about("Oslo", "c1", days=9), about("Oslo", "c2", days=5), "3 degrees.", tools=[forecast(TEXT)])
    assert notes(house.say("The weather in Oslo for 9 days?"))


@pytest.mark.parametrize(
    ("request_", "lines", "city"),
    [
        pytest.param("Weather in Sydney? Or else Amsterdam.", ("Sydney", "Amsterdam"), TEXT, id="named-as-well"),
        pytest.param("Weather in oslo?", ("oslo", "Oslo"), TEXT, id="another-spelling"),
        pytest.param("Weather in Sydney?", ("Bergen", "Amsterdam"), TEXT, id="never-named"),
        pytest.param(
            "Weather in Sydney?", ("Sydney", "Amsterdam"), {"type": "string", "enum": [*STATIONS]}, id="offered"
        ),
        pytest.param("Weather in Amsterdam?", ("Amsterdam",), TEXT, id="at-once"),
    ],
)
def test_what_the_user_may_have_meant_is_not_told(request_: str, lines: tuple[str, ...], city: dict[str, Any]) -> None:
    """A second choice, a spelling, a value the schema offers and a guess of the model replace nothing."""
    script = [about(name, f"c{at}") for at, name in enumerate(lines)]
    house = House(*script, "3 degrees.", tools=[forecast(city)]).say(request_)
    assert notes(house) == []
    assert "[" not in house.told(f"c{len(lines) - 1}")


def test_a_value_that_a_result_named_is_not_told() -> None:
    """What a tool returned is a reason to use it."""
    near = ToolSpec(
        name="near",
        description="Nearby.",
        parameters={"type": "object"},
        risk=Risk.READ,
        run=lambda _: "Try Oslo.",
    )
    lines = (about("Sydney", "c1"), calls(call("near", {}, "c2")), about("Oslo", "c3"), "3 degrees.")
    assert notes(House(*lines, tools=[forecast(TEXT), near]).say("Weather in Sydney?")) == []


def test_nothing_far_is_suggested() -> None:
    """A value with no near one among those listed is not steered to another; the model is told to tell the user."""
    city = {"type": "string", "enum": ["Amsterdam", "Oslo"]}
    house = House(about("Sydney", "c1"), "There is no station.", tools=[forecast(city)]).say("Weather in Sydney?")
    assert "tell the user" in house.result["calls"]["c1"]["feedback"]

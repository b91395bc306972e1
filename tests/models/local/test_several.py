"""Several proposals for one request: which come, in which order, and how likely each is."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import pytest

from reinforced_agent.models.local.filled import Alternative, Filled, Steering
from reinforced_agent.models.local.naming import enumerations, names
from reinforced_agent.models.local.several import Draft, Fill, Start, k_best


Odds = Mapping[str, Mapping[str, float]]
LAMP: Odds = {"room": {"hall": 0.7, "attic": 0.3}, "state": {"on": 0.9, "off": 0.1}}
DOOR: Odds = {"room": {"hall": 1.0}}


def filling(odds: Odds) -> Fill:
    """Return what fills in a tool whose values have these probabilities."""

    def fill(steering: Steering) -> Filled:
        arguments: dict[str, Any] = {}
        log_p: dict[str, float] = {}
        others: list[Alternative] = []
        for name, values in odds.items():
            arguments[name] = steering.fixed.get(name) or max(values, key=lambda value: values[value])
            if name not in steering.fixed:
                so_far = sum(log_p.values())
                others += [
                    Alternative(name, so_far + math.log(p), text=f'"{value}"')
                    for value, p in values.items()
                    if value != arguments[name]
                ]
                log_p[name] = math.log(values[arguments[name]])
        return Filled(arguments, "", 1, order=tuple(odds), log_p=log_p, alternatives=tuple(others))

    return fill


def proposals(wanted: int, tools: Mapping[str, float]) -> list[tuple[list[str], float]]:
    """Return the values of each proposal with its probability, the lamp's first."""
    first = Draft(Start("lamp", math.log(0.8)), filling(LAMP)(Steering()))
    drafts = k_best(first, tools, {"lamp": filling(LAMP), "door": filling(DOOR)}.__getitem__, wanted)
    return [([draft.start.tool, *draft.filled.arguments.values()], round(math.exp(draft.total), 3)) for draft in drafts]


def test_the_likeliest_come() -> None:
    """Each differs from the others, and has the probability of its tool and of all its values."""
    assert proposals(4, {"door": math.log(0.2)}) == [
        (["lamp", "hall", "on"], 0.504),
        (["lamp", "attic", "on"], 0.216),
        (["door", "hall"], 0.2),
        (["lamp", "hall", "off"], 0.056),
    ]


def test_there_may_be_fewer() -> None:
    """What is far less likely than the first is no proposal, and neither is anything twice."""
    assert len(proposals(9, {"door": -40.0})) == 4


@pytest.mark.parametrize(
    ("text", "found"),
    [
        pytest.param("compare the S&P 500 and the Dow Jones today", ["S&P 500", "Dow Jones"], id="two"),
        pytest.param("show points, assists, and minutes per game", ["points", "assists", "minutes"], id="three"),
        pytest.param("a dish with rice or noodles", ["rice", "noodles"], id="or"),
    ],
)
def test_enumerations(text: str, found: list[str]) -> None:
    """What stands with commas, "and" or "or" between it is a list, without the articles."""
    assert found in enumerations(text)


def test_no_enumeration() -> None:
    """One thing is no list."""
    assert enumerations("Turn on the lamp in the hall.") == []


def test_names() -> None:
    """A name is up to four words in a row, and no small word begins or ends it."""
    found = names("Find an architect in New York City, by Monday")
    assert {"architect", "New York City", "Monday"} <= set(found)
    assert not {"an", "in New York", "City, by Monday"} & set(found)

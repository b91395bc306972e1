"""How feedback on refused calls steers the next proposal of the embedded model; no weights are needed."""

from __future__ import annotations

import pytest

from reinforced_agent.models.local.conversation import Attempt
from reinforced_agent.models.local.feedback import another_tool, asks_again, discounted, steer
from reinforced_agent.models.local.prompt import Tool, Turn


WEATHER = Tool(
    "get_weather",
    "Weather of a city on a day",
    {
        "properties": {"city": {"type": "string"}, "date": {"type": "string", "format": "date"}},
        "required": ["city", "date"],
    },
    (Turn("Is it hot in Rome on 2026-07-01?", '{"city": "Rome", "date": "2026-07-01"}'),),
)
MAIL = Tool("send_mail", "Send a mail", {"properties": {"to": {"type": "string"}}, "required": ["to"]})


def refused(feedback: str, *, failed: bool = True) -> Attempt:
    """Return a call of the weather tool with an outcome."""
    return Attempt("get_weather", {"city": "Osloo", "date": "2026-12-01"}, feedback, failed)


@pytest.mark.parametrize(
    ("feedback", "again"),
    [
        pytest.param("`city` Osloo has no station; nearest: Oslo. Use one of these.", True, id="names a field"),
        pytest.param("This call can't be read. Send it again.", True, id="asks"),
        pytest.param("`get_weather` does not fit. Use `send_mail`.", True, id="names another tool"),
        pytest.param("A person rejected this call. Don't propose it again.", False, id="rejected"),
        pytest.param("`get_weather` failed: LookupError: no station", False, id="the tool failed"),
        pytest.param("`get_weather` is not available any more. Don't call it again.", False, id="unavailable"),
    ],
)
def test_which_feedback_asks_for_another_call(feedback: str, *, again: bool) -> None:
    """Only feedback on the proposal itself is met with a new proposal."""
    assert asks_again(refused(feedback), [WEATHER, MAIL]) is again


@pytest.mark.parametrize(
    ("refusals", "best"),
    [
        pytest.param({}, "weather", id="none"),
        pytest.param({"weather": 1}, "weather", id="once"),
        pytest.param({"weather": 3}, "tides", id="often"),
        pytest.param({"weather": 3, "tides": 3}, "weather", id="both"),
    ],
)
def test_a_refused_tool_loses_probability(refusals: dict[str, int], best: str) -> None:
    """The more often it was refused, the less is needed for another one to have its turn."""
    odds = discounted({"weather": -0.05, "tides": -3.0}, refusals)
    assert max(odds, key=lambda name: odds[name]) == best


def test_feedback_steers() -> None:
    """What was right stays, what was refused is barred, what was quoted is offered."""
    steering = steer(WEATHER, "Weather in Osloo", [refused("`city` must be one of `Oslo`, `Bergen`.")])
    assert steering.fixed == {"date": "2026-12-01"}
    assert steering.refused == {"city": ("Osloo",)}
    assert steering.quoted == {"city": ["Oslo", "Bergen"]}
    assert "Osloo" not in " ".join(steering.hints["city"])
    assert another_tool(refused("Use `send_mail` instead."), [WEATHER, MAIL]) == "send_mail"

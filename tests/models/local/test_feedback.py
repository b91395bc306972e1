"""How feedback on refused calls steers the next proposal of the embedded model; no weights are needed."""

from __future__ import annotations

import pytest

from reinforced_agent.models.local.chat import another_tool, asks_again, steer
from reinforced_agent.models.local.prompt import Attempt, Tool, Turn


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


def test_feedback_steers() -> None:
    """What was right stays, what was refused is barred, what was quoted is offered."""
    steering = steer(WEATHER, "Weather in Osloo", [refused("`city` must be one of `Oslo`, `Bergen`.")])
    assert steering.fixed == {"date": "2026-12-01"}
    assert steering.refused == {"city": ["Osloo"]}
    assert steering.sources == {"city": ["Oslo", "Bergen"]}
    assert another_tool(refused("Use `send_mail` instead."), [WEATHER, MAIL]) == "send_mail"


def test_without_a_proposal_a_field_is_copied_anew() -> None:
    """The request is looked through for another value, without the one that was refused."""
    sources = steer(WEATHER, "Weather in Osloo or Oslo", [refused("`city` Osloo has no station.")]).sources["city"]
    assert "Osloo" not in " ".join(sources)
    assert "Oslo" in sources[-1]


def test_a_field_that_was_left_out_is_taken_from_the_request() -> None:
    """Feedback on a missing field bars nothing, and keeps the rest."""
    attempt = Attempt("get_weather", {"city": "Oslo"}, "`date` is missing. Send the call again.", failed=True)
    steering = steer(WEATHER, "Weather in Oslo on 2026-12-01", [attempt])
    assert (steering.fixed, steering.refused) == ({"city": "Oslo"}, {"date": []})
    assert steering.sources == {"date": ["Weather in Oslo on 2026-12-01"]}

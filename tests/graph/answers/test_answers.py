"""An answer against the rules is sent back once and corrected; what it leaves out about the turn is added."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from reinforced_agent import AnswerPolicy, Disclaimer, Forbidden, Limits, ToolSpec
from tests.graph.house import House, assert_valid, call, calls


FORECAST = calls(call("get_forecast", {"city": "Bern", "date": "2026-03-01"}, "c1"))
SENT = "I have sent the note to Bob."


BANNED = AnswerPolicy(forbidden=(Forbidden(pattern="to Bob", message="Name nobody."),))


def test_what_is_forbidden_is_sent_back_and_corrected() -> None:
    """The model is told once, and then its new answer counts; the history holds only that one."""
    house = House(SENT, "The note is on its way.", answers=BANNED).say("Write to Bob.")
    assert house.answer == "The note is on its way."
    assert "Name nobody." in house.model.seen[-1][-1].text
    assert [message.text for message in house.history if message.type == "ai"] == ["The note is on its way."]
    assert_valid(house.history)


def test_a_write_through_another_tool_is_not_called_for_again() -> None:
    """A model that says what it did through a shell is believed, and no second tool for it is named."""
    done: list[Any] = []

    def run(arguments: Any) -> str:
        done.append(arguments["command"])
        return "ok"

    shell = ToolSpec(
        name="run_command",
        description="Run a shell command.",
        parameters={"type": "object", "properties": {"command": {"type": "string"}}},
        run=run,
    )
    pay = ToolSpec(name="refund", description="Pay money back.", parameters={"type": "object"}, run=lambda _: "paid")
    said = "I refunded 20 euros for A-1003."
    proposed = calls(call("run_command", {"command": "pay --refund 20 A-1003"}, "c1"))
    house = House(proposed, said, tools=[shell, pay]).say("Refund 20 euros for A-1003 on the command line.")
    house.decide({"type": "approve"})
    assert (house.answer, done, len(house.model.seen)) == (said, ["pay --refund 20 A-1003"], 2)
    assert not any("refund`" in message.text for request in house.model.seen for message in request)


@pytest.mark.parametrize(
    "options",
    [
        pytest.param({"answers": replace(BANNED, retries=0)}, id="never-asked"),
        pytest.param({"answers": BANNED, "limits": Limits(steps=1)}, id="no-step-left"),
    ],
)
def test_an_answer_is_given_within_the_bounds(options: dict[str, Any]) -> None:
    """The check costs no call of the model where it may not, and never loses an answer."""
    house = House(SENT, "Other.", **options).say("Write to Bob.")
    assert house.answer == "I have sent the note […]."
    assert house.result["turn"]["step"] == 1


def test_an_answer_that_was_sent_back_outlives_the_model() -> None:
    """When the model can't be reached any more, the corrected answer is better than none."""
    house = House(SENT, ConnectionError("down"), answers=BANNED).say("Write to Bob.")
    assert house.answer == "I have sent the note […]."


def test_a_disclaimer_is_added_where_its_tool_was_used() -> None:
    """No further call of the model is needed for it."""
    rules = AnswerPolicy(disclaimers=(Disclaimer(text="Forecasts can be wrong.", tools=("get_forecast",)),))
    house = House(FORECAST, "3 degrees.", answers=rules).say("Weather in Bern?")
    assert house.answer == "3 degrees.\n\nForecasts can be wrong."
    assert house.result["turn"]["step"] == 2

"""An answer against the rules is sent back once and corrected; what it leaves out about the turn is added."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from reinforced_agent import AnswerRules, Disclaimer, Forbidden, Limits, Risk, ToolSpec
from tests.graph.house import House, assert_valid, call, calls


FORECAST = calls(call("get_forecast", {"city": "Bern", "date": "2026-03-01"}, "c1"))
SENT = "I have sent the note to Bob."


BANNED = AnswerRules(forbidden=(Forbidden(pattern="to Bob", message="Name nobody."),))


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
    rules = AnswerRules(disclaimers=(Disclaimer(text="Forecasts can be wrong.", tools=("get_forecast",)),))
    house = House(FORECAST, "3 degrees.", answers=rules).say("Weather in Bern?")
    assert house.answer == "3 degrees.\n\nForecasts can be wrong."
    assert house.result["turn"]["step"] == 2


def test_a_part_is_told_as_a_part() -> None:
    """What the model leaves out about a result is added."""
    house = House(calls(call("look", {}, "c1")), "They are A and B.", tools=[paged()]).say()
    assert house.answer.endswith("Note: `look` gave only 2 of 200 items, so this may be incomplete.")


def test_a_chinese_answer_is_completed_in_chinese() -> None:
    """The words follow the answer."""
    house = House(calls(call("look", {}, "c1")), "甲和乙。", tools=[paged()]).say("有哪些？")
    assert house.answer.startswith("甲和乙。\n\n注意：")


def paged() -> ToolSpec:
    page = {"items": ["A", "B"], "total": 200}
    return ToolSpec(name="look", description="x", parameters={"type": "object"}, risk=Risk.READ, run=lambda _: page)


def test_an_unknown_outcome_is_told_below_the_answer() -> None:
    """The note is added without asking the model."""

    def broken(_: Any) -> str:
        raise ConnectionResetError

    tool = ToolSpec(name="send_note", description="Send a note.", parameters={"type": "object"}, run=broken)
    house = House(calls(call("send_note", {}, "c1")), "Anything else?", tools=[tool]).say("Write to Bob.")
    house.decide({"type": "approve"})
    assert house.status("c1") == "unknown"
    assert house.answer.startswith("Anything else?\n\nNote: it is not known whether this was done")
    assert len(house.model.seen) == 2

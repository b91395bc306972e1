"""An answer that claims what was not done or brought is sent back once, and corrected for the user where that fails."""

from __future__ import annotations

from typing import Any

import pytest

from reinforced_agent import AnswerRules, Disclaimer, Limits, Risk, ToolSpec
from tests.graph.house import House, assert_valid, call, calls


FORECAST = calls(call("get_forecast", {"city": "Bern", "date": "2026-03-01"}, "c1"))
SENT = "I have sent the note to Bob."


def test_a_claim_without_a_call_is_sent_back_and_corrected() -> None:
    """The model is told once, and then its new answer counts; the history holds only that one."""
    house = House(SENT, "Nothing was sent yet: shall I?").say("Write to Bob.")
    assert house.answer == "Nothing was sent yet: shall I?"
    assert "`send_note` has not done that" in house.model.seen[-1][-1].text
    assert [message.text for message in house.history if message.type == "ai"] == ["Nothing was sent yet: shall I?"]
    assert_valid(house.history)


def test_a_claim_that_stays_is_denied_below_the_answer() -> None:
    """The user reads that it was not done; it is never passed on as it is."""
    house = House(SENT, repeat_last=True).say("Write to Bob.")
    assert house.answer == f"{SENT}\n\nNote: this was not done: `send_note` did not run successfully."
    assert house.result["turn"]["outcome"] == "answered"


def test_a_claim_can_be_made_true() -> None:
    """The model calls the tool when it is told that it has not."""
    house = House(SENT, calls(call("send_note", {"to": "Bob", "text": "hi"}, "c1")), SENT).say("Write to Bob.")
    house.decide({"type": "approve"})
    assert (house.answer, house.effects) == (SENT, [("Bob", "hi")])


def test_a_value_that_no_result_holds_is_sent_back_once() -> None:
    """It is named to the model, and to the user where it stays."""
    house = House(FORECAST, "3 degrees until 17:45.", repeat_last=True).say("Weather in Bern?")
    assert house.answer == "3 degrees until 17:45.\n\nNote: not confirmed by any result: 17:45."


@pytest.mark.parametrize(
    "options",
    [
        pytest.param({"answers": AnswerRules(values=False, actions=False)}, id="off"),
        pytest.param({"answers": AnswerRules(retries=0)}, id="never-asked"),
        pytest.param({"limits": Limits(steps=1)}, id="no-step-left"),
    ],
)
def test_an_answer_is_given_within_the_bounds(options: dict[str, Any]) -> None:
    """The check can be switched off, costs no call of the model where it may not, and never loses an answer."""
    house = House(SENT, "Other.", **options).say("Write to Bob.")
    assert house.answer.startswith(SENT)
    assert house.result["turn"]["step"] == 1


def test_an_answer_that_was_sent_back_outlives_the_model() -> None:
    """When the model can't be reached any more, the corrected answer is better than none."""
    house = House(SENT, ConnectionError("down")).say("Write to Bob.")
    assert house.answer.startswith(SENT)
    assert "was not done" in house.answer


def test_a_disclaimer_is_added_where_its_tool_was_used() -> None:
    """No further call of the model is needed for it."""
    rules = AnswerRules(disclaimers=(Disclaimer(text="Forecasts can be wrong.", tools=("get_forecast",)),))
    house = House(FORECAST, "3 degrees.", answers=rules).say("Weather in Bern?")
    assert house.answer == "3 degrees.\n\nForecasts can be wrong."
    assert house.result["turn"]["step"] == 2


def test_a_part_is_told_as_a_part() -> None:
    """What the model leaves out about a result is added."""
    page = {"items": ["A", "B"], "total": 200}
    look = ToolSpec(name="look", description="x", parameters={"type": "object"}, risk=Risk.READ, run=lambda _: page)
    house = House(calls(call("look", {}, "c1")), "They are A and B.", tools=[look]).say()
    assert house.answer.endswith("Note: `look` gave only 2 of 200 items, so this may be incomplete.")


def test_a_chinese_answer_is_corrected_in_chinese() -> None:
    """The words follow the answer."""
    house = House("便条已发送给小王。", repeat_last=True).say("给小王发便条")
    assert house.answer.endswith("注意：此事没有完成：`send_note` 没有成功执行。")

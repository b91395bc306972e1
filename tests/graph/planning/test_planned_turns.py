"""A planned turn: on record, in the stream, through a crash and a new message, and where no plan can be had."""

from __future__ import annotations

from typing import Any

import pytest
from langgraph.checkpoint.sqlite import SqliteSaver

from reinforced_agent import Limits, PlanningError, ScriptedModel, build_agent
from tests.graph.house import House, call, calls
from tests.graph.plans import FORECAST, LOOK, OSLO, TELL, asked_for_plan, plan, steps_of
from tests.graph.records.masks import alike


def test_plans_count_as_steps_and_are_on_record() -> None:
    """Every request for a plan takes one step, with its tokens and seconds."""
    records: list[Any] = []
    bad = plan({**LOOK, "tool": "nothing"})
    house = House(bad, plan(LOOK), FORECAST, "3.", planning="always", sinks=(records.extend,)).say()
    assert house.result["turn"]["step"] == 4
    assert [(r.kind, r.problem, r.is_valid) for r in records] == [
        ("plan", "unknown_tool", False),
        ("plan", "", True),
        ("call", "", True),
        ("answer", "", True),
    ]
    assert len({record.id for record in records}) == 4


def test_open_steps_stand_in_the_account() -> None:
    """A turn that ends by its limit says which steps nothing came of."""
    more = [calls(call("get_forecast", {**OSLO, "city": city}, city)) for city in ("Rome", "Bern")]
    house = House(plan(LOOK, TELL), FORECAST, *more, planning="always", limits=Limits(steps=4))
    house.say("Tell Bo the weather.")
    assert house.outcome == "limit"
    assert "step 2 of the plan, `send_note`: tell Bo" in house.answer
    assert steps_of(house) == {"1": "done", "2": "pending"}


def test_what_the_answer_did_without_was_skipped() -> None:
    """The model may answer before the plan is through."""
    house = House(plan(LOOK, TELL), FORECAST, "It is warm, Bo need not know.", planning="always").say()
    assert steps_of(house) == {"1": "done", "2": "skipped"}


def test_the_plan_is_in_the_stream() -> None:
    """Updates hold the steps, and a custom event shows a new plan."""
    house = House(plan(LOOK), FORECAST, "3.", planning="always")
    parts = list(house.agent.stream({"messages": [("user", "go")]}, house.config, stream_mode=["updates", "custom"]))
    shown = [part["plan"]["steps"] for mode, part in parts if mode == "updates" and "plan" in part]
    assert [len(steps) for steps in shown] == [0, 1]
    events = [part for mode, part in parts if mode == "custom" and part["type"] == "reinforced_agent.plan"]
    assert [step["tool"] for step in events[0]["steps"]] == ["get_forecast"]


def test_a_run_that_was_cut_off_goes_on_with_its_plan(tmp_path: Any) -> None:
    """The plan is in the checkpoint: a new process follows it without asking for another."""
    path = str(tmp_path / "threads.sqlite")

    def house(saver: Any, *lines: Any) -> House:
        return House(*lines, planning="always", checkpointer=saver)

    with SqliteSaver.from_conn_string(path) as saver:
        first = house(saver, plan(LOOK), KeyboardInterrupt())
        with pytest.raises(KeyboardInterrupt):
            first.say()
    with SqliteSaver.from_conn_string(path) as saver:
        second = house(saver, FORECAST, "3.")
        second.result = second.agent.invoke(None, second.config)
        assert (second.answer, steps_of(second), asked_for_plan(second)) == ("3.", {"1": "done"}, [])


def test_a_run_that_was_cut_off_while_planning_plans_on() -> None:
    """Going on asks for the plan once more; the drafts before count."""
    bad = plan({**LOOK, "tool": "nothing"})
    house = House(bad, KeyboardInterrupt(), plan(LOOK), FORECAST, "3.", planning="always")
    with pytest.raises(KeyboardInterrupt):
        house.say()
    house.result = house.agent.invoke(None, house.config)
    assert (house.answer, house.result["turn"]["step"]) == ("3.", 4)


def test_a_new_message_starts_anew() -> None:
    """A message that comes while the model plans opens a turn of its own, with a plan of its own."""
    house = House(KeyboardInterrupt(), plan(LOOK), FORECAST, "3.", planning="always")
    with pytest.raises(KeyboardInterrupt):
        house.say("one")
    house.say("two")
    assert (house.answer, house.result["turn"]["request"]) == ("3.", "two")


def test_a_model_that_is_away_while_planning_ends_the_turn() -> None:
    """The user reads it, as for any call of the model."""
    house = House(OSError("gone, with key sk-" + "d4" * 20), planning="always").say()
    assert house.outcome == "model_down"
    assert alike(house.result["turn"]["detail"]) == "OSError: gone, with key [hidden]"


class Small(ScriptedModel):
    """A model that makes no plans, as the embedded one."""

    makes_plans: bool = False


def test_the_embedded_model_makes_no_plans(caplog: pytest.LogCaptureFixture) -> None:
    """`always` is refused when the agent is built, `auto` has no effect and says so."""
    with pytest.raises(PlanningError, match="makes no plans"):
        build_agent(model=Small(lines=[]), tools=[], planning="always")
    house = House(tools=[])
    agent = build_agent(model=Small(lines=["Hello."]), tools=house.tools(), planning="auto")
    assert "no effect" in caplog.text
    assert agent.invoke({"messages": [("user", "First this, then that.")]})["messages"][-1].text == "Hello."


def test_an_unknown_word_is_refused() -> None:
    """A misspelt mode fails when the agent is built."""
    with pytest.raises(PlanningError, match="'off', 'auto', 'always'"):
        House(planning="sometimes")

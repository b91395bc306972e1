"""Keeping to a plan, leaving it, and making a new one for the rest when a step has failed for good."""

from __future__ import annotations

from typing import Any

from reinforced_agent import Limits, Planning, StaticAnswer, tool
from tests.graph.house import House, assert_valid, call, calls
from tests.graph.parents import Parent, acalled, as_node
from tests.graph.plans import FORECAST, LOOK, NOTE, OSLO, TELL, TELL_NOW, asked_for_plan, plan, steps_of


TORN = {"id": "2", "tool": "read_ledger", "purpose": "read on", "arguments": {"page": 1}}
PAGE = calls(call("read_ledger", {"page": 1}, "r1"))
AGAIN = calls(call("read_ledger", {"page": 1}, "r2"))
ELSE = calls(call("delete_note", {"to": "Bo"}, "d1"))
ELSE_AGAIN = calls(call("delete_note", {"to": "Bo"}, "d2"))


def test_after_a_step_failed_for_good_the_rest_is_planned_anew() -> None:
    """The model is told what is done and what failed; done steps stay, and the new ones follow them."""
    house = House(plan(LOOK, TORN), FORECAST, PAGE, plan({**TELL, "id": "3"}), NOTE, "Done.", planning="always").say()
    told = asked_for_plan(house)[-1]
    assert "1. [done] `get_forecast`" in told
    assert "2. [failed] `read_ledger`" in told
    house.decide({"type": "approve"})
    assert (house.answer, steps_of(house)) == ("Done.", {"1": "done", "2": "failed", "3": "done"})
    assert house.runs == 2
    assert_valid(house.history)


def test_new_plans_are_bounded() -> None:
    """Without a new plan left, the model is told where it stands and finishes."""
    policy = Planning(mode="always", replans=0)
    house = House(plan(LOOK, TORN), FORECAST, PAGE, "I can't read on.", planning=policy).say()
    assert len(asked_for_plan(house)) == 1
    assert "2. [failed]" in house.model.seen[-1][0].text
    assert (house.answer, house.outcome) == ("I can't read on.", "answered")


def test_a_new_plan_that_can_not_be_had_ends_nothing() -> None:
    """What was begun goes on without it, also where a plan is a must."""
    bad = plan({**LOOK, "tool": "nothing"})
    house = House(plan(LOOK, TORN), FORECAST, PAGE, bad, bad, bad, "Half of it.", planning="always").say()
    assert (house.outcome, house.answer) == ("answered", "Half of it.")


def test_nothing_left_to_plan() -> None:
    """An empty plan of the rest leaves what was done."""
    house = House(plan(LOOK, TORN), FORECAST, PAGE, plan(), "That is all.", planning="always").say()
    assert (house.answer, steps_of(house)) == ("That is all.", {"1": "done", "2": "failed"})


def test_a_failure_that_may_pass_is_tried_again_first() -> None:
    """A step stays open while the model may still repeat its call."""

    @tool(risk="read", transient=(KeyError,))
    def flaky(page: int) -> str:
        """Read."""
        raise KeyError(page)

    step = {"id": "1", "tool": "flaky", "purpose": "read", "arguments": {"page": 1}}
    first, second = (calls(call("flaky", {"page": 1}, name)) for name in "ab")
    limits = Limits(call_attempts=1, steps=8)
    house = House(plan(step), first, second, plan(), "No.", planning="always", tools=[flaky], limits=limits).say()
    assert [seen[0].text.count("make a plan") for seen in house.model.seen] == [1, 0, 0, 1, 0]


def test_what_a_fallback_serves_is_done() -> None:
    """A step whose tool failed and was served is no failure."""

    @tool(risk="read", fallbacks=(StaticAnswer("closed"),))
    def door() -> str:
        """Look at the door."""
        raise OSError

    step = {"id": "1", "tool": "door", "purpose": "look"}
    house = House(plan(step), calls(call("door", {}, "d")), "Closed.", planning="always", tools=[door]).say()
    assert (steps_of(house), len(asked_for_plan(house))) == ({"1": "done"}, 1)


def test_a_rejected_call_is_planned_around() -> None:
    """With steps left, the rest is planned anew after a person said no to one."""
    house = House(plan(TELL_NOW, LOOK), NOTE, plan(LOOK), FORECAST, "3.", planning="always").say()
    house.decide({"type": "reject"})
    assert (house.answer, house.effects) == ("3.", [])
    assert steps_of(house) == {"2": "failed", "1": "done"}


def test_a_read_beside_the_plan_is_let_through() -> None:
    """What changes nothing needs no place in the plan."""
    other = calls(call("get_forecast", {**OSLO, "city": "Rome"}, "f2"))
    house = House(plan(LOOK), FORECAST, other, "3.", planning="always").say()
    assert (house.status("f2"), house.runs, steps_of(house)) == ("done", 2, {"1": "done"})


def test_a_write_beside_the_plan_goes_back_once_and_then_asks() -> None:
    """The model is told what the plan says; if it insists, a person decides and knows why."""
    house = House(plan(LOOK, TELL), FORECAST, ELSE, ELSE_AGAIN, "Done.", planning="always").say()
    assert "`delete_note` is not in the plan" in house.told("d1")
    assert "`send_note`" in house.told("d1")
    assert (house.status("d1"), house.effects) == ("revise", [])
    assert "The plan has no such step." in house.question.value["calls"][0]["reason"]
    house.decide({"type": "approve"})
    assert (house.effects, house.outcome) == ([("delete", "Bo")], "answered")


def test_a_write_whose_turn_has_not_come_goes_back_once() -> None:
    """A step that waits for another one is named with what it waits for."""
    later = calls(call("send_note", {"to": "Bo", "text": "3"}, "n2"))
    house = House(plan(LOOK, TELL), NOTE, FORECAST, later, "Ok.", planning="always").say()
    assert "waits for `get_forecast`" in house.told("n1")
    assert house.question.value["calls"][0]["call_id"] == "n2"
    assert "plan" not in house.question.value["calls"][0]["reason"]


def test_several_steps_of_one_tool_take_a_call_each() -> None:
    """Calls are matched to the steps whose arguments they have."""
    rome = {**LOOK, "id": "2", "arguments": {**OSLO, "city": "Rome"}}
    both = calls(call("get_forecast", {**OSLO, "city": "Rome"}, "f2"), call("get_forecast", OSLO, "f1"))
    house = House(plan(LOOK, rome), both, "3.", planning="always").say()
    steps = house.agent.get_state(house.config).values["steps"]
    assert [(step["status"], step["calls"]) for step in steps] == [("done", ["f1"]), ("done", ["f2"])]


def test_within_another_graph() -> None:
    """As a node or called, sync or async, a plan is made, asked about and followed."""
    for way, loop in ((as_node, False), (acalled, True)):
        policy = Planning(mode="always", approve=True)
        house: Any = House(plan(LOOK), FORECAST, "3.", planning=policy, checkpointer=None)
        parent = Parent(house).chain(("agent", way(house))).say("Weather?", loop=loop)
        assert parent.question.value["calls"][0]["tool"] == "propose_plan"
        parent.approve(loop=loop)
        assert (parent.result["messages"][-1].text, house.runs) == ("3.", 1)

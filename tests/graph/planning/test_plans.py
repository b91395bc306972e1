"""A plan is made, checked before anything runs, shown and followed."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from reinforced_agent import Limits, Planning
from reinforced_agent.policies.rules import After, Forbidden, Order, Quota, Requires, RuleSet, Source
from tests.graph.house import House, assert_valid, call, calls
from tests.graph.plans import FORECAST, LOOK, NOTE, TELL, asked_for_plan, plan, steps_of, values


LOOK_FIRST = After(name="look first", tools=("send_note",), after=("get_forecast",))


def test_a_plan_is_followed_step_by_step() -> None:
    """The model is told the plan and the present step, and each step ends with its call."""
    house = House(plan(LOOK, TELL), FORECAST, NOTE, "Bo knows.", planning="always").say()
    assert steps_of(house) == {"1": "done", "2": "pending"}
    told = [seen[0].text for seen in house.model.seen[1:3]]
    assert "Do now: `1: get_forecast`" in told[0]
    assert "1. [done] `get_forecast`: know the weather" in told[1]
    assert "Do now: `2: send_note`" in told[1]
    house.decide({"type": "approve"})
    assert (house.outcome, house.answer, steps_of(house)) == ("answered", "Bo knows.", {"1": "done", "2": "done"})
    assert house.effects == [("Bo", "3 degrees")]
    assert_valid(house.history)


def test_nothing_but_the_plan_tool_is_asked_for() -> None:
    """The request for a plan names the tools as text, with their parameters and what they change."""
    house = House(plan(LOOK), FORECAST, "3 degrees.", planning="always").say()
    (request,) = asked_for_plan(house)
    assert "- get_forecast(city, date, unit?): Tell the weather" in request
    assert "- delete_note(to) [can't be taken back]" in request


def test_in_an_event_loop() -> None:
    """The same under `ainvoke`, with a question to a person about the plan."""
    house = House(plan(LOOK), FORECAST, "3.", planning=Planning(mode="always", approve=True))
    result: Any = asyncio.run(house.agent.ainvoke({"messages": [("user", "weather")]}, house.config))
    house.result = result
    assert house.question.value["calls"][0]["tool"] == "propose_plan"
    house.decide({"type": "approve"})
    assert (house.answer, steps_of(house)) == ("3.", {"1": "done"})


def test_off_asks_for_no_plan() -> None:
    """By default the model proposes at once, and a plan it hands in all the same is an unknown tool."""
    house = House(plan(LOOK), "3.").say("First look, then tell Bo. Finally delete the note.")
    assert asked_for_plan(house) == []
    assert house.status("plan") == "revise"
    assert values(house)["steps"] == []


FAULTS = [
    pytest.param([{**LOOK, "tool": "forecast"}], "`get_forecast`", id="unknown-tool"),
    pytest.param([{**LOOK, "depends_on": ["9"]}], "depends on `9`, which is no step", id="dangling"),
    pytest.param([{**LOOK, "depends_on": ["2"]}, TELL], "wait for each other", id="cycle"),
    pytest.param([{**LOOK, "depends_on": ["1"]}], "wait for each other", id="itself"),
    pytest.param([LOOK, {**TELL, "id": "1"}], "Several steps have the id `1`", id="same-id"),
    pytest.param([{**LOOK, "id": " "}], "empty id", id="no-id"),
    pytest.param([{**LOOK, "arguments": {"town": "Oslo"}}], "`town` is no parameter", id="unknown-parameter"),
    pytest.param([{**LOOK, "missing": ["town"]}], "`town` is no parameter", id="missing-that-is-none"),
    pytest.param([{"id": "1", "purpose": "look"}], "`steps[0].tool` is missing", id="without-tool"),
    pytest.param([{**LOOK, "purpos": "x"}], "`steps[0].purpos`", id="unknown-field"),
    pytest.param("[", "steps", id="no-list"),
]


@pytest.mark.parametrize(("steps", "said"), FAULTS)
def test_a_plan_with_a_fault_goes_back(steps: Any, said: str) -> None:
    """Nothing runs; the model is told what is wrong and hands in another plan, which is followed."""
    first = calls(call("propose_plan", {"steps": steps}, "bad"))
    house = House(first, plan(LOOK), FORECAST, "3.", planning="always").say()
    assert said in house.model.seen[1][-1].text
    assert (house.answer, steps_of(house), house.runs) == ("3.", {"1": "done"}, 1)


def test_all_faults_of_a_plan_are_told_at_once() -> None:
    """One answer names the unknown tool and the dangling step."""
    house = House(plan({**LOOK, "tool": "nothing", "depends_on": ["7"]}), plan(), "No.", planning="always").say()
    assert "which is no step" in house.model.seen[1][-1].text
    assert "nothing" in house.model.seen[1][-1].text


LOGIN_FIRST = RuleSet(
    rules=(Requires(name="know first", tools=("send_note",), fact="weather"),),
    sources=(Source(fact="weather", tool="get_forecast"),),
)
RULES = [
    pytest.param(LOGIN_FIRST, [TELL | {"depends_on": []}], "get_forecast", id="requires"),
    pytest.param([After(name="a", tools=("send_note",), after=("get_forecast",))], [TELL], "get_forecast", id="after"),
    pytest.param(
        [Order(name="o", start="s", states={"s": {"get_forecast": "t"}, "t": {"send_note": "t"}})],
        [TELL, LOOK],
        "get_forecast",
        id="order",
    ),
    pytest.param([Quota(name="q", tools=("send_note",), most=1)], [LOOK, TELL, TELL | {"id": "3"}], "1", id="quota"),
    pytest.param(
        [Forbidden(name="f", tools=("send_note",), with_tools=("get_forecast",))],
        [LOOK, TELL],
        "get_forecast",
        id="forbidden",
    ),
]


@pytest.mark.parametrize(("rules", "steps", "said"), RULES)
def test_rules_are_held_against_the_whole_plan(rules: Any, steps: list[Any], said: str) -> None:
    """A rule that a later step would break sends the plan back before the first step ran."""
    steps = [{**step, "depends_on": []} for step in steps]
    house = House(plan(*steps), plan(LOOK), FORECAST, "3.", planning="always", policies=rules).say()
    assert said in house.model.seen[1][-1].text
    assert (house.answer, house.runs) == ("3.", 1)


@pytest.mark.parametrize("rules", [LOGIN_FIRST, [*LOGIN_FIRST], RULES[1].values[0], RULES[2].values[0]])
def test_what_earlier_steps_will_establish_counts(rules: Any) -> None:
    """A plan in the right order passes at once, although nothing is known or done yet."""
    house = House(plan(LOOK, TELL), FORECAST, NOTE, "Done.", planning="always", policies=rules).say()
    assert len(asked_for_plan(house)) == 1
    assert steps_of(house) == {"1": "done", "2": "pending"}


def test_a_plan_that_is_too_long_goes_back() -> None:
    """A chain that takes more proposals than are left can't be followed."""
    chain = [{**LOOK, "id": str(n), "depends_on": [str(n - 1)] if n else []} for n in range(4)]
    side_by_side = [{**LOOK, "id": str(n)} for n in range(4)]
    house = House(plan(*chain), plan(*side_by_side), "No.", planning="always", limits=Limits(steps=4)).say()
    assert "takes 4 rounds" in house.model.seen[1][-1].text
    assert values(house)["turn"]["planning"]["phase"] == "following"


def test_too_many_steps_go_back() -> None:
    """The policy bounds the number of steps."""
    policy = Planning(mode="always", most_steps=1)
    house = House(plan(LOOK, TELL), plan(LOOK), FORECAST, "3.", planning=policy).say()
    assert "at most 1" in house.model.seen[1][-1].text


def test_without_a_sound_plan_the_turn_ends_where_one_is_a_must() -> None:
    """After the budget of the fault the user reads what happened, and nothing has run."""
    bad = plan({**LOOK, "tool": "nothing"})
    house = House(bad, repeat_last=True, planning="always").say("Tell Bo.")
    assert (house.outcome, house.runs, values(house)["steps"]) == ("no_plan", 0, [])
    assert "no plan" in house.answer
    assert len(asked_for_plan(house)) == 3


def test_without_a_sound_plan_auto_goes_on() -> None:
    """With `auto` the turn goes on without a plan."""
    bad = plan({**LOOK, "tool": "nothing"})
    house = House(bad, bad, bad, FORECAST, "3.", planning="auto", policies=[LOOK_FIRST]).say()
    assert (house.outcome, house.answer, house.runs) == ("answered", "3.", 1)


@pytest.mark.parametrize("said", ["No plan is needed.", FORECAST], ids=["answer", "another call"])
def test_auto_takes_no_for_an_answer(said: Any) -> None:
    """A model that does something else than planning is not pressed, and what it did is not run."""
    house = House(said, "Hello.", planning="auto", policies=[LOOK_FIRST]).say("First this, then that.")
    assert (house.answer, house.runs) == ("Hello.", 0)


def test_always_asks_for_a_plan_again() -> None:
    """Where a plan is a must, an answer in its place goes back."""
    house = House("Sure!", plan(LOOK), FORECAST, "3.", planning="always").say()
    assert "propose_plan" in house.model.seen[1][-1].text
    assert house.answer == "3."


def test_an_empty_plan_means_that_no_tool_is_needed() -> None:
    """The turn goes on without a plan."""
    house = House(plan(), "Hello.", planning="always").say("Hi")
    assert (house.answer, house.outcome, values(house)["steps"]) == ("Hello.", "answered", [])


TEXTS = [
    pytest.param('{"steps": [%s]}', id="json"),
    pytest.param('Here it is:\n```json\n{"steps": [%s]}\n```', id="fence"),
    pytest.param('{"name": "propose_plan", "arguments": {"steps": [%s]}}', id="call-as-text"),
]


@pytest.mark.parametrize("text", TEXTS)
def test_a_plan_as_text_is_read(text: str) -> None:
    """A model without tool calls writes the plan as JSON."""
    step = '{"id": 1, "tool": "get_forecast", "purpose": "look", "arguments": {"city": "Oslo", "date": "2026-01-02"}}'
    house = House(text % step, FORECAST, "3.", planning="always").say()
    assert (house.answer, steps_of(house)) == ("3.", {"1": "done"})


def test_a_plan_that_was_cut_off_is_not_completed() -> None:
    """Half a plan goes back."""
    cut = calls(call("propose_plan", '{"steps": [{"id": "1", "tool": "get_fo', "p"), finish_reason="length")
    house = House(cut, plan(LOOK), FORECAST, "3.", planning="always").say()
    assert len(asked_for_plan(house)) == 2
    assert house.answer == "3."


def test_a_value_that_nobody_gave_is_asked_for() -> None:
    """The turn ends with a question that names what is missing; the answer is planned with again."""
    unknown = {**LOOK, "arguments": {"city": "Oslo"}, "missing": ["date"]}
    house = House(plan(unknown, TELL), plan(LOOK), FORECAST, "3.", planning="auto", policies=[LOOK_FIRST])
    house.say("First the weather in Oslo, then tell Bo.")
    assert "date" in house.answer
    assert (house.outcome, house.runs) == ("asked", 0)
    house.say("On January 2nd")
    assert (house.answer, steps_of(house)) == ("3.", {"1": "done"})
    assert_valid(house.history)


def test_an_optional_value_is_not_asked_for() -> None:
    """A parameter that may be left out doesn't stop the plan."""
    house = House(plan({**LOOK, "missing": ["unit"]}), FORECAST, "3.", planning="always").say()
    assert house.answer == "3."


def test_a_forgotten_value_goes_back_once_and_blocks_nothing() -> None:
    """The model is told to name it; a plan that still doesn't is followed, and the call shows the value."""
    bare = {"id": "1", "tool": "get_forecast", "purpose": "look"}
    house = House(plan(bare), plan(bare), FORECAST, "3.", planning="always").say()
    assert "`city`" in house.model.seen[1][-1].text
    assert (house.answer, steps_of(house)) == ("3.", {"1": "done"})

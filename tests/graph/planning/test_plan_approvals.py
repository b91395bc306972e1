"""A person agrees to a plan before it is followed, changes it, or has another one made."""

from __future__ import annotations

from typing import Any

import pytest

from reinforced_agent import ApprovalRule, Context, Planning
from tests.graph.house import House, assert_valid, call, calls
from tests.graph.plans import FORECAST, LOOK, NOTE, TELL, TELL_NOW, asked_for_plan, plan, steps_of, values


ASKING = Planning(mode="always", approve=True)


def held(*lines: Any, planning: Planning = ASKING, **options: Any) -> House:
    """Run to the question about the plan."""
    return House(*lines, planning=planning).say("Tell Bo the weather.", **options)


def edited(*steps: Any) -> dict[str, Any]:
    """Put another plan in the place of the one that is asked about."""
    return {"type": "edit", "edited_action": {"name": "propose_plan", "args": {"steps": list(steps)}}}


def test_nothing_runs_before_a_person_agrees() -> None:
    """The question shows the plan in the form of any approval; then it is followed."""
    house = held(plan(LOOK), FORECAST, "3.")
    question = house.question.value
    assert (house.runs, values(house)["steps"][0]["status"]) == (0, "pending")
    assert [step["tool"] for step in question["action_requests"][0]["args"]["steps"]] == ["get_forecast"]
    assert "know the weather" in question["action_requests"][0]["description"]
    assert question["review_configs"][0]["allowed_decisions"] == ["approve", "edit", "reject", "respond"]
    house.decide({"type": "approve"})
    assert (house.answer, steps_of(house)) == ("3.", {"1": "done"})
    assert_valid(house.history)


def test_a_plan_that_is_agreed_to_approves_no_call() -> None:
    """A write in it asks as any write does."""
    house = held(plan(LOOK, TELL), FORECAST, NOTE, "Done.").decide({"type": "approve"})
    assert house.question.value["calls"][0]["tool"] == "send_note"
    assert house.effects == []


def test_a_person_changes_the_plan() -> None:
    """The plan of the person is followed."""
    house = held(plan(LOOK, TELL), FORECAST, "3.").decide(edited(LOOK))
    assert (house.answer, steps_of(house)) == ("3.", {"1": "done"})


def test_an_edit_is_checked_like_any_plan() -> None:
    """The person reads what is wrong, and decides again."""
    house = held(plan(LOOK), FORECAST, "3.").decide(edited({**LOOK, "tool": "forecast"}))
    assert "`get_forecast`" in house.question.value["calls"][0]["note"]
    assert (house.runs, len(asked_for_plan(house))) == (0, 1)
    house.decide({"type": "approve"})
    assert house.answer == "3."


@pytest.mark.parametrize("kind", ["reject", "respond"])
def test_with_a_word_the_model_plans_anew(kind: str) -> None:
    """What the person says reaches the model, and the next plan is asked about again."""
    house = held(plan(LOOK, TELL), plan(LOOK), FORECAST, "3.").decide({"type": kind, "message": "Don't write to Bo."})
    assert "Don't write to Bo." in asked_for_plan(house)[-1]
    assert [step["id"] for step in house.question.value["action_requests"][0]["args"]["steps"]] == ["1"]
    house.decide({"type": "approve"})
    assert (house.answer, steps_of(house)) == ("3.", {"1": "done"})


def test_a_rejection_without_a_word_ends_the_turn() -> None:
    """The user reads that the plan was rejected; nothing has run."""
    house = held(plan(LOOK)).decide({"type": "reject"})
    assert (house.outcome, house.runs) == ("plan_rejected", 0)
    assert "rejected the plan" in house.answer
    assert_valid(house.history)


@pytest.mark.parametrize("answer", ["yes", {"decisions": [{"type": "approve", "token": "forged"}]}, None, []])
def test_an_unusable_answer_leaves_the_question_open(answer: Any) -> None:
    """Nothing is followed before a decision names the token."""
    house = held(plan(LOOK), FORECAST, "3.").resume(answer)
    assert house.question.value["problem"]
    assert house.runs == 0
    house.decide({"type": "approve"})
    assert house.answer == "3."


def test_a_token_is_good_once() -> None:
    """After a new message the old question can't be answered any more."""
    house = House(plan(LOOK), plan(LOOK), FORECAST, "3.", planning=ASKING).say("one")
    old = house.question.value["calls"][0]["token"]
    house.say("two")
    house.resume({"decisions": [{"type": "approve", "token": old}]})
    assert house.question.value["problem"]
    house.decide({"type": "approve"})
    assert (house.answer, house.result["turn"]["request"]) == ("3.", "two")


def person(name: str, *roles: str) -> dict[str, Any]:
    """Say who is there."""
    return {"context": Context(user_id=name, roles=frozenset(roles))}


def test_roles_and_four_eyes_hold() -> None:
    """Only somebody of the role agrees; who changed a plan doesn't agree to it alone."""
    rule = ApprovalRule(roles=("planner",), four_eyes=True)
    policy = Planning(mode="always", approve=rule)
    house = held(plan(LOOK, TELL), FORECAST, "3.", planning=policy, **person("ann", "planner"))
    house.decide({"type": "approve"}, **person("ann", "planner"))
    assert house.runs == 0
    house.decide({"type": "approve"}, **person("bob"))
    assert house.runs == 0
    house.decide(edited(LOOK), **person("cem", "planner"))
    house.decide({"type": "approve"}, **person("cem", "planner"))
    assert (house.runs, "cem" in house.question.value["calls"][0]["note"]) == (0, True)
    house.decide({"type": "approve"}, **person("dee", "planner"))
    assert (house.answer, steps_of(house)) == ("3.", {"1": "done"})


def test_a_new_plan_is_asked_about_as_well() -> None:
    """After a step has failed, the plan of the rest waits for a person; what was done stays done."""
    torn = {"id": "2", "tool": "read_ledger", "purpose": "read on", "arguments": {"page": 1}}
    page = calls(call("read_ledger", {"page": 1}, "r1"))
    house = held(plan(LOOK, torn), FORECAST, page, plan(TELL_NOW), NOTE, "Done.")
    house.decide({"type": "approve"})
    assert house.question.value["calls"][0]["tool"] == "propose_plan"
    house.decide({"type": "approve"})
    house.decide({"type": "approve"})
    assert steps_of(house) == {"1": "done", "2": "failed", "2.2": "done"}

"""An approval is good for one call, once, for a while, and from the right person."""

from __future__ import annotations

import threading
from typing import Any

import pytest
from langgraph.types import Command

from reinforced_agent import ApprovalPolicy, ApprovalRule, Condition, Context, Escalation, Exemption, Ledger
from reinforced_agent.graph.agent import ThreadBusyError
from tests.graph.house import House, assert_valid, call, calls


NOTE = call("send_note", {"to": "bob", "text": "hi"}, "c1")
OTHER = call("send_note", {"to": "ann", "text": "hi"}, "c2")
APPROVE = {"type": "approve"}
ANN, BOB = Context(user_id="ann"), Context(user_id="bob", roles=("lead",))


def edit(to: str) -> dict[str, Any]:
    """Decide to send the note to somebody else."""
    return {"type": "edit", "edited_action": {"name": "send_note", "args": {"to": to, "text": "hi"}}}


def waiting(*extra: Any, **options: Any) -> House:
    """Bring a house to its question."""
    return House(calls(NOTE, *extra), "Done.", "Done.", "Done.", **options).say(context=ANN)


class Clock:
    """A clock that a test moves."""

    def __init__(self) -> None:
        """Start somewhere."""
        self.now = 1_000_000.0

    def __call__(self) -> float:
        """Tell the time."""
        return self.now


@pytest.mark.parametrize("answer", [False, 0, "", [], {}, "yes", {"decisions": []}, [{"type": "accept"}]], ids=repr)
def test_an_answer_that_decides_nothing_runs_nothing(answer: Any) -> None:
    """Falsy and foreign answers are no approval, raise nothing, and the question is put again with what to send."""
    house = waiting().resume(answer)
    assert house.effects == []
    assert "decisions" in house.question.value["problem"] or answer == {}
    assert house.decide(APPROVE).effects == [("bob", "hi")]


def test_an_approval_expires() -> None:
    """After its time an approval runs nothing; the person is told, and a new question has a new token."""
    clock = Clock()
    house = waiting(ledger=Ledger(clock=clock), approvals=ApprovalPolicy(write=ApprovalRule(expires=60)))
    first = house.question.value["calls"][0]
    clock.now += 61
    house.decide(APPROVE)
    second = house.question.value["calls"][0]
    assert house.effects == []
    assert "time to decide" in house.question.value["problem"]
    assert second["token"] != first["token"]
    assert house.decide(APPROVE).effects == [("bob", "hi")]


def test_an_approval_that_expires_before_it_is_used_runs_nothing() -> None:
    """Time that passes between the decision and the claim counts: the model may propose the call again."""
    clock = Clock()
    policy = ApprovalPolicy(write=ApprovalRule(expires=60))
    house = waiting(ledger=Ledger(clock=clock), approvals=policy)
    agent, config = house.agent, house.config
    answer = {"decisions": [{**APPROVE, "token": house.question.value["calls"][0]["token"]}]}
    agent.invoke(Command(resume={house.question.id: answer}), config, context=BOB, interrupt_before=["execute"])
    clock.now += 61
    house.result = agent.invoke(None, config)
    assert house.effects == []
    assert "approval is not good for this call" in house.told("c1")
    assert_valid(house.history)


def test_a_forged_token_runs_nothing() -> None:
    """A token nobody issued is refused with a reason."""
    house = waiting().resume({"decisions": [{**APPROVE, "token": "guess"}]})
    assert house.effects == []
    assert "token" in house.question.value["problem"]


def test_an_approval_of_other_arguments_runs_nothing() -> None:
    """A call that was changed in the store after the question was put needs a question of its own."""
    house = waiting()
    record = {**house.result["calls"]["c1"], "arguments": {"to": "eve", "text": "hi"}}
    house.agent.update_state(house.config, {"calls": {"c1": record}})
    house.result = house.agent.invoke(None, house.config)
    house.decide(APPROVE)
    assert house.effects == []
    assert "not run" in house.told("c1")


def test_an_approval_is_not_good_in_another_thread() -> None:
    """A thread that was copied with its question gets a question of its own."""
    house = waiting()
    values = house.agent.get_state(house.config).values
    copy: Any = {"configurable": {"thread_id": "copy"}}
    house.agent.update_state(copy, values, as_node="check")
    house.config, house.result = copy, house.agent.invoke(None, copy)
    first = house.question.value["calls"][0]["token"]
    house.decide(APPROVE)
    assert house.effects == []
    assert "another conversation" in house.question.value["problem"]
    assert house.question.value["calls"][0]["token"] != first


def test_a_part_of_the_calls_can_be_decided() -> None:
    """Each decision counts for its call; the others wait on, and no effect is repeated."""
    house = waiting(OTHER)
    token = house.question.value["calls"][1]["token"]
    house.resume({"decisions": [{**APPROVE, "token": token}]})
    assert [held["call_id"] for held in house.question.value["calls"]] == ["c1"]
    house.decide({"type": "reject", "message": "Not Bob."})
    assert house.effects == [("ann", "hi")]
    assert "Not Bob." in house.told("c1")
    assert_valid(house.history)


def test_an_edit_has_an_effect_once_and_the_original_none() -> None:
    """The edited call runs under the person's approval; the model is told what ran."""
    house = waiting().decide(edit("ann"))
    assert house.effects == [("ann", "hi")]
    assert "A person changed the arguments" in house.told("c1")
    assert house.result["calls"]["c1"]["decision"]["type"] == "edit"


def test_an_answer_by_the_first_id_of_a_question_counts_as_long_as_its_calls_wait() -> None:
    """Whoever was asked first can still answer after somebody else tried in vain."""
    house = waiting(approvals=ApprovalPolicy(write=ApprovalRule(roles=("lead",))))
    asked = house.question
    for _ in range(2):
        house.decide(APPROVE, context=ANN)
    assert (house.effects, house.question.id != asked.id) == ([], True)
    answer = {"decisions": [{**APPROVE, "token": asked.value["calls"][0]["token"]}]}
    house.agent.invoke(Command(resume={asked.id: answer}), house.config, context=BOB)
    assert house.effects == [("bob", "hi")]


@pytest.mark.parametrize("token", ["of the first call", "", None, "guess"])
def test_an_old_id_answers_no_other_question(token: str | None) -> None:
    """Without the token of a call that waits, an answer by the id of a question that is closed decides nothing."""
    house = House(calls(NOTE), calls(OTHER), "Done.").say(context=ANN)
    old = house.question
    house.decide({"type": "reject"})
    assert house.question.value["calls"][0]["call_id"] == "c2"
    known = old.value["calls"][0]["token"] if token == "of the first call" else token
    house.agent.invoke(
        Command(resume={old.id: {"decisions": [{**APPROVE, "token": known}]}}), house.config, context=ANN
    )
    assert (house.effects, house.status("c2")) == ([], "waiting")


def test_two_clicks_at_the_same_time_run_the_call_once() -> None:
    """Of two answers that come together one runs the call, and the other is told that the thread is busy."""
    house = waiting()
    answer = {"decisions": [{**APPROVE, "token": house.question.value["calls"][0]["token"]}]}
    start, busy = threading.Barrier(2), []

    def click() -> None:
        start.wait(10)
        try:
            house.agent.invoke(Command(resume={house.question.id: answer}), house.config, context=ANN)
        except ThreadBusyError as error:
            busy.append(str(error))

    clicks = [threading.Thread(target=click) for _ in range(2)]
    for thread in clicks:
        thread.start()
    for thread in clicks:
        thread.join(20)
    assert house.effects == [("bob", "hi")]
    assert all("running already" in text for text in busy)


@pytest.mark.parametrize(
    ("rule", "decision", "decider", "effects", "said"),
    [
        pytest.param({"four_eyes": True}, APPROVE, ANN, 0, "somebody else", id="own-call"),
        pytest.param({"four_eyes": True}, edit("mia"), ANN, 0, "somebody else", id="edit-of-own-call"),
        pytest.param({"four_eyes": True}, APPROVE, BOB, 1, "", id="second-person"),
        pytest.param({"four_eyes": True}, APPROVE, Context(), 0, "isn't known", id="unknown-person"),
        pytest.param({"roles": ("lead",)}, APPROVE, ANN, 0, "lead", id="role-missing"),
        pytest.param({"roles": ("lead",)}, APPROVE, BOB, 1, "", id="role-there"),
    ],
)
def test_only_the_right_person_decides(
    rule: dict[str, Any], decision: dict[str, Any], decider: Context, effects: int, said: str
) -> None:
    """Roles and four eyes are kept; whoever may not decide is told why, and the question waits on."""
    house = waiting(approvals=ApprovalPolicy(write=ApprovalRule(**rule)))
    house.decide(decision, context=decider)
    assert len(house.effects) == effects
    if not effects:
        assert said.lower() in house.question.value["problem"].lower()


def test_who_changes_a_call_does_not_approve_it_alone() -> None:
    """With four eyes an edit makes its author the one who can't decide; the requester may then."""
    house = waiting(approvals=ApprovalPolicy(write=ApprovalRule(four_eyes=True)))
    house.decide(edit("mia"), context=BOB)
    assert "bob changed this call" in house.question.value["calls"][0]["note"]
    house.decide(APPROVE, context=BOB)
    assert house.effects == []
    assert house.decide(APPROVE, context=ANN).effects == [("mia", "hi")]


def test_the_requester_may_take_their_call_back() -> None:
    """Rejecting one's own call needs nobody else."""
    house = waiting(approvals=ApprovalPolicy(write=ApprovalRule(four_eyes=True)))
    house.decide({"type": "reject"}, context=ANN)
    assert (house.status("c1"), house.effects) == ("rejected", [])


def test_a_policy_lets_small_things_run_and_holds_big_ones() -> None:
    """An exemption runs without a question, exactly once; an escalation needs the people of the higher risk."""
    policy = ApprovalPolicy(
        destructive=ApprovalRule(roles=("lead",)),
        exemptions=(Exemption(when=Condition(tools=("send_note",), field="to", one_of=("ann",))),),
        escalations=(
            Escalation(when=Condition(tools=("send_note",), field="to", one_of=("bob",)), reason="Bob is the boss"),
        ),
    )
    house = waiting(OTHER, approvals=policy)
    held = house.question.value["calls"]
    assert [item["call_id"] for item in held] == ["c1"]
    assert (held[0]["risk"], held[0]["roles"]) == ("destructive", ["lead"])
    assert "Bob is the boss" in held[0]["reason"]
    house.decide(APPROVE, context=BOB)
    assert sorted(house.effects) == [("ann", "hi"), ("bob", "hi")]


def test_a_rejected_call_is_answered_from_memory() -> None:
    """The same call in other words of JSON is not asked about again in the turn, but in the next one it is."""
    again = call("send_note", {"text": "hi", "to": "bob"}, "c9")
    third = call("send_note", {"text": "hi", "to": "bob"}, "c10")
    house = House(calls(NOTE), calls(again), "Fine.", calls(third), "Done.").say().decide({"type": "reject"})
    assert "__interrupt__" not in house.result
    assert "already rejected" in house.told("c9")
    assert house.say("Do send it.").question.value["calls"][0]["call_id"] == "c10"

"""What a person decided counts once and as theirs, also when the ledger is away or the edit is odd."""

from __future__ import annotations

from typing import Any
from unittest.mock import Mock

import pytest
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.types import Command

from reinforced_agent import Alternative, ApprovalPolicy, ApprovalRule, Context, tool
from reinforced_agent.ledger import LedgerError
from reinforced_agent.ledger.approvals import Approvals
from reinforced_agent.policies.situation import Situation
from reinforced_agent.policies.verdicts import Accept, Verdict
from reinforced_agent.tools.call import Call
from tests.graph.bank import APPROVE, Bank
from tests.graph.house import House, assert_valid, call, calls


NOTE = call("send_note", {"to": "bob", "text": "hi"}, "c1")
REJECT = {"type": "reject"}


def _away(*_arguments: Any, **_more: Any) -> Any:
    msg = "the database is away"
    raise LedgerError(msg)


def test_an_answer_that_could_not_be_written_down_is_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    """The question waits, and what the person says then counts."""
    house = House(calls(NOTE), "Fine.").say()
    with monkeypatch.context() as broken:
        broken.setattr(Approvals, "look_up", _away)
        with pytest.raises(LedgerError, match="the database is away"):
            house.decide(APPROVE)
    house.decide(REJECT)
    assert (house.effects, house.status("c1")) == ([], "rejected")


def test_an_answer_is_never_taken_for_that_of_another_person(monkeypatch: pytest.MonkeyPatch) -> None:
    """The requester's own approval does not count when the second person answers."""
    ann, bob = Context(user_id="ann"), Context(user_id="bob")
    other = call("send_note", {"to": "eve", "text": "hi"}, "c2")
    rules = ApprovalPolicy(write=ApprovalRule(four_eyes=True))
    house = House(calls(NOTE, other), "Fine.", approvals=rules).say(context=ann)
    with monkeypatch.context() as broken:
        broken.setattr(Approvals, "spend", _away)
        with pytest.raises(LedgerError, match="the database is away"):
            house.decide(APPROVE, REJECT, context=ann)
    house.decide(REJECT, REJECT, context=bob)
    assert (house.effects, house.status("c1"), house.status("c2")) == ([], "rejected", "rejected")


def test_an_edit_of_a_stand_in_to_an_unknown_tool_comes_back() -> None:
    """A slip of the pen is told to the person like in any other edit."""

    @tool
    def file_note(to: str) -> str:
        """File a note."""
        return to

    @tool(risk="read", fallbacks=(Alternative("file_note"),))
    def find_note(to: str) -> str:
        """Find a note."""
        raise ValueError(to)

    house = House(calls(call("find_note", {"to": "bob"}, "c1")), "Fine.", tools=[file_note, find_note]).say()
    house.decide({"type": "edit", "edited_action": {"name": "fil_note", "args": {"to": "eve"}}})
    assert "`file_note`" in house.question.value["calls"][0]["note"]
    house.decide(APPROVE)
    assert house.status("c1") == "served"


def test_an_edit_that_a_rule_changes_is_shown_first() -> None:
    """Nothing runs with arguments that no person has seen."""

    def at_least_fifty(proposed: Call, _situation: Situation) -> Verdict:
        raised = {"amount": max(50, int(str(proposed.arguments["amount"])))}
        return Accept(layer="house rules", call=Call(proposed.id, proposed.tool, raised, proposed.repairs))

    bank = Bank()
    house = House(calls(call("pay", {"amount": 90}, "c1")), "Fine.", tools=[bank.spec], policies=[at_least_fifty])
    house.say("Pay 90.").decide({"type": "edit", "edited_action": {"name": "pay", "args": {"amount": 5}}})
    assert bank.booked == []
    assert house.question.value["action_requests"][0]["args"] == {"amount": 50}
    assert "rule changed your edit" in house.question.value["calls"][0]["note"]
    house.decide(APPROVE)
    assert bank.booked == [50]


@pytest.mark.parametrize("value", [{1: 2}, {"a": {1, 2}}, b"hi"], ids=["key-that-is-no-text", "set", "bytes"])
def test_an_edit_that_is_no_json_comes_back(value: Any) -> None:
    """An edit that a program made of odd values can be corrected, and the thread goes on."""
    house = House(calls(NOTE), "Fine.").say()
    house.decide({"type": "edit", "edited_action": {"name": "send_note", "args": {"to": "bob", "text": value}}})
    assert house.status("c1") == "waiting"
    house.decide(APPROVE)
    assert house.effects == [("bob", "hi")]
    assert_valid(house.history)


def test_an_agent_that_is_built_anew_takes_an_answer() -> None:
    """Agents over one store in memory share its ledger: questions of the first are answered through the second."""
    store = InMemorySaver()
    first = House(calls(NOTE), checkpointer=store).say()
    second = House("Fine.", checkpointer=store)
    second.result = first.result
    second.decide(APPROVE)
    assert (second.effects, second.status("c1")) == ([("bob", "hi")], "done")


def test_an_edit_does_not_take_the_place_of_a_call_that_comes_back() -> None:
    """Two edits at once, of which the second is not valid, don't leave two equal calls to run side by side."""
    other = call("send_note", {"to": "eve", "text": "hi"}, "c2")
    house = House(calls(NOTE, other), "Fine.").say()
    to_eve = {"type": "edit", "edited_action": {"name": "send_note", "args": other["arguments"]}}
    house.decide(to_eve, {"type": "edit", "edited_action": {"name": "sned", "args": {}}})
    assert [house.status("c1"), house.status("c2")] == ["waiting", "waiting"]
    house.decide(REJECT, APPROVE)
    assert house.effects == [("eve", "hi")]


def test_an_answer_without_an_address_is_not_kept_for_the_next_person(monkeypatch: pytest.MonkeyPatch) -> None:
    """A run that dies while it takes an answer down leaves the question to whoever goes on, and decides nothing."""
    house = House(calls(call("send_note", {"to": "bob", "text": "hi"}, "c1")), "Done.").say()
    answer = {"decisions": [{"type": "approve", "token": house.question.value["calls"][0]["token"]}]}
    with monkeypatch.context() as dying:
        dying.setattr(type(house.agent.ledger.approvals), "look_up", Mock(side_effect=KeyboardInterrupt))
        with pytest.raises(KeyboardInterrupt):
            house.agent.invoke(Command(resume=answer), house.config, context=Context(user_id="ann"))
    house.result = house.agent.invoke(None, house.config, context=Context(user_id="bob"))
    assert house.effects == []
    assert house.decide({"type": "approve"}).effects == [("bob", "hi")]

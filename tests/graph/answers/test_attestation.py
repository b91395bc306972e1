"""Switched on, the model says which tools its answer claims; a claim that the ledger doesn't know goes back once."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from reinforced_agent import AnswerPolicy, Limits
from tests.graph.house import House, call, calls


SENT = "I have sent the note to Bob."
HONEST = "Nothing was sent yet."
ON = AnswerPolicy(attest=True)


def reports(*tools: str) -> dict[str, Any]:
    return calls(call("report_actions", {"tools": list(tools)}, "r1"))


@pytest.mark.parametrize("reply", [reports("send_note"), '{"tools": ["send_note"]}', '["send_note"]'])
def test_a_claim_of_what_did_not_run_goes_back_once(reply: Any) -> None:
    """The model names the tool itself, and writes the answer anew."""
    house = House(SENT, reply, HONEST, answers=ON).say("Write to Bob.")
    assert (house.answer, len(house.model.seen)) == (HONEST, 3)
    assert "`send_note`" in house.model.seen[2][-1].text
    assert [message.text for message in house.history if message.type == "ai"] == [HONEST]
    assert house.effects == []


@pytest.mark.parametrize("reply", [reports(), reports("get_forecast"), "I don't know.", ConnectionError("down")])
def test_an_answer_stands_where_nothing_else_is_said(reply: Any) -> None:
    """No claim, a tool that only reads, a reply that can't be read and a model that is down are no objection."""
    house = House("Hello.", reply, answers=ON).say("Hello?")
    assert (house.answer, len(house.model.seen)) == ("Hello.", 2)


def test_nothing_is_asked_after_a_write_that_was_done() -> None:
    """The answer is about what ran."""
    house = House(calls(call("send_note", {"to": "Bob", "text": "hi"}, "c1")), SENT, answers=ON).say("Write to Bob.")
    house.decide({"type": "approve"})
    assert (house.answer, len(house.model.seen)) == (SENT, 2)


def test_it_is_off_by_default_and_keeps_the_limits() -> None:
    """Nobody pays for a question that was not ordered, nor beyond the bounds of the run."""
    assert len(House(SENT).say("Write to Bob.").model.seen) == 1
    assert len(House(SENT, answers=ON, limits=Limits(steps=1)).say("Write to Bob.").model.seen) == 1


def test_an_event_loop_asks_alike() -> None:
    """The asynchronous run sends the same claim back."""
    house = House(SENT, reports("send_note"), HONEST, answers=ON)
    result = asyncio.run(house.agent.ainvoke({"messages": [("user", "Write to Bob.")]}, house.config))
    assert result["messages"][-1].text == HONEST

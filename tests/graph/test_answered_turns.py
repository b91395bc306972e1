"""What an answer claims is held against the effects of its own turn; words in the place of a tool are none."""

from __future__ import annotations

from typing import Any

import pytest

from reinforced_agent import Risk, ToolSpec
from reinforced_agent.tools.fallbacks import Alternative, StaticAnswer
from tests.graph.house import House, call, calls


NOTE = {"to": "Bob", "text": "hi"}
SENT = "I have sent the note to Bob."
TEXT = {"type": "string"}
PARAMETERS = {"type": "object", "properties": {"to": TEXT, "text": TEXT}}


def mailer(run: Any, **more: Any) -> ToolSpec:
    """Describe a tool that sends notes."""
    return ToolSpec(name="send_note", description="Send a note.", parameters=PARAMETERS, run=run, **more)


def refused(_: Any) -> str:
    """Fail for good, without an effect."""
    raise ConnectionRefusedError


def test_the_same_again_needs_a_call_of_its_own() -> None:
    """What an earlier turn did makes no claim about this one true."""
    house = House(calls(call("send_note", NOTE, "c1")), SENT, SENT, "I have not sent it again: shall I?")
    house.say("Write hi to Bob.").decide({"type": "approve"})
    assert house.answer == SENT
    house.say("Send Bob the note once more.")
    assert house.answer == "I have not sent it again: shall I?"
    assert "in an earlier turn only" in house.model.seen[-1][-1].text


def test_what_an_earlier_turn_did_may_be_told() -> None:
    """A question about it is answered without an objection."""
    house = House(calls(call("send_note", NOTE, "c1")), SENT, f"Yes. {SENT}")
    house.say("Write hi to Bob.").decide({"type": "approve"})
    assert house.say("Did you send it?").answer == f"Yes. {SENT}"


def test_a_claim_about_somebody_else_is_denied() -> None:
    """The note says to whom nothing was sent."""
    line = "I have sent the note to #N22."
    sent = calls(call("send_note", {"to": "#N21", "text": "hi"}, "c1"))
    house = House(sent, line, repeat_last=True)
    house.say("Send it.").decide({"type": "approve"})
    assert house.answer.endswith("Note: this was not done to #N22: `send_note` ran for something else.")


def test_a_fixed_text_in_place_of_a_write_is_no_effect() -> None:
    """The claim is denied, and the answer says what stood in; so it is in the next turn."""
    tool = mailer(refused, fallbacks=(StaticAnswer("Notes are sent at noon."),))
    house = House(calls(call("send_note", NOTE, "c1")), SENT, repeat_last=True, tools=[tool]).say("Write hi to Bob.")
    house.decide({"type": "approve"})
    assert "Note: this was not done: `send_note` did not run successfully." in house.answer
    assert "`send_note` could not be used; a fixed text served instead." in house.answer
    assert "was not done" in house.say("Did you send it?").answer


@pytest.mark.parametrize(
    ("risk", "counts"), [pytest.param(Risk.WRITE, True, id="write"), pytest.param(Risk.READ, False, id="read")]
)
def test_a_stand_in_counts_where_it_took_effect(risk: Risk, counts: bool) -> None:  # noqa: FBT001  # a column
    """Another tool that sent it has sent it; one that only read has not."""
    other = ToolSpec(name="pager", description="x", parameters=PARAMETERS, risk=risk, run=lambda _: "ok")
    tool = mailer(refused, fallbacks=(Alternative("pager"),))
    house = House(calls(call("send_note", NOTE, "c1")), SENT, repeat_last=True, tools=[tool, other]).say(
        "Write to Bob."
    )
    house.decide({"type": "approve"})
    if "__interrupt__" in house.result:
        house.decide({"type": "approve"})
    assert ("was not done" not in house.answer) == counts
    assert ("was not done" not in house.say("Did you send it?").answer) == counts


def test_what_a_person_answered_was_not_done_by_the_tool() -> None:
    """A person's words in place of the result don't make the assistant's claim true, but may be told."""
    house = House(calls(call("send_note", NOTE, "c1")), SENT, "A colleague answered: the note has been sent by fax.")
    house.say("Write hi to Bob.").decide({"type": "respond", "message": "The note has been sent by fax."})
    assert house.answer == "A colleague answered: the note has been sent by fax."
    assert "`send_note` has not done that" in house.model.seen[-1][-1].text


def test_a_rejected_call_was_not_done() -> None:
    """A person said no, and the claim is denied."""
    house = House(calls(call("send_note", NOTE, "c1")), SENT, repeat_last=True).say("Write hi to Bob.")
    house.decide({"type": "reject", "message": "no"})
    assert house.answer.endswith("Note: this was not done: `send_note` did not run successfully.")


def test_an_unknown_outcome_is_told_where_the_answer_is_silent() -> None:
    """The note is added without asking the model."""

    def broken(_: Any) -> str:
        raise ConnectionResetError

    house = House(calls(call("send_note", NOTE, "c1")), "Anything else?", tools=[mailer(broken)]).say("Write to Bob.")
    house.decide({"type": "approve"})
    assert house.status("c1") == "unknown"
    assert house.answer == (
        "Anything else?\n\nNote: it is not known whether this was done: the outcome of `send_note` has to be looked up."
    )
    assert len(house.model.seen) == 2


def test_a_proposal_that_was_only_sent_back_leaves_nothing_undone() -> None:
    """The model may think better of a write that was not valid, and say that it has finished what was asked."""
    wrong = calls(call("send_note", {"too": "Bob"}, "c1"))
    look = calls(call("get_forecast", {"city": "Bern", "date": "2026-03-01"}, "c2"))
    house = House(wrong, look, "All done: 3 degrees in Bern.").say("Look up the weather in Bern.")
    assert house.answer == "All done: 3 degrees in Bern."

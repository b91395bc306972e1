"""The receipt lists every write of the turn with its outcome; an answer is extended where one did not end done."""

from __future__ import annotations

from typing import Any

import pytest

from reinforced_agent import Alternative, ApprovalPolicy, ApprovalRule, Context, Limits, Risk, StaticAnswer, ToolSpec
from tests.graph.house import House, call, calls


NOTE = {"to": "Bob", "text": "hi"}
SENT = "I have sent the note to Bob."
PARAMETERS = {"type": "object", "properties": {"to": {"type": "string"}, "text": {"type": "string"}}}


def mailer(run: Any, **more: Any) -> ToolSpec:
    return ToolSpec(name="send_note", description="Send a note.", parameters=PARAMETERS, run=run, **more)


def refused(_: Any) -> str:
    raise ConnectionRefusedError


def broken(_: Any) -> str:
    raise ConnectionResetError


def outcomes(house: House) -> list[tuple[str, str]]:
    return [(entry["tool"], entry["outcome"]) for entry in house.result["receipt"]["writes"]]


def test_a_write_that_was_done_stands_in_the_receipt_alone() -> None:
    """Who approved it, when it was done and what it does are told; the answer stays as the model wrote it."""
    house = House(calls(call("send_note", NOTE, "c1")), SENT).say("Write hi to Bob.", context=Context(user_id="ann"))
    assert outcomes(house) == [("send_note", "waiting")]
    house.decide({"type": "approve"}, context=Context(user_id="boss"))
    [entry] = house.result["receipt"]["writes"]
    assert (entry["outcome"], entry["arguments"], entry["approved_by"]) == ("done", NOTE, "boss")
    assert entry["effect"] == "Send a note."
    assert entry["at"]
    assert house.answer == SENT


def test_a_turn_without_writes_has_an_empty_receipt() -> None:
    """Reads are no writes, and those of the turn before are gone."""
    look = calls(call("get_forecast", {"city": "Bern", "date": "2026-03-01"}, "c2"))
    house = House(calls(call("send_note", NOTE, "c1")), SENT, look, "3 degrees.")
    house.say("Write hi to Bob.").decide({"type": "approve"})
    assert outcomes(house) == [("send_note", "done")]
    house.say("And the weather in Bern?")
    assert house.result["receipt"] == {"writes": [], "notes": []}


def test_a_declined_write_is_not_told_below_the_answer() -> None:
    """The person knows what they decided; the receipt keeps it."""
    house = House(calls(call("send_note", NOTE, "c1")), "As you wish.").say("Write hi to Bob.")
    house.decide({"type": "reject", "message": "no"})
    assert outcomes(house) == [("send_note", "declined")]
    assert house.answer == "As you wish."


@pytest.mark.parametrize(
    ("run", "outcome", "words"),
    [
        pytest.param(refused, "failed", "Note: `send_note` failed", id="failed"),
        pytest.param(broken, "unknown", "Note: it is not known whether `send_note` took effect", id="unknown"),
    ],
)
def test_a_write_that_did_not_end_done_is_told_below_the_answer(run: Any, outcome: str, words: str) -> None:
    """Whatever the model says, the user reads what became of it; the model is not asked again."""
    house = House(calls(call("send_note", NOTE, "c1")), SENT, tools=[mailer(run)]).say("Write hi to Bob.")
    house.decide({"type": "approve"})
    assert outcomes(house) == [("send_note", outcome)]
    assert house.answer.startswith(f"{SENT}\n\n{words}")
    assert len(house.model.seen) == 2


def test_a_write_that_failed_and_was_done_after_that_needs_no_word() -> None:
    """The answer is about what was done in the end."""
    tries = iter((refused, lambda _: "sent"))

    def run(given: Any) -> str:
        return next(tries)(given)

    again = {"to": "Bob", "text": "hello"}
    lines = (calls(call("send_note", NOTE, "c1")), calls(call("send_note", again, "c2")), SENT)
    house = House(*lines, tools=[mailer(run)]).say("Write hi to Bob.")
    house.decide({"type": "approve"}).decide({"type": "approve"})
    assert outcomes(house) == [("send_note", "failed"), ("send_note", "done")]
    assert house.answer == SENT


def test_a_write_that_was_only_sent_back_is_no_entry() -> None:
    """What the model corrects was never to run."""
    wrong = calls(call("send_note", {"too": "Bob"}, "c1"))
    house = House(wrong, calls(call("send_note", NOTE, "c2")), SENT).say("Write hi to Bob.")
    house.decide({"type": "approve"})
    assert outcomes(house) == [("send_note", "done")]


def test_what_a_fallback_served_is_a_note() -> None:
    """A fixed text in place of a write is no effect: the write failed, and the answer says what served."""
    tool = mailer(refused, fallbacks=(StaticAnswer("Notes are sent at noon."),))
    house = House(calls(call("send_note", NOTE, "c1")), SENT, tools=[tool]).say("Write hi to Bob.")
    house.decide({"type": "approve"})
    assert outcomes(house) == [("send_note", "failed")]
    assert [note["code"] for note in house.result["receipt"]["notes"]] == ["fallback"]
    assert house.answer == f"{SENT}\n\nNote: `send_note` could not be used; a fixed text served instead."


def test_a_stand_in_that_writes_is_an_entry_of_its_own() -> None:
    """The receipt names the tool that did it."""
    other = ToolSpec(name="pager", description="Page.", parameters=PARAMETERS, run=lambda _: "ok")
    tool = mailer(refused, fallbacks=(Alternative("pager"),))
    house = House(calls(call("send_note", NOTE, "c1")), SENT, tools=[tool, other]).say("Write hi to Bob.")
    house.decide({"type": "approve"}).decide({"type": "approve"})
    assert outcomes(house) == [("send_note", "failed"), ("pager", "done")]


def test_a_part_of_a_list_is_a_note_and_changes_no_answer() -> None:
    """What is to be known about a result stands in the receipt."""
    page = {"items": ["A", "B"], "total": 200}
    look = ToolSpec(name="look", description="x", parameters={"type": "object"}, risk=Risk.READ, run=lambda _: page)
    house = House(calls(call("look", {}, "c1")), "They are A and B.", tools=[look]).say()
    assert house.answer == "They are A and B."
    [note] = house.result["receipt"]["notes"]
    assert (note["tool"], "2 of 200" in note["message"]) == ("look", True)


def test_a_locale_without_texts_gets_the_receipt_alone() -> None:
    """No English stands below a French answer."""
    nobody = ApprovalPolicy(write=ApprovalRule(ask=False))
    house = House(calls(call("send_note", NOTE, "c1")), "C'est fait.", tools=[mailer(refused)], approvals=nobody)
    house.say("Écris hi à Bob.", context=Context(locale="fr"))
    assert (house.answer, outcomes(house)) == ("C'est fait.", [("send_note", "failed")])


def test_a_chinese_answer_is_completed_in_chinese() -> None:
    """The words are in the locale of the turn."""
    nobody = ApprovalPolicy(write=ApprovalRule(ask=False))
    house = House(calls(call("send_note", NOTE, "c1")), "已发送。", tools=[mailer(broken)], approvals=nobody)
    house.say("给 Bob 发 hi", context=Context(locale="zh-CN"))
    assert house.answer.startswith("已发送。\n\n注意：")


def test_a_model_that_falls_silent_after_a_write_ends_with_what_was_done() -> None:
    """The user reads that it was done, not that it could not be finished."""
    lines = (calls(call("send_note", NOTE, "c1")), "")
    house = House(*lines, repeat_last=True, limits=Limits(steps=4)).say("Write hi to Bob.")
    house.decide({"type": "approve"})
    assert house.effects == [("Bob", "hi")]
    assert house.answer.startswith("This was done:\n- send_note")

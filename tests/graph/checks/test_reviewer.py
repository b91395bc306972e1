"""A run with a reviewing model: it may send a call back with a doubt, and that is all it may do."""

from __future__ import annotations

import logging
from typing import Any

import pytest
from langchain_core.messages import HumanMessage

from reinforced_agent import Ledger, Limits, Relevance, Scorer
from reinforced_agent.policies.approval import ApprovalPolicy
from reinforced_agent.policies.verdicts import ErrorKind
from tests.graph.house import assert_valid, call, calls
from tests.graph.reviews import FIX, GOOD, Reviewed, note, verdicts


def test_a_doubt_is_sent_back_and_the_corrected_call_runs() -> None:
    """The wrong call has no effect; the model sees the doubt and corrects it."""
    house = Reviewed(calls(note("Ann", "c1")), calls(note("Bob", "c2")), "Sent.", said=[verdicts(FIX)])
    house.say("Send hi to Bob.")
    assert house.effects == [("Bob", "hi")]
    assert (house.status("c1"), house.status("c2")) == ("revise", "done")
    assert "The user said Bob." in house.told("c1")
    assert len(house.reviewer.seen) == 1
    assert_valid(house.history)


def test_a_call_that_is_sent_again_unchanged_runs() -> None:
    """The model is believed, and the reviewer is not asked about the same call twice, whatever its loops."""
    house = Reviewed(
        calls(note("Bob", "c1")), calls(note("Bob", "c2")), "Sent.", said=[verdicts(FIX)], reviewer={"loops": 2}
    )
    house.say("Send hi to Bob.")
    assert house.effects == [("Bob", "hi")]
    assert len(house.reviewer.seen) == 1


@pytest.mark.parametrize(
    ("loops", "limits", "effect", "why"),
    [
        pytest.param(1, None, "B", "loops", id="one-loop"),
        pytest.param(2, None, "C", "loops", id="two-loops"),
        pytest.param(2, Limits(retries={ErrorKind.REVIEWER: 1}), "B", "retries", id="retries-of-the-turn"),
        pytest.param(1, Limits(retries={ErrorKind.REVIEWER: 0}), "A", "retries", id="no-retries"),
        pytest.param(1, Limits(steps=1), "A", "limit", id="no-step-left"),
    ],
)
def test_after_its_loops_the_call_goes_on(loops: int, limits: Limits | None, effect: str, why: str) -> None:
    """A reviewer that always objects delays a call, and never stops it; the record says why it wasn't asked."""
    step = "ABC".index(effect) + 1
    lines = [calls(note(name, f"c{name}")) for name in "ABC"[:step]]
    house = Reviewed(*lines, "Sent.", said=[verdicts(FIX)] * 2, reviewer={"loops": loops}, limits=limits)
    house.say()
    assert house.effects == [(effect, "hi")]
    assert house.review(step) == {"outcome": "not asked", "why": why, "calls": 1}


def test_the_loops_begin_anew_once_something_has_run() -> None:
    """A second write of the turn is reviewed as the first one was."""
    house = Reviewed(
        calls(note("Ann", "c1")),
        calls(note("Bob", "c2")),
        calls(note("Cid", "c3")),
        calls(note("Dan", "c4")),
        "Sent.",
        said=[verdicts(FIX), verdicts(FIX)],
    )
    house.say("Send hi to Bob and Dan.")
    assert house.effects == [("Bob", "hi"), ("Dan", "hi")]


@pytest.mark.parametrize(
    ("said", "why"),
    [
        pytest.param(ConnectionError("gone"), "failed", id="down"),
        pytest.param(TimeoutError("slow"), "late", id="late"),
        pytest.param("I can't help with that.", "unreadable", id="refuses"),
        pytest.param("", "unreadable", id="says-nothing"),
        pytest.param(verdicts(), "unreadable", id="judges-nothing"),
        pytest.param(calls(call("send_note", {"to": "X", "text": "x"}, "r")), "unreadable", id="calls-the-tool"),
    ],
)
def test_a_reviewer_without_an_opinion_blocks_nothing(said: Any, why: str, caplog: pytest.LogCaptureFixture) -> None:
    """The call goes on as without a reviewer; the record and the log say so."""
    house = Reviewed(calls(note("Bob", "c1")), "Sent.", said=[said])
    with caplog.at_level(logging.WARNING, "reinforced_agent.graph.checks.reviewer"):
        house.say()
    assert house.effects == [("Bob", "hi")]
    assert (house.review()["outcome"], house.review()["why"]) == ("no opinion", why)
    assert "reviewer" in caplog.text
    assert "reviewer" not in {verdict["layer"] for verdict in house.result["calls"]["c1"]["verdicts"]}


def test_a_reviewer_that_is_down_is_asked_once_a_turn() -> None:
    """A turn doesn't wait for it again and again; the next one tries anew."""
    house = Reviewed(
        calls(note("Ann", "c1")), calls(note("Bob", "c2")), "Sent.", said=[ConnectionError("gone"), verdicts(GOOD)]
    )
    house.say()
    assert house.review(2) == {"outcome": "not asked", "why": "down", "calls": 1}
    house.model.lines += [calls(note("Cid", "c3")), "Sent."]
    house.say()
    assert house.review(1)["outcome"] == "passed"
    assert house.effects == [("Ann", "hi"), ("Bob", "hi"), ("Cid", "hi")]


def test_approval_by_the_reviewer_asks_the_person_all_the_same() -> None:
    """Its good word lets nothing run that a person has to agree to."""
    house = Reviewed(calls(note("Bob", "c1")), "Sent.", said=[verdicts(GOOD)], approvals=ApprovalPolicy())
    house.say()
    assert house.effects == []
    assert "review" not in house.question.value["action_requests"][0]["description"]
    house.decide({"type": "approve"})
    assert house.effects == [("Bob", "hi")]


def test_the_person_is_told_of_an_objection_that_the_model_overruled() -> None:
    """Who decides about a call knows that a reviewer objected to it."""
    house = Reviewed(
        calls(note("Bob", "c1")), calls(note("Bob", "c2")), "Sent.", said=[verdicts(FIX)], approvals=ApprovalPolicy()
    )
    house.say()
    description = house.question.value["action_requests"][0]["description"]
    assert "A reviewing model objected to `send_note`" in description
    assert "The user said Bob." in description
    house.decide({"type": "approve"})
    assert house.effects == [("Bob", "hi")]


def test_an_edit_of_a_person_is_not_reviewed() -> None:
    """What a person wrote into a call is theirs."""
    house = Reviewed(calls(note("Bob", "c1")), "Sent.", said=[verdicts(GOOD)], approvals=ApprovalPolicy())
    house.say()
    house.decide({"type": "edit", "edited_action": {"name": "send_note", "args": {"to": "Eve", "text": "hi"}}})
    assert house.effects == [("Eve", "hi")]
    assert len(house.reviewer.seen) == 1


def test_only_what_all_layers_pass_is_shown_and_only_from_the_risk_on() -> None:
    """Reads are not reviewed, and a call that another layer sends back costs no review."""
    bad = call("send_note", {"too": "Bob"}, "c2")
    house = Reviewed(
        calls(call("get_forecast", {"city": "Rome", "date": "2026-12-01"}, "c0"), bad, note("Bob", "c1")),
        "Done.",
        said=[verdicts(GOOD)],
    )
    house.say()
    assert house.data()["calls"] == [{"call": 1, "tool": "send_note", "arguments": {"to": "Bob", "text": "hi"}}]
    assert [one["tool"] for one in house.data()["beside"]] == ["get_forecast", "send_note"]
    assert house.status("c2") == "revise"
    assert house.effects == [("Bob", "hi")]


@pytest.mark.parametrize(("chance", "asked"), [(0.8, 1), (0.3, 0)], ids=["unsure", "sure-enough"])
def test_a_call_that_a_scorer_is_unsure_of_is_reviewed(chance: float, asked: int) -> None:
    """A score below the bound is reason enough, whatever the risk."""
    house = Reviewed(
        calls(call("get_forecast", {"city": "Rome", "date": "2026-12-01"}, "c1")),
        "Cold.",
        said=[verdicts(GOOD)],
        reviewer={"from_risk": None, "below_score": 0.5},
        relevance=Relevance(scorers=(Scorer(name="doubt", score=lambda _: chance, threshold=0.1, then="record"),)),
    )
    house.say()
    assert len(house.reviewer.seen) == asked


def test_nothing_is_asked_where_nothing_is_due() -> None:
    """A turn of reads makes no request to the reviewer."""
    house = Reviewed(calls(call("get_forecast", {"city": "Rome", "date": "2026-12-01"}, "c1")), "Cold.", said=[])
    house.say()
    assert house.review() == {}
    assert house.outcome == "answered"


def test_each_call_of_a_message_gets_its_own_verdict() -> None:
    """One is sent back, the other runs; equal ones are shown once."""
    house = Reviewed(
        calls(note("Ann", "c1"), note("Bob", "c2"), note("Bob", "c3")),
        "Done.",
        said=[verdicts({**FIX, "field": "nothing known"}, GOOD)],
    )
    house.say()
    assert house.effects == [("Bob", "hi")]
    assert [house.status(one) for one in ("c1", "c2")] == ["revise", "done"]
    assert len(house.data()["calls"]) == 2
    assert "beside" not in house.data()
    assert (house.review()["calls"], house.review()["objected"]) == (2, 1)


def test_the_user_is_asked_for_what_only_they_know() -> None:
    """After `ask_user`, a question to the user ends the turn as one."""
    house = Reviewed(
        calls(note("Bob", "c1", text="TODO")),
        "What should the note say?",
        said=[verdicts({"verdict": "ask_user", "field": "text", "reason": "Nobody said what to write."})],
    )
    house.say("Send a note to Bob.")
    assert house.effects == []
    assert house.outcome == "asked"
    assert [one["field"] for one in house.result["turn"]["missing"]] == ["text"]


def test_a_write_that_has_happened_is_not_reviewed_again() -> None:
    """When a client sends its message once more, the ledger tells the outcome, and no doubt leads to another write."""
    ledger = Ledger()
    said = [verdicts(GOOD), verdicts(FIX)]
    for number in range(2):
        house = Reviewed(calls(note("Bob", "c1")), "Sent.", said=said[number:], ledger=ledger)
        message = HumanMessage("Send hi to Bob.", id="message-1")
        house.result = house.agent.invoke({"messages": [message]}, house.config)
        assert len(house.effects) == 1 - number
        assert house.status("c1") == "done"
        assert len(house.reviewer.seen) == 1 - number

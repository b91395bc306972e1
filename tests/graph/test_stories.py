"""Whole runs through the graph with a scripted model: what a user, a person who approves and the history see."""

from __future__ import annotations

import pytest

from reinforced_agent import Limits
from tests.graph.house import House, assert_valid, call, calls


OSLO = {"city": "Oslo", "date": "2026-12-01"}


def test_a_right_call_runs_and_its_result_reaches_the_model() -> None:
    """A right read runs at once and the model answers from its result."""
    house = House(calls(call("get_forecast", OSLO, "c1")), "It is 3 degrees.").say("Weather in Oslo?")
    assert house.answer == "It is 3 degrees."
    assert (house.outcome, house.runs, house.status("c1")) == ("answered", 1, "done")
    assert house.told("c1") == "Oslo 2026-12-01 3 celsius"
    assert_valid(house.history)


@pytest.mark.parametrize(
    ("wrong", "named", "proposed"),
    [
        pytest.param({"city": "Oslo", "dat": "2026-12-01"}, "`dat`", "`date`", id="required-field"),
        pytest.param({**OSLO, "unti": "kelvin"}, "`unti`", "`unit`", id="optional-field"),
    ],
)
def test_a_misspelt_field_is_named_and_the_right_one_proposed(wrong: dict[str, str], named: str, proposed: str) -> None:
    """A misspelt field never runs with a default; the model learns which name is meant."""
    house = House(calls(call("get_forecast", wrong, "c1")), calls(call("get_forecast", OSLO, "c2")), "3 degrees.").say()
    assert named in house.told("c1")
    assert proposed in house.told("c1")
    assert (house.runs, house.outcome) == (1, "answered")


def test_solved_feedback_leaves_the_history() -> None:
    """Once the call is right, the failed try is nowhere in the chat."""
    bad = calls(call("get_forecast", {"city": "Oslo"}, "first-try"))
    house = House(bad, calls(call("get_forecast", OSLO, "c2")), "3 degrees.").say()
    assert [message.type for message in house.history] == ["human", "ai", "tool", "ai"]
    assert "first-try" not in str(house.history)


def test_only_the_newest_failure_is_shown_to_the_model() -> None:
    """Feedback doesn't pile up while the model keeps failing."""
    lines = [calls(call("get_forecast", {"city": "Oslo", "dat": str(n)}, f"c{n}")) for n in range(2)]
    house = House(*lines, "I give up.").say()
    assert [message.type for message in house.model.seen[-1]] == ["system", "human", "ai", "tool"]


@pytest.mark.parametrize(
    ("line", "said"),
    [
        pytest.param(calls(call("get_forecast", '{"city": "Oslo", ', "c1")), "get_forecast", id="malformed-json"),
        pytest.param(calls(call("get_forecats", OSLO, "c1")), "get_forecast", id="unknown-tool"),
        pytest.param({"content": ""}, "neither an answer nor", id="empty-message"),
        pytest.param(
            calls(call("get_forecast", {"city": "Oslo", "date": "2026-02-30"}, "c1")), "2026-02-30", id="date"
        ),
    ],
)
def test_a_model_that_repeats_a_mistake_for_ever_ends_in_an_account(line: dict[str, object], said: str) -> None:
    """The same mistake again and again uses up its budget; the answer says what did not run and why."""
    house = House(line, repeat_last=True).say("Weather in Oslo?")
    assert "Weather in Oslo?" in house.answer
    assert said in house.answer
    assert house.runs == 0
    assert house.outcome in {"budget", "unusable"}
    assert_valid(house.history)


def test_a_model_that_calls_for_ever_is_stopped_by_its_steps() -> None:
    """A model that never answers ends at the step budget, with what was done."""
    lines = [calls(call("get_forecast", {**OSLO, "city": f"City {n}"}, f"c{n}")) for n in range(20)]
    house = House(*lines, limits=Limits(steps=4)).say()
    assert (house.outcome, house.runs) == ("limit", 4)
    assert "City 3" in house.answer
    assert_valid(house.history)


def test_a_tool_that_raises_is_told_as_type_and_message() -> None:
    """The model sees type and message of a failure; the traceback stays in the record."""
    house = House(calls(call("read_ledger", {"page": 7}, "c1")), "Page 7 is torn.").say()
    assert "OSError: page 7 is torn" in house.told("c1")
    assert "Traceback" not in house.told("c1")
    assert "read_ledger" in house.result["calls"]["c1"]["failure"]["traceback"]
    assert (house.status("c1"), house.outcome) == ("failed", "answered")
    assert_valid(house.history)


def test_a_tool_that_keeps_failing_is_no_longer_offered() -> None:
    """After two failures in a row the model is told to stop, and a third call doesn't run."""
    lines = [calls(call("read_ledger", {"page": n}, f"c{n}")) for n in range(3)]
    house = House(*lines, "I can't read the ledger.").say()
    assert "Don't call it again" in house.told("c1")
    assert (house.runs, house.status("c2"), house.outcome) == (2, "open", "answered")
    assert_valid(house.history)


def test_a_tool_that_hangs_is_given_up_in_time() -> None:
    """A hanging read delays the run by its timeout only."""
    house = House(calls(call("wait_long", {}, "c1")), "No answer from the tool.").say()
    assert "no answer within 0.05 seconds" in house.told("c1")
    assert house.status("c1") == "failed"
    assert_valid(house.history)


def test_a_model_that_is_down_still_gives_an_answer() -> None:
    """With the model unreachable the run ends without another model call, and says so."""
    house = House(ConnectionError("no route")).say("Weather in Oslo?")
    assert house.outcome == "model_down"
    assert "can't be reached" in house.answer
    assert "no route" not in house.answer
    assert "no route" in house.result["turn"]["detail"]


def test_a_key_that_a_server_quotes_is_not_kept() -> None:
    """What the state says of a model that refused holds neither the key nor the card that its server quotes."""
    said = f"{'x' * 1_985} Incorrect API key: sk-proj-{'a1' * 20}, paid with 4242 4242 4242 4242"
    house = House(ConnectionError(said)).say("Weather in Oslo?")
    detail = house.result["turn"]["detail"]
    assert detail.startswith("ConnectionError: xxx")
    assert "a1" not in detail
    assert "a1a1" not in str(house.result)
    assert "4242" not in str(house.result)


def test_a_mixed_batch_runs_what_is_right_and_answers_the_rest() -> None:
    """Accepted, wrong and approved calls of one message each get exactly one tool message."""
    batch = calls(
        call("get_forecast", OSLO, "right"),
        call("get_forecast", {"city": "Oslo"}, "wrong"),
        call("send_note", {"to": "ann", "text": "hi"}, "risky"),
    )
    house = House(batch, "Done.").say()
    assert house.runs == 0
    assert [item["tool"] for item in house.question.value["calls"]] == ["send_note"]
    house.decide({"type": "approve"})
    assert house.effects == [("ann", "hi")]
    assert [house.status(item) for item in ("right", "wrong", "risky")] == ["done", "revise", "done"]
    assert "`date`" in house.told("wrong")
    assert_valid(house.history)


def test_an_edit_runs_with_the_arguments_of_the_person_and_the_model_is_told() -> None:
    """What a person changed is checked, runs as changed, and the model learns of it."""
    house = House(calls(call("send_note", {"to": "ann", "text": "hi"}, "c1")), "Sent.").say()
    house.decide({"type": "edit", "edited_action": {"name": "send_note", "args": {"to": "bob", "text": "hi"}}})
    assert house.effects == [("bob", "hi")]
    assert "A person changed the arguments" in house.told("c1")
    assert_valid(house.history)


def test_an_invalid_edit_goes_back_to_the_person() -> None:
    """An edit that breaks the schema doesn't run and doesn't go to the model: the person is told what is wrong."""
    house = House(calls(call("send_note", {"to": "ann", "text": "hi"}, "c1")), "Sent.").say()
    house.decide({"type": "edit", "edited_action": {"name": "send_note", "args": {"to": "bob", "txt": "hi"}}})
    assert "`txt`" in house.question.value["calls"][0]["note"]
    assert house.question.value["action_requests"][0]["args"] == {"to": "ann", "text": "hi"}
    house.decide({"type": "approve"})
    assert house.effects == [("ann", "hi")]
    assert_valid(house.history)


def test_an_edit_to_a_riskier_tool_is_asked_again() -> None:
    """Nobody moves a call to a riskier tool by editing it."""
    house = House(calls(call("send_note", {"to": "ann", "text": "hi"}, "c1")), "Deleted.").say()
    token = house.question.value["calls"][0]["token"]
    house.decide({"type": "edit", "edited_action": {"name": "delete_note", "args": {"to": "ann"}}})
    assert house.effects == []
    held = house.question.value["calls"][0]
    assert (held["tool"], held["risk"]) == ("delete_note", "destructive")
    assert held["token"] != token
    house.decide({"type": "approve"})
    assert house.effects == [("delete", "ann")]


@pytest.mark.parametrize(
    "answer",
    [
        pytest.param({"decisions": [{"type": "approve", "token": "forged"}]}, id="forged-token"),
        pytest.param({"decisions": [{"type": "approve"}]}, id="no-token"),
        pytest.param({"decisions": []}, id="no-decision"),
        pytest.param({"decisions": [{"type": "yes"}]}, id="unknown-decision"),
        pytest.param("approve", id="text"),
        pytest.param(True, id="true"),
        pytest.param(False, id="false"),
        pytest.param(0, id="zero"),
        pytest.param("", id="empty-text"),
        pytest.param([{"type": "approve"}], id="list"),
    ],
)
def test_an_answer_that_names_no_token_approves_nothing(answer: object) -> None:
    """A forged, partial or senseless answer runs nothing and asks again with the reason."""
    house = House(calls(call("send_note", {"to": "ann", "text": "hi"}, "c1")), "Sent.").say().resume(answer)
    assert house.effects == []
    assert house.question.value["problem"]
    house.decide({"type": "approve"})
    assert house.effects == [("ann", "hi")]
    assert_valid(house.history)


def test_a_part_of_the_decisions_leaves_the_rest_waiting() -> None:
    """Several risky calls are asked about together and may be decided one by one."""
    batch = calls(call("send_note", {"to": "a", "text": "1"}, "c1"), call("send_note", {"to": "b", "text": "2"}, "c2"))
    house = House(batch, "Both sent.").say().decide({"type": "approve"})
    assert house.effects == []
    assert [item["call_id"] for item in house.question.value["calls"]] == ["c2"]
    house.decide({"type": "reject", "message": "Not today."})
    assert house.effects == [("a", "1")]
    assert "Not today." in house.told("c2")
    assert_valid(house.history)


def test_a_rejected_call_is_not_asked_about_again() -> None:
    """The model may insist, but the person is asked once."""
    note = {"to": "ann", "text": "hi"}
    house = House(calls(call("send_note", note, "c1")), calls(call("send_note", note, "c2")), "Not sent.").say()
    house.decide({"type": "reject"})
    assert "__interrupt__" not in house.result
    assert (house.status("c1"), house.status("c2"), house.effects) == ("rejected", "refused", [])
    assert_valid(house.history)


def test_a_response_stands_in_for_the_tool() -> None:
    """A person may answer the call instead of letting it run."""
    house = House(calls(call("send_note", {"to": "ann", "text": "hi"}, "c1")), "She knows.").say()
    house.decide({"type": "respond", "message": "I told her myself."})
    assert house.effects == []
    assert "I told her myself." in house.told("c1")
    assert_valid(house.history)


def test_a_new_message_closes_an_approval_that_waits() -> None:
    """When the user writes again, the waiting call is closed as not run, before the new message."""
    house = House(calls(call("send_note", {"to": "ann", "text": "hi"}, "c1")), "Fine, I leave it.").say("Tell Ann hi")
    old = house.question
    house.say("Forget it")
    assert [message.type for message in house.history] == ["human", "ai", "tool", "human", "ai"]
    assert "new message" in house.told("c1")
    assert house.effects == []
    assert_valid(house.history)
    late = {old.id: {"decisions": [{"type": "approve", "token": old.value["calls"][0]["token"]}]}}
    house.agent.invoke(_resume(late), house.config)
    assert house.effects == []


def test_equal_calls_of_one_message_run_once() -> None:
    """A call that is proposed twice in one message runs once, and both get its result."""
    batch = calls(call("get_forecast", OSLO, "c1"), call("get_forecast", dict(reversed(OSLO.items())), "c2"))
    house = House(batch, "3 degrees.").say()
    assert house.runs == 1
    assert house.told("c1") == house.told("c2")
    assert_valid(house.history)


def test_a_conversation_goes_on_over_turns() -> None:
    """The next user message starts a fresh turn on the same chat."""
    house = House(calls(call("get_forecast", OSLO, "c1")), "3 degrees.", "You are welcome.").say().say("Thanks")
    assert house.answer == "You are welcome."
    assert house.result["calls"] == {}
    assert_valid(house.history)


def _resume(answer: object) -> object:
    """Wrap an answer for the graph."""
    from langgraph.types import Command  # noqa: PLC0415

    return Command(resume=answer)


def test_a_model_whose_error_can_not_be_written_still_gives_an_answer() -> None:
    """An exception that breaks when it is looked at ends the run like any other."""

    class Unspeakable(Exception):  # noqa: N818  # an exception that can't even be written
        """Breaks when it is looked at."""

        def __str__(self) -> str:
            raise RuntimeError

    house = House(Unspeakable()).say()
    assert house.outcome == "model_down"
    assert "Unspeakable" in house.result["turn"]["detail"]

"""The repetition layer: which repeated calls are objected to, and which are left alone."""

from __future__ import annotations

from typing import Any

import pytest

from reinforced_agent.policies.repetition import check_repetition
from reinforced_agent.policies.situation import PastCall, Situation
from reinforced_agent.policies.verdicts import Accept, ErrorKind, Revise
from reinforced_agent.tools.call import Call
from reinforced_agent.tools.spec import ToolSpec


READ = ToolSpec(name="look", description="", parameters={"type": "object"}, risk="read")  # type: ignore[arg-type]
CALL = Call("c9", "look", {"page": 1})


def past(digest: str = CALL.digest, status: str = "done", **more: Any) -> PastCall:
    """Write an earlier call."""
    return PastCall("look", digest, status, **more)


@pytest.mark.parametrize(
    ("history", "objection"),
    [
        pytest.param([], None, id="first-call"),
        pytest.param([past("other")], None, id="another-call"),
        pytest.param([past()], "not run again", id="same-result-again"),
        pytest.param([past(status="served")], "not run again", id="result-of-a-fallback-again"),
        pytest.param([past(), past("w", changes=True)], None, id="changed-since"),
        pytest.param([past(changes=True), past("w", changes=True)], "not run again", id="write-before-another-write"),
        pytest.param([past(result="20%"), past(result="40%")], None, id="an-answer-that-changes"),
        pytest.param([past(result="40%"), past(result="40%")], "not run again", id="an-answer-that-stays"),
        pytest.param([past(unfinished=True)] * 3, None, id="still-under-way"),
        pytest.param([past(unfinished=True, changes=True)], "not run again", id="change-that-is-under-way"),
        pytest.param([past(may_pass=True)], None, id="error-as-a-result"),
        pytest.param([past(may_pass=True)] * 2, "not run again", id="error-as-a-result-twice"),
        pytest.param([past(), past("w", "failed", changes=True)], "not run again", id="change-failed"),
        pytest.param([past(status="failed")], "failed already", id="same-failure-again"),
        pytest.param([past(status="failed", may_pass=True)], None, id="failure-that-may-pass"),
        pytest.param([past(status="failed", may_pass=True)] * 2, "failed already", id="passing-failure-twice"),
        pytest.param([past(status="failed"), past("w", changes=True)], None, id="failure-then-change"),
        pytest.param(
            [past(status="failed", changes=True), past("w", changes=True)], None, id="failed-write-then-another-change"
        ),
        pytest.param([past(status="failed", changes=True), past("w")], "failed already", id="failed-write-then-a-read"),
        pytest.param(
            [past(status="unknown", changes=True), past("w", changes=True)], "unknown", id="unknown-then-another-change"
        ),
        pytest.param([past(status="unknown", changes=True)], "unknown", id="outcome-unknown"),
        pytest.param([past(status="edited")], "A person changed", id="edited-by-a-person"),
        pytest.param([past(status="revise")], None, id="never-ran"),
        pytest.param([past("a"), past(), past("w", changes=True), past("a")], None, id="read-between-changes"),
        pytest.param([past("a", changes=True), past(changes=True), past("c")], "not run again", id="no-alternation"),
    ],
)
def test_a_repetition_is_objected_to_only_when_it_brings_nothing(
    history: list[PastCall], objection: str | None
) -> None:
    """A repeated call is sent back when its outcome is known and nothing has changed since."""
    verdict = check_repetition(CALL, Situation(spec=READ, history=tuple(history)))
    if objection is None:
        assert isinstance(verdict, Accept)
    else:
        assert isinstance(verdict, Revise)
        assert verdict.kind is ErrorKind.DUPLICATE
        assert objection in verdict.message


@pytest.mark.parametrize(
    ("repeat", "times", "accepted"),
    [
        pytest.param("allow", 5, True, id="allowed"),
        pytest.param("refuse", 1, False, id="refused"),
        pytest.param("reuse", 1, True, id="taken-again"),
        pytest.param("reuse", 2, False, id="taken-again-but-once"),
    ],
)
def test_a_tool_says_what_becomes_of_equal_calls(repeat: str, times: int, accepted: object) -> None:
    """They run, are sent back, or take the earlier result once."""
    situation = Situation(spec=READ.declare(repeat=repeat), history=(past(),) * times)
    assert isinstance(check_repetition(CALL, situation), Accept) is accepted


@pytest.mark.parametrize("repeat", ["allow", "refuse", "reuse"])
def test_the_second_b_of_a_b_a_b_is_told_to_stop(repeat: str) -> None:
    """Whoever goes back and forth is told to stop, and not the same result once more."""
    calls = (past("a"), past(result="12 degrees"), past("a", "revise", kind="duplicate"))
    verdict = check_repetition(CALL, Situation(spec=READ.declare(repeat=repeat), history=calls))
    assert isinstance(verdict, Accept if repeat == "allow" else Revise)
    assert not isinstance(verdict, Revise) or ("back and forth" in verdict.message and "12" not in verdict.message)


def test_polling_two_things_in_turn_is_no_going_back_and_forth() -> None:
    """As long as the status of each says that it is under way."""
    calls = (past("a"), past(unfinished=True), past("a"))
    assert isinstance(check_repetition(CALL, Situation(spec=READ, history=calls)), Accept)


@pytest.mark.parametrize(
    ("risk", "repeat"), [("read", "sometimes"), ("write", "reuse"), ("destructive", "reuse")], ids=str
)
def test_a_way_to_repeat_that_can_not_be_is_named(risk: str, repeat: Any) -> None:
    """A change can't take the result of an earlier one."""
    with pytest.raises(ValueError, match="'allow'"):
        ToolSpec(name="look", description="", parameters={}, risk=risk, repeat=repeat)  # type: ignore[arg-type]  # a word


def test_the_host_may_allow_more_equal_failures() -> None:
    """How often the same call may fail is a limit."""
    once = Situation(spec=READ, history=(past(status="failed"),), identical_failures=2)
    twice = Situation(spec=READ, history=(past(status="failed"),) * 2, identical_failures=2)
    assert isinstance(check_repetition(CALL, once), Accept)
    assert isinstance(check_repetition(CALL, twice), Revise)


def test_feedback_comes_in_the_language_of_the_reader() -> None:
    """A Chinese locale gets Chinese feedback."""
    verdict = check_repetition(CALL, Situation(spec=READ, history=(past(),), locale="zh-CN"))
    assert isinstance(verdict, Revise)
    assert "没有再次执行" in verdict.message

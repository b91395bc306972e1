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
        pytest.param([past("a"), past(changes=True), past("a")], "back and forth", id="a-b-a-b"),
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


@pytest.mark.parametrize("switch", [{"pollable": True}, {"check_repetition": False}], ids=str)
def test_a_tool_may_be_exempt(switch: dict[str, bool]) -> None:
    """Pollable tools, and tools that switch the check off, repeat themselves freely."""
    situation = Situation(spec=READ.declare(**switch), history=(past(), past()))
    assert isinstance(check_repetition(CALL, situation), Accept)


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

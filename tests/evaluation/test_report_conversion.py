"""What counts as success, as resolved, as given up and as a retry is fixed case by case."""

from __future__ import annotations

from typing import Any

import pytest

from benchmarks.bfcl.report_cases import cases_between, own_case
from reinforced_agent.evaluation.metrics.requests import first_call_success, retries_by_kind
from reinforced_agent.evaluation.report.conversion import episodes_of, turns_of
from reinforced_agent.evaluation.report.outcomes import fate_of, ruling_of, was_asked
from reinforced_agent.graph.records.record import RecordedCall
from reinforced_agent.policies.status import Status
from tests.evaluation.report_records import WRONG, call, result, said, turn


ASKED = (said("format"), said("risk", "ask", "policy"))
REJECTED = call("rejected", *ASKED, kind="rejected_by_person", decision="reject")
FAILED = call("failed", kind="tool_error_permanent", attempts=1)
STOPPED = call("open", said("format"), said("breaker", "refuse", "tool_error_transient"), kind="tool_error_transient")
SERVED = STOPPED.model_copy(update={"status": "served", "served_by": "last_good"})
REFUSED = call("refused", said("format"), said("policy", "refuse", "policy"))


@pytest.mark.parametrize(
    ("messages", "outcome", "first", "resolved", "gave_up", "retries"),
    [
        pytest.param([call(), "answer"], "answered", 1.0, True, False, {}, id="worked-at-once"),
        pytest.param(["answer"], "answered", None, True, False, {}, id="answered-without-a-call"),
        pytest.param(
            [WRONG, call(), "answer"], "answered", 0.0, True, False, {"unknown_argument": 1}, id="mended-after-feedback"
        ),
        pytest.param([WRONG, "answer"], "answered", 0.0, False, True, {}, id="gave-up-after-feedback"),
        pytest.param([REFUSED, "answer"], "answered", 0.0, False, True, {}, id="gave-up-after-a-refusal"),
        pytest.param([WRONG, WRONG], "budget", 0.0, False, False, {"unknown_argument": 1}, id="budget-spent"),
        pytest.param([call()], "limit", 1.0, False, False, {}, id="steps-used-up-after-success"),
        pytest.param(
            ["malformed", "answer"], "answered", 0.0, True, False, {}, id="answered-after-an-unusable-message"
        ),
        pytest.param(
            ["malformed", call(), "answer"], "answered", 0.0, True, False, {"malformed": 1}, id="unusable-then-call"
        ),
        pytest.param(["malformed", "malformed"], "unusable", 0.0, False, False, {"malformed": 1}, id="only-unusable"),
        pytest.param([REJECTED, "answer"], "answered", 0.0, False, False, {}, id="rejected-is-not-given-up"),
        pytest.param(
            [call("done", *ASKED, decision="approve"), "answer"], "answered", 1.0, True, False, {}, id="approved"
        ),
        pytest.param(
            [call("answered", *ASKED, decision="respond"), "answer"], "answered", 0.0, True, False, {}, id="by-a-person"
        ),
        pytest.param([FAILED, "answer"], "answered", 0.0, False, True, {}, id="tool-failed-and-given-up"),
        pytest.param(
            [FAILED, call(), "answer"], "answered", 0.0, True, False, {"tool_error_permanent": 1}, id="tool-failed-once"
        ),
        pytest.param(
            [call("unknown", kind="tool_error_transient"), "answer"], "answered", 0.0, False, False, {}, id="unknown"
        ),
        pytest.param(
            [call("served", kind="tool_error_transient", served_by="static"), "answer"],
            *("answered", 0.0, True, False, {}),
            id="served-by-a-fallback",
        ),
        pytest.param([STOPPED, "answer"], "answered", 0.0, False, False, {}, id="stopped-by-a-breaker"),
        pytest.param([STOPPED, call(), "answer"], "answered", 0.0, True, False, {}, id="stopped-then-another-tool"),
        pytest.param([SERVED, "answer"], "answered", 0.0, True, False, {}, id="stopped-and-served"),
        pytest.param([[call(id="a"), WRONG], "answer"], "answered", 1.0, True, False, {}, id="one-of-two-worked"),
        pytest.param([call("superseded", *ASKED)], "", 0.0, False, False, {}, id="never-ended"),
    ],
)
def test_turns_become_episodes(
    *, messages: Any, outcome: str, first: float | None, resolved: bool, gave_up: bool, retries: dict[str, int]
) -> None:
    """Each turn is one episode, with what its definitions say."""
    (episode,) = episodes_of(turn(*messages, outcome=outcome))
    assert first_call_success([episode]).value == first
    assert (episode.resolved, episode.gave_up) == (resolved, gave_up)
    assert retries_by_kind([episode]) == retries


def test_turns_are_told_apart_by_thread_and_put_in_order() -> None:
    """Records may come in any order, and one that was written again counts once."""
    records = turn(WRONG, call(), "answer", name="a")
    other = [record.model_copy(update={"thread": "other"}) for record in turn("answer", name="a")]
    turns = turns_of([records[2], records[0], *other, records[1], records[1]])
    assert [[record.step for record in found.records] for found in turns] == [[1, 2, 3], [1]]


def test_calls_of_a_fallback_are_not_the_models() -> None:
    """Neither the one that served, nor one that failed and is named nowhere."""
    asked = call("served", id="a", tool="price", served_by="a-fallback-2", kind="tool_error_transient")
    tried = call("failed", id="a-fallback-1", tool="cache", kind="tool_error_permanent")
    served = call("done", id="a-fallback-2", tool="shop")
    (episode,) = episodes_of(turn([asked, tried, served], "answer"))
    assert [proposal.tool for proposal in episode.proposals] == ["price"]
    assert [(one.layer, one.kind) for one in episode.proposals[0].objections] == [("tool", "tool_error_transient")]


@pytest.mark.parametrize(
    ("one", "ruling", "fate", "asked"),
    [
        pytest.param(call(), "passed", "done", False, id="done"),
        pytest.param(WRONG, "sent back", "asked again", False, id="revise"),
        pytest.param(
            call("refused", said("arguments", "revise", "malformed")), "sent back", "not run", False, id="budget-spent"
        ),
        pytest.param(REFUSED, "refused", "not run", False, id="refused"),
        pytest.param(
            call("served", said("policy", "refuse", "policy"), served_by="static"),
            *("refused", "served", False),
            id="refused-and-served",
        ),
        pytest.param(call("open", kind="tool_error_transient"), "withheld", "not run", False, id="open"),
        pytest.param(STOPPED, "withheld", "not run", False, id="stopped-by-a-breaker"),
        pytest.param(SERVED, "withheld", "served", False, id="stopped-and-served"),
        pytest.param(REJECTED, "person asked", "rejected", True, id="rejected"),
        pytest.param(call("waiting", *ASKED), "person asked", "not run", True, id="nobody-answered"),
        pytest.param(call("done", *ASKED), "passed", "done", False, id="shares-the-outcome-of-its-twin"),
        pytest.param(call("unknown"), "passed", "unknown", False, id="unknown"),
        pytest.param(FAILED, "passed", "failed", False, id="failed"),
    ],
)
def test_every_call_has_a_ruling_and_a_fate(*, one: RecordedCall, ruling: str, fate: str, asked: bool) -> None:
    """In the words that the report counts by."""
    assert (ruling_of(one), fate_of(one), was_asked(one)) == (ruling, fate, asked)


@pytest.mark.parametrize("status", list(Status))
def test_every_status_has_a_fate(status: Status) -> None:
    """A status that is no result counts as not run, rather than as an error of the report."""
    assert fate_of(call(status.value))


def test_results_become_cases() -> None:
    """Within an arm the first proposal is compared with the last; between arms, what each would have executed."""
    mended = result("b", "1", first=False, final=True, asked=2)
    unread = result("b", "2", first=False, final=False, asked=3, unreadable="cut off")
    alone = result("b", "3", first=True, final=True)
    own = [own_case(one) for one in (mended, unread, alone)]
    assert [(case.helped, case.harmed, case.layers) for case in own] == [
        (True, False, ("after format",)),
        (False, False, ("format",)),
        (False, False, ()),
    ]
    base = [result("a", "1", first=True, final=True), result("a", "2", first=True, final=True)]
    between = cases_between(base, [mended, unread, alone])
    assert [(case.id, case.base_right, case.after_right) for case in between] == [("1", True, True), ("2", True, False)]

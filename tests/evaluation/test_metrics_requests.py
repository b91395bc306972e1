"""Numbers that need no ground truth: first calls, retries, giving up, and recurring causes."""

from __future__ import annotations

from reinforced_agent.evaluation.metrics.cases import Episode, Objected, Proposal
from reinforced_agent.evaluation.metrics.requests import (
    Cause,
    first_call_success,
    give_up_rate,
    recurring_causes,
    resolution_rate,
    retries_by_kind,
)


def done(tool: str = "pay", step: int = 1) -> Proposal:
    """Write a call that ran at once."""
    return Proposal(tool=tool, done=True, step=step)


def bad(kind: str, *fields: str, step: int = 1, tool: str = "pay") -> Proposal:
    """Write a call that was objected to."""
    objection = Objected(layer="arguments", kind=kind, fields=fields)
    return Proposal(tool=tool, done=False, objections=(objection,), step=step)


# Five requests: at once; at the second try; at the third, of two kinds; given up after feedback; without any call.
EPISODES = [
    Episode(id="1", proposals=(done(),), resolved=True),
    Episode(id="2", proposals=(bad("unknown_argument", "dat"), done(step=2)), resolved=True),
    Episode(
        id="3",
        proposals=(
            bad("unknown_argument", "dat"),
            bad("unknown_argument", "dat", "to"),
            bad("invalid_arguments", "amount", step=2),
            done(step=3),
        ),
        resolved=True,
    ),
    Episode(id="4", proposals=(bad("invalid_arguments", "amount"),), gave_up=True),
    Episode(id="5", resolved=True),
]


def test_a_first_call_succeeds_when_it_runs_without_objection() -> None:
    """1 of the 4 requests with a call."""
    found = first_call_success(EPISODES)
    assert (found.value, found.n) == (1 / 4, 4)


def test_a_first_call_that_ran_and_failed_is_no_success() -> None:
    """No objection alone is not enough."""
    assert first_call_success([Episode(id="1", proposals=(Proposal(tool="pay", done=False),))]).value == 0


def test_requests_are_resolved_with_or_without_a_call() -> None:
    """4 of 5."""
    found = resolution_rate(EPISODES)
    assert (found.value, found.n) == (4 / 5, 5)


def test_siblings_with_one_fault_are_one_question() -> None:
    """Request 2 asks once; request 3 asks once for its two siblings and once more; request 4 was never asked again."""
    assert retries_by_kind(EPISODES) == {"invalid_arguments": 1, "unknown_argument": 2}


def test_giving_up_counts_among_requests_with_feedback() -> None:
    """1 of the 3 requests with an objection."""
    found = give_up_rate(EPISODES)
    assert (found.value, found.n) == (1 / 3, 3)


def test_causes_that_come_up_in_several_requests_are_listed() -> None:
    """`dat` three times in two requests, `amount` twice in two; `to` came up in one only."""
    assert recurring_causes(EPISODES) == [
        Cause(tool="pay", field="dat", kind="unknown_argument", count=3, requests=2),
        Cause(tool="pay", field="amount", kind="invalid_arguments", count=2, requests=2),
    ]


def test_a_single_request_is_no_pattern_unless_it_is_asked_for() -> None:
    """And no more causes are listed than asked for."""
    assert len(recurring_causes(EPISODES, at_least=1)) == 3
    (cause,) = recurring_causes(EPISODES, most=1)
    assert cause.as_json() == {"tool": "pay", "field": "dat", "kind": "unknown_argument", "count": 3, "requests": 2}


def test_an_objection_about_no_field_is_a_cause_too() -> None:
    """Such as a tool that isn't there."""
    twice = [Episode(id=name, proposals=(bad("unknown_tool", tool="pey"),)) for name in "ab"]
    assert [(cause.tool, cause.field) for cause in recurring_causes(twice)] == [("pey", "")]


def test_without_requests_every_number_says_so() -> None:
    """No division by zero."""
    for found in (first_call_success([]), resolution_rate([]), give_up_rate([])):
        assert (found.value, found.n) == (None, 0)
        assert found.reason
    assert retries_by_kind([]) == {}
    assert recurring_causes([]) == []

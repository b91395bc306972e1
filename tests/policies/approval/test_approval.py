"""Reading a person's answer: only a decision that names its token counts."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reinforced_agent.policies.approval import Waiting, read_answer


ONE = Waiting("c1", "token-1")
TWO = Waiting("c2", "token-2")


def answer(*decisions: Any) -> dict[str, Any]:
    """Write an answer."""
    return {"decisions": list(decisions)}


def test_decisions_are_matched_by_token_in_any_order() -> None:
    """The order of the answer says nothing about the calls."""
    read = read_answer(
        answer({"type": "reject", "token": "token-2", "message": "no"}, {"type": "approve", "token": "token-1"}),
        [ONE, TWO],
    )
    assert {item.id: item.type for item in read.decided} == {"c1": "approve", "c2": "reject"}
    assert read.problems == ()


def test_a_usable_part_counts_and_the_rest_is_named() -> None:
    """One bad decision doesn't spoil the good ones."""
    read = read_answer(answer({"type": "approve", "token": "token-1"}, {"type": "approve", "token": "x"}), [ONE, TWO])
    assert [item.id for item in read.decided] == ["c1"]
    assert len(read.problems) == 1


def test_contradicting_decisions_cancel_each_other() -> None:
    """Two decisions about one call are no decision."""
    both = answer({"type": "approve", "token": "token-1"}, {"type": "reject", "token": "token-1"})
    read = read_answer(both, [ONE])
    assert read.decided == ()
    assert read.problems


@pytest.mark.parametrize(
    "decision",
    [
        pytest.param({"type": "edit", "token": "token-1"}, id="edit-without-action"),
        pytest.param({"type": "edit", "token": "token-1", "edited_action": {"name": "a"}}, id="edit-without-args"),
        pytest.param(
            {"type": "edit", "token": "token-1", "edited_action": {"name": "a", "args": {1: 2}}},
            id="edit-with-odd-keys",
        ),
        pytest.param({"type": "respond", "token": "token-1"}, id="respond-without-message"),
        pytest.param({"type": "reject", "token": "token-1", "message": 5}, id="message-is-no-text"),
        pytest.param({"type": "approve", "token": ["token-1"]}, id="token-is-no-text"),
        pytest.param({"type": ["approve"], "token": "token-1"}, id="type-is-no-text"),
        pytest.param("approve", id="text"),
        pytest.param(None, id="nothing"),
    ],
)
def test_a_decision_that_is_not_whole_is_none(decision: Any) -> None:
    """Half a decision decides nothing and is answered with what is missing."""
    read = read_answer(answer(decision), [ONE])
    assert read.decided == ()
    assert read.problems


@pytest.mark.parametrize(
    ("waiting", "decisions", "decided"),
    [
        pytest.param([ONE], [{"type": "approve"}], 1, id="one-call"),
        pytest.param([ONE, TWO], [{"type": "approve"}], 0, id="too-few"),
        pytest.param([ONE, TWO], [{"type": "approve"}, {"type": "reject"}], 2, id="two-calls"),
        pytest.param([ONE, TWO], [{"type": "approve"}, {"type": "approve", "token": "token-2"}], 2, id="one-token"),
        pytest.param([ONE, TWO], [{"type": "approve"}, {"type": "approve", "token": "token-1"}], 0, id="other-token"),
        pytest.param([ONE, TWO], [{"type": "approve"}, {"type": "edit"}], 0, id="one-that-is-not-whole"),
        pytest.param([ONE, TWO], [{"type": "approve"}, None], 0, id="one-that-is-none"),
        pytest.param([ONE, TWO], [{"type": "approve"}] * 3, 0, id="too-many"),
        pytest.param([ONE, Waiting("c2", "")], [{"type": "approve"}] * 2, 0, id="a-call-without-a-token"),
        pytest.param([ONE], [{"type": "approve"}, {"type": "approve"}], 0, id="two-decisions"),
        pytest.param([ONE], [{"type": "approve"}, None], 0, id="one-decision-and-nonsense"),
        pytest.param([ONE], [{"type": "approve", "token": "old"}], 0, id="wrong-token"),
    ],
)
def test_positions_count_where_there_is_one_usable_decision_for_each_call(
    waiting: Any, decisions: Any, decided: int
) -> None:
    """Switched on, decisions without tokens count together or not at all; a wrong token never does."""
    read = read_answer(answer(*decisions), waiting, positional=True)
    assert [item.id for item in read.decided] == [item.id for item in waiting][:decided]
    assert bool(read.problems) == (decided == 0)
    assert len(read_answer(answer(*decisions), waiting).decided) <= sum("token" in (one or {}) for one in decisions)


@pytest.mark.parametrize("positional", [pytest.param(False, id="tokens"), pytest.param(True, id="positional")])
@pytest.mark.parametrize(
    "value",
    [
        pytest.param(None, id="nothing"),
        pytest.param(False, id="false"),
        pytest.param(True, id="true"),
        pytest.param(0, id="zero"),
        pytest.param(1, id="one"),
        pytest.param("", id="empty-text"),
        pytest.param("approve", id="text"),
        pytest.param("token-1", id="bare-token"),
        pytest.param([], id="empty-list"),
        pytest.param({}, id="empty-object"),
        pytest.param([{"type": "approve", "token": "token-1"}], id="bare-list"),
        pytest.param({"type": "approve", "token": "token-1"}, id="bare-decision"),
        pytest.param({"decisions": {"type": "approve", "token": "token-1"}}, id="decisions-are-an-object"),
        pytest.param({"decisions": "approve"}, id="decisions-are-text"),
        pytest.param({"decisions": b"approve"}, id="decisions-are-bytes"),
        pytest.param({"decisions": []}, id="no-decisions"),
        pytest.param({"decisions": [0, False, None, "", []]}, id="decisions-are-nothing"),
        pytest.param({"decisions": [{"type": "approve", "token": 1}]}, id="token-is-a-number"),
        pytest.param({"decisions": [{"type": "approve", "token": None}]}, id="token-is-null"),
        pytest.param({"decisions": [{"type": "approve", "token": ""}]}, id="token-is-empty"),
        pytest.param({"decisions": [{"type": "accept", "token": "token-1"}]}, id="type-of-the-older-inbox"),
        pytest.param({"decisions": [{"type": True, "token": "token-1"}]}, id="type-is-true"),
        pytest.param([{"type": "accept", "args": None}], id="older-inbox-accepts"),
        pytest.param([{"type": "response", "args": "yes"}], id="older-inbox-responds"),
    ],
)
def test_what_is_no_answer_approves_nothing(*, value: Any, positional: bool) -> None:
    """Whatever else arrives decides nothing, and the person learns what to send."""
    read = read_answer(value, [ONE], positional=positional)
    assert read.decided == ()
    assert read.problems


def test_a_reply_of_the_older_inbox_is_told_what_to_send() -> None:
    """A bare reply names no call; the problem says so and shows the right form."""
    (problem,) = read_answer([{"type": "accept", "args": None}], [ONE], positional=True).problems
    assert "'accept'" in problem
    assert '{"decisions": [{"type": "approve", "token": "..."}]}' in problem


@pytest.mark.parametrize(
    "decision",
    [
        pytest.param({"type": "approve"}, id="approve"),
        pytest.param({"type": "edit", "edited_action": {"name": "a", "args": {"x": 1}}}, id="edit"),
        pytest.param({"type": "reject", "message": "no"}, id="reject"),
        pytest.param({"type": "respond", "message": "42"}, id="respond"),
    ],
)
def test_a_decision_says_by_which_token_it_was_named(decision: dict[str, Any]) -> None:
    """The token goes along, also where the position stands for it."""
    (named,) = read_answer(answer({**decision, "token": "token-1"}), [ONE, TWO]).decided
    (placed,) = read_answer(answer(decision), [ONE], positional=True).decided
    assert (named.token, placed.token) == ("token-1", "token-1")
    assert named == placed


@pytest.mark.parametrize(
    "second",
    [
        pytest.param({"type": "approve"}, id="the-same-again"),
        pytest.param({"type": "reject"}, id="the-opposite"),
        pytest.param({"type": "rejct"}, id="misspelt"),
        pytest.param({"type": "edit"}, id="half-an-edit"),
    ],
)
def test_a_token_that_is_named_twice_counts_for_nothing(second: dict[str, Any]) -> None:
    """Even a second decision that can't be read cancels the first; other calls are not touched."""
    both = answer(
        {"type": "approve", "token": "token-1"}, second | {"token": "token-1"}, {"type": "approve", "token": "token-2"}
    )
    read = read_answer(both, [ONE, TWO])
    assert [item.id for item in read.decided] == ["c2"]
    assert read.problems == ("Two decisions name the token of 'c1': none of them counts.",)


def test_a_call_without_a_token_can_not_be_decided() -> None:
    """A token that was used up is empty, and nothing names it."""
    assert read_answer(answer({"type": "approve", "token": ""}), [Waiting("c1", "")]).decided == ()
    assert read_answer(answer({"type": "approve"}), [Waiting("c1", "")], positional=True).decided == ()


def test_the_same_problem_is_told_once() -> None:
    """A long list of nonsense gives a short note."""
    assert len(read_answer(answer(*[None] * 1000), [ONE]).problems) == 1


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["decisions", "type", "token"]), inner),
    max_leaves=8,
)


@given(_JSON)
def test_no_answer_without_the_token_decides_anything(value: Any) -> None:
    """Whatever arrives, nothing raises, and without the token nothing is decided."""
    assert read_answer(value, [ONE, TWO]).decided == ()

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
        pytest.param([ONE, TWO], [{"type": "approve"}], 0, id="two-calls"),
        pytest.param([ONE], [{"type": "approve"}, {"type": "approve"}], 0, id="two-decisions"),
        pytest.param([ONE], [{"type": "approve", "token": "old"}], 0, id="wrong-token"),
    ],
)
def test_a_position_counts_only_for_a_single_call(waiting: Any, decisions: Any, decided: int) -> None:
    """Switched on, a decision without a token counts while one call waits; a wrong token never does."""
    assert len(read_answer(answer(*decisions), waiting, positional=True).decided) == decided
    assert read_answer(answer(*decisions), waiting).decided == ()


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["decisions", "type", "token"]), inner),
    max_leaves=8,
)


@given(_JSON)
def test_no_answer_without_the_token_decides_anything(value: Any) -> None:
    """Whatever arrives, nothing raises, and without the token nothing is decided."""
    assert read_answer(value, [ONE, TWO]).decided == ()

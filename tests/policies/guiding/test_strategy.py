"""Which of several proposals is taken."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reinforced_agent.policies.guiding.strategy import (
    Candidate,
    Strategy,
    StrategyError,
    affordable,
    choose,
    merge,
    settled,
    strategy_of,
)


GOOD = Candidate(key="add 1", kind="call", valid=True, score=1.0)
BETTER = Candidate(key="add 2", kind="call", valid=True, score=1.0, log_p=-0.1)
UNLIKELY = Candidate(key="add 3", kind="call", valid=True, score=1.0, log_p=-5.0)
BAD = Candidate(key="ad 1", kind="call", valid=False, kinds=("unknown_tool",))
HALF_BAD = Candidate(key="add x", kind="call", valid=False, score=0.4, kinds=("invalid_arguments",))
ANSWER = Candidate(key="It is 3.", kind="answer", valid=True, score=1.0)
OTHER_ANSWER = Candidate(key="Three.", kind="answer", valid=True, score=1.0)
EMPTY = Candidate(key="", kind="unusable", valid=False, kinds=("malformed",))
BEST = Strategy(candidates=3, take="best")
FIRST = Strategy(candidates=3)


@pytest.mark.parametrize(
    ("candidates", "strategy", "won"),
    [
        pytest.param([BAD, GOOD, BETTER], FIRST, 1, id="the first valid call"),
        pytest.param([UNLIKELY, BETTER], BEST, 1, id="the likelier of two valid calls"),
        pytest.param([BAD, UNLIKELY], BEST, 1, id="a valid call however unlikely"),
        pytest.param([BAD, HALF_BAD], FIRST, 1, id="none valid: the one that got furthest"),
        pytest.param([ANSWER, GOOD, BAD], FIRST, 1, id="one answer of three is no majority"),
        pytest.param([GOOD, ANSWER, OTHER_ANSWER], FIRST, 1, id="answers in other words are one majority"),
        pytest.param([ANSWER, BAD], FIRST, 1, id="half is no majority"),
        pytest.param([EMPTY, ANSWER, EMPTY], FIRST, 1, id="an answer where nothing is a call"),
        pytest.param([EMPTY, EMPTY], FIRST, 0, id="nothing usable"),
        pytest.param([EMPTY, BAD], FIRST, 1, id="a wrong call says more than an empty message"),
        pytest.param([UNLIKELY, GOOD, GOOD], BEST, 1, id="two that are the same"),
    ],
)
def test_choice(candidates: list[Candidate], strategy: Strategy, won: int) -> None:
    """A valid call is taken before a wrong one, and an answer by majority."""
    assert won == choose(candidates, strategy)


KINDS = st.sampled_from([GOOD, BETTER, UNLIKELY, BAD, HALF_BAD, ANSWER, OTHER_ANSWER, EMPTY])


@given(st.lists(KINDS, min_size=1, max_size=12), st.sampled_from([FIRST, BEST]))
def test_what_is_taken_is_right_if_anything_is(candidates: list[Candidate], strategy: Strategy) -> None:
    """No wrong call is taken while there is a valid one, and an answer only by majority or for want of a call."""
    taken = candidates[choose(candidates, strategy)]
    answers = sum(one.kind == "answer" for one in candidates)
    if taken.kind == "answer":
        assert 2 * answers > len(candidates) or not any(one.kind == "call" for one in candidates)
    elif any(one.kind == "call" and one.valid for one in candidates):
        assert taken.valid


@given(st.lists(KINDS, max_size=12))
def test_merging_loses_no_vote(candidates: list[Candidate]) -> None:
    """Every proposal stands for itself or for others; positions are those of the first of its kind."""
    merged = merge(candidates)
    assert len(candidates) == sum(one.votes for _, one in merged)
    assert all(candidates[at].kind == one.kind and candidates[at].key == one.key for at, one in merged)
    assert len({(one.kind, one.key) for _, one in merged if one.kind != "answer"}) == sum(
        one.kind != "answer" for _, one in merged
    )


@given(st.lists(KINDS, min_size=1, max_size=12))
def test_what_decides_early_decides_the_same(candidates: list[Candidate]) -> None:
    """Once it is settled, a valid call or an answer by majority is taken."""
    if settled(candidates, len(candidates), FIRST):
        assert candidates[choose(candidates, FIRST)].valid


@pytest.mark.parametrize(
    ("wanted", "per_request", "left", "count"),
    [
        pytest.param(3, 100, None, 3, id="no bound"),
        pytest.param(3, 100, 1_000, 3, id="enough"),
        pytest.param(3, 100, 250, 2, id="enough for two"),
        pytest.param(3, 100, 10, 1, id="one is always asked for"),
        pytest.param(3, 0, 10, 3, id="the model tells no tokens"),
    ],
)
def test_tokens_bound_the_proposals(wanted: int, per_request: int, left: int | None, count: int) -> None:
    """No more proposals than tokens are left for."""
    assert count == affordable(wanted, per_request, left)


@pytest.mark.parametrize(
    ("name", "value"),
    [("candidates", 0), ("candidates", 99), ("when", "never"), ("take", "worst"), ("weight", -1), ("temperature", 0)],
)
def test_a_wrong_strategy_names_the_setting(name: str, value: object) -> None:
    """The message names the setting and what is allowed."""
    with pytest.raises(StrategyError, match=f"Strategy\\({name}="):
        Strategy(**{name: value})  # type: ignore[arg-type]


def test_an_unknown_word_is_refused() -> None:
    """The message lists the words."""
    with pytest.raises(StrategyError, match="'retry' or 'candidates'"):
        strategy_of("magic")


@pytest.mark.parametrize(
    ("text", "strategy"),
    [
        pytest.param("retry", Strategy(), id="retry"),
        pytest.param("guided", Strategy(guided="auto"), id="guided"),
        pytest.param("guided+candidates", Strategy(guided="auto", candidates=3), id="both"),
        pytest.param("guided:vllm", Strategy(guided="vllm"), id="a way"),
        pytest.param("guided:strict tools+candidates", Strategy(guided="strict tools", candidates=3), id="both, a way"),
    ],
)
def test_a_text_names_a_strategy(text: str, strategy: Strategy) -> None:
    """One setting holds all of it, so that it can come from the environment."""
    assert strategy_of(text) == strategy


@pytest.mark.parametrize("text", ["guided:", "guided:tgi", "guided:vllm+retry", "candidates:vllm", "retry:auto", ""])
def test_a_text_that_names_none(text: str) -> None:
    """The error lists the words and the ways."""
    with pytest.raises(StrategyError, match=r"'guided:WAY'.*'llama\.cpp grammar'"):
        strategy_of(text)

"""Answers keep to the rules about them; what they leave out about their turn is added."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reinforced_agent.policies.answers.messages import CHINESE, ENGLISH, corrected
from reinforced_agent.policies.answers.policy import (
    AnswerPolicy,
    AnswerPolicyError,
    Disclaimer,
    Evidence,
    Forbidden,
    judge_answer,
)


TRAIN = Evidence(request="When does the next train to Bern leave?", used=frozenset({"next_train"}))


@pytest.mark.parametrize(
    ("rules", "answer", "result"),
    [
        pytest.param(
            AnswerPolicy(disclaimers=(Disclaimer(text="No advice."),)), "Buy.", "Buy.\n\nNo advice.", id="always"
        ),
        pytest.param(
            AnswerPolicy(disclaimers=(Disclaimer(text="No advice."),)), "Buy. no advice.", "Buy. no advice.", id="said"
        ),
        pytest.param(
            AnswerPolicy(disclaimers=(Disclaimer(text="No advice.", tools=("quote",)),)),
            "Buy.",
            "Buy.",
            id="other-tool",
        ),
        pytest.param(
            AnswerPolicy(disclaimers=(Disclaimer(text="No advice.", topics=("bern",)),)),
            "Hi.",
            "Hi.\n\nNo advice.",
            id="topic",
        ),
        pytest.param(
            AnswerPolicy(forbidden=(Forbidden(pattern=r"acme \w+", message="No names."),)),
            "Ask Acme Bank.",
            "Ask […].",
            id="replaced",
        ),
        pytest.param(
            AnswerPolicy(forbidden=(Forbidden(pattern="acme", message="No.", otherwise="refuse"),)),
            "Ask Acme.",
            ENGLISH["refused"],
            id="refused",
        ),
        pytest.param(AnswerPolicy(most_characters=4), "Go on.", f"Go o\n{ENGLISH['cut']}", id="cut"),
    ],
)
def test_the_house_has_the_last_word(rules: AnswerPolicy, answer: str, result: str) -> None:
    """What the model does not do itself is done for it."""
    assert corrected(answer, judge_answer(answer, TRAIN, rules), "en") == result


@given(st.text())
def test_any_answer_is_judged(answer: str) -> None:
    """Whatever the model writes, the check gives a verdict, and the answer keeps its text."""
    found = judge_answer(answer, Evidence(), AnswerPolicy(disclaimers=(Disclaimer(text="No advice."),)))
    assert corrected(answer, found, "zh").startswith(answer)


def test_rules_that_can_not_be_kept_are_refused() -> None:
    """A mistake is named when the rules are written."""
    with pytest.raises(AnswerPolicyError, match="no regular expression"):
        AnswerPolicy(forbidden=(Forbidden(pattern="(", message="x"),))
    with pytest.raises(AnswerPolicyError, match="above zero"):
        AnswerPolicy(most_characters=0)


def test_both_languages_have_the_same_texts() -> None:
    """Nothing is said in one language only."""
    assert ENGLISH.keys() == CHINESE.keys()

"""What a reviewing model's words are read as."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reinforced_agent.policies.parsing import ModelOutput
from reinforced_agent.policies.review import AskUser, Fault, Fix, Good, NoOpinion, Opinion, read_opinions
from reinforced_agent.policies.review.opinions import opinion_in, plain
from reinforced_agent.policies.review.reading import VERDICT_TOOL
from reinforced_agent.tools.call import RawCall


UNREADABLE, SILENT = NoOpinion("unreadable"), NoOpinion("silent")
DATE = Fix(Fault.WRONG_VALUE, "date", "The user said Friday.", 0.1)
DATE_JSON = {
    "call": 1,
    "verdict": "fix",
    "fault": "wrong_value",
    "field": "date",
    "reason": "The user said Friday.",
    "score": 0.1,
}


def said(text: str, count: int = 1, *, finish: str | None = "stop") -> tuple[Opinion, ...]:
    """Read a text."""
    return read_opinions(ModelOutput(content=text, finish_reason=finish), count)


def called(arguments: Any, *, name: str = VERDICT_TOOL, count: int = 1) -> tuple[Opinion, ...]:
    """Read a call of the verdict tool."""
    return read_opinions(ModelOutput(content="", calls=(RawCall("r", name, arguments),)), count)


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        pytest.param({"verdicts": [{"call": 1, "verdict": "good"}]}, [Good()], id="good"),
        pytest.param({"verdicts": [{"call": 1, "verdict": "good", "score": 0.4}]}, [Good(0.4)], id="score"),
        pytest.param({"verdicts": [DATE_JSON]}, [DATE], id="fix"),
        pytest.param(json.dumps({"verdicts": [DATE_JSON]}), [DATE], id="wire-text"),
        pytest.param({"verdicts": DATE_JSON}, [DATE], id="one-without-its-list"),
        pytest.param(DATE_JSON, [DATE], id="bare"),
        pytest.param(
            {"verdicts": [{"call": 1, "verdict": "ask_user", "field": "date"}]}, [AskUser("date")], id="ask-user"
        ),
        pytest.param(
            {"verdicts": [{"call": "2", "verdict": "fix"}, {"call": "#1", "verdict": "Good"}]},
            [Good(), Fix()],
            id="numbers-as-text",
        ),
        pytest.param({"verdicts": [{"call": 2, "verdict": "fix"}]}, [SILENT, Fix()], id="silent-about-one"),
        pytest.param({"verdicts": [{"call": 9, "verdict": "fix"}]}, [SILENT], id="about-a-call-nobody-knows"),
        pytest.param({"verdicts": [{"call": "all of them", "verdict": "fix"}]}, [SILENT], id="about-no-number"),
        pytest.param({"verdict": "fix"}, [Fix(), Fix()], id="about-all"),
        pytest.param({"verdicts": [{"call": 1, "is_valid": False}]}, [Fix()], id="flag"),
        pytest.param({"verdicts": [{"call": 1, "error": False}]}, [Good()], id="no-error"),
        pytest.param({"verdicts": [{"call": 1, "verdict": "good", "error": True}]}, [UNREADABLE], id="contradiction"),
        pytest.param(
            {"verdicts": [{"call": 1, "verdict": "good"}, {"call": 1, "verdict": "fix"}]}, [UNREADABLE], id="both"
        ),
        pytest.param({"verdicts": [{"call": 1, "verdict": "maybe"}]}, [UNREADABLE], id="no-verdict"),
        pytest.param({"verdicts": ["good", "fix"]}, [Good(), Fix()], id="words-in-order"),
        pytest.param({"verdicts": ["good", "perhaps"]}, [Good(), SILENT], id="a-word-that-is-none"),
        pytest.param({"verdicts": []}, [UNREADABLE], id="none"),
        pytest.param({}, [UNREADABLE], id="empty"),
        pytest.param('{"verdicts": [{"call": 1, "verdict": "fix"', [UNREADABLE], id="cut-off"),
        pytest.param(
            {"verdicts": [{"call": 1, "verdict": "fix", "fault": ["x"], "field": 3, "reason": None, "score": 7}]},
            [Fix()],
            id="odd-types",
        ),
    ],
)
def test_a_call_of_the_verdict_tool_is_read(arguments: Any, expected: list[Opinion]) -> None:
    """Each call gets the verdict under its number; what contradicts itself or names nothing is no opinion."""
    assert list(called(arguments, count=len(expected))) == expected


@pytest.mark.parametrize(
    "part",
    ["\n", ":", "verdict", "verdict:", "```", "```\n", "{", "[", "1 ", "call 1:", "good ", "verdict: good ", "_"],
)
def test_no_text_takes_long(part: str) -> None:
    """A text of a hundred thousand characters is read in time in proportion to it, and is no opinion."""
    assert said("x" + part * (99_000 // len(part)) + "x") == (UNREADABLE,)


def test_a_call_of_another_tool_is_no_opinion() -> None:
    """A reviewing model that calls the tool under review instead of judging has said nothing."""
    assert called({"verdict": "fix"}, name="book") == (UNREADABLE,)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("good", UNREADABLE, id="word"),
        pytest.param("**OK.**", UNREADABLE, id="decorated"),
        pytest.param("Fix", UNREADABLE, id="capital"),
        pytest.param("Verdict: good", UNREADABLE, id="stated"),
        pytest.param("The city is right.\n\n**Verdict:** fix", UNREADABLE, id="stated-after-thoughts"),
        pytest.param("Verdict: ask the user", UNREADABLE, id="stated-ask"),
        pytest.param("Verdict: good\nVerdict: fix", UNREADABLE, id="stated-twice"),
        pytest.param(json.dumps({"verdicts": [DATE_JSON]}), DATE, id="json"),
        pytest.param(f"```json\n{json.dumps({'verdicts': [DATE_JSON]})}\n```", DATE, id="fenced"),
        pytest.param(f"Here you are:\n{json.dumps([DATE_JSON])}\nDone.", DATE, id="list-in-prose"),
        pytest.param("{'verdict': 'good',}", Good(), id="python"),
        pytest.param(f"<think>It is wrong: fix.</think>{json.dumps({'verdict': 'good'})}", Good(), id="thoughts"),
        pytest.param(
            f'<tool_call>{{"name": "{VERDICT_TOOL}", "arguments": {{"verdict": "fix"}}}}</tool_call>',
            Fix(),
            id="leaked",
        ),
        pytest.param("Verdict: good - the city is the one asked for.", UNREADABLE, id="stated-with-a-reason"),
        pytest.param("Verdict: FIX. The date is wrong.", UNREADABLE, id="stated-fault"),
        pytest.param("Call 1: good", UNREADABLE, id="numbered"),
        pytest.param("1) fix (the date is wrong)", UNREADABLE, id="numbered-with-a-reason"),
        pytest.param("LGTM!", UNREADABLE, id="jargon"),
        pytest.param("结论：需要修改。日期不对", UNREADABLE, id="chinese"),
        pytest.param("Verdict: good enough for me", UNREADABLE, id="words-go-on"),
        pytest.param("Verdict: not good", UNREADABLE, id="stated-negation"),
        pytest.param("Verdict: fix the date", UNREADABLE, id="advice"),
        pytest.param("1. The date is wrong\n2. fix", UNREADABLE, id="a-list-of-something-else"),
        pytest.param("Verdict: good's", UNREADABLE, id="another-word"),
        pytest.param("", UNREADABLE, id="nothing"),
        pytest.param("I'm sorry, but I can't help with that.", UNREADABLE, id="refusal"),
        pytest.param("It is not wrong.", UNREADABLE, id="negation"),
        pytest.param("This looks good to me, but the date is wrong.", UNREADABLE, id="prose"),
        pytest.param('{"verdict": "good"} or {"verdict": "fix"}', UNREADABLE, id="two-objects"),
        pytest.param('{"city": "good"}', UNREADABLE, id="other-object"),
        pytest.param("<think>Verdict: fix", UNREADABLE, id="only-thought"),
    ],
)
def test_a_text_is_read_only_where_it_is_clear(text: str, expected: Opinion) -> None:
    """JSON counts; words, refusals and thoughts never become an objection."""
    assert said(text) == (expected,)


@pytest.mark.parametrize("finish", ["length", "content_filter"])
def test_what_was_cut_off_is_no_opinion(finish: str) -> None:
    """A verdict from a message that did not end by itself may be half of one."""
    assert said('{"verdict": "fix"}', finish=finish) == (UNREADABLE,)


@given(
    st.text()
    | st.lists(st.sampled_from(["{", "}", "[", "]", '"verdict"', ":", "fix", "good", "\n", "```"])).map("".join)
)
def test_every_text_is_read_without_an_error(text: str) -> None:
    """Whatever a model says, each call gets one opinion, and it survives being stored."""
    opinions = said(text, 2)
    assert len(opinions) == 2
    assert tuple(opinion_in(json.loads(json.dumps(plain(one)))) for one in opinions) == opinions


@given(st.text(st.characters(categories=["L", "P", "Z"]), min_size=1, max_size=60))
def test_words_around_an_objection_make_it_no_objection(words: str) -> None:
    """A verdict word inside other text is not a verdict."""
    assert said(f"{words}x fix x{words}") == (UNREADABLE,)

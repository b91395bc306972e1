"""What may be shown of a reply while it is written: never a part of a call or a thought, and text without delay."""

from __future__ import annotations

import time
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reinforced_agent.policies.parsing import Answer, Calls, Unusable
from reinforced_agent.policies.parsing.leaked.traces import first_trace
from reinforced_agent.policies.parsing.streamed import StreamedText
from tests.policies.parsing import test_leaked, test_leaked_answers, test_resembling
from tests.policies.parsing.bench import NAMES, written
from tests.policies.parsing.test_leaked import CALL


SAMPLES: dict[str, str] = {
    **{f"taken: {name}": text for name, (text, _) in test_leaked.TAKEN.items()},
    **{f"again: {name}": text for name, (text, _) in test_leaked.AGAIN.items()},
    **{f"answer: {name}": text for name, (text, _) in test_leaked_answers.ANSWERS.items()},
    **{f"unreadable: {name}": text for name, text in test_resembling.UNREADABLE.items()},
    **{f"truncated: {name}": text for name, text in test_resembling.TRUNCATED.items()},
    **{f"resembling: {name}": text for name, text in test_resembling.ANSWERS.items()},
    **{f"spoken: {name}": text for name, (text, _) in test_resembling.SPOKEN.items()},
    **{
        f"after words: {name}": f"I look. {text}"
        for name, (text, _) in test_leaked.TAKEN.items()
        if "ReAct" not in name
    },
}

_THOUGHT_AFTER_ALL = "opening", "reasoning tag in a string"
"""Of these samples only a closing tag tells that the beginning was a thought: what was shown is taken back."""


def shown(text: str, size: int) -> list[str]:
    """Return what is shown after each piece of so many characters."""
    streamed = StreamedText(NAMES)
    so_far = []
    for at in range(0, len(text), size):
        streamed.add(text[at : at + size])
        so_far.append(streamed.shown)
    return so_far


@pytest.mark.parametrize("size", [1, 4, 10_000])
@pytest.mark.parametrize("name", SAMPLES)
def test_what_is_shown_is_the_beginning_of_what_is_said(name: str, size: int) -> None:
    """Nothing of a call is shown, and what is shown stays, in pieces of any size."""
    text = SAMPLES[name]
    *_, seen = ["", *shown(text, size)]
    if name.endswith(_THOUGHT_AFTER_ALL) and not name.startswith("taken: reasoning tag"):
        return
    match written(text):
        case Answer(text=said):
            assert said.startswith(seen)
        case Calls():
            assert seen == ""
        case Unusable():
            trace = first_trace(text, NAMES)
            assert len(seen) <= (len(text) if trace is None else trace)
            assert text.lstrip().startswith(seen)


@pytest.mark.parametrize("name", [one for one in SAMPLES if one.startswith(("taken", "unreadable", "truncated"))])
def test_nothing_of_a_text_that_is_a_call_is_shown(name: str) -> None:
    """Not even its first character."""
    text = SAMPLES[name]
    if not name.endswith(_THOUGHT_AFTER_ALL[0]) and not text.startswith("Plan:"):
        assert shown(text, 1)[-1] == ""


PROSE = [
    "The beds are dry, so I would water them (twice) tomorrow.",
    "花园很干。明天请浇水！\n- 第一畦\n- 第二畦",
    "# Plan\n\n1. **Water** the beds: a < b and b > a, see [the page](https://example.org/?a={b}).\n\nDone.",
    "In short:\n\n```python\ndef f(a):\n    return {'a': a}\n```\n\nThat is all; {x} stays, and <b>bold</b> too.",
    "**Bold at once.** Assistants help.",
    "Actually, this is fine.\nActions follow tomorrow.",
    "List beds in the north first.",
    "| a | b |\n|---|---|\n| 1 | 2 |",
    "x < y, y > z",
]


@pytest.mark.parametrize("text", PROSE)
def test_text_comes_without_delay(text: str) -> None:
    """Of ordinary text, in words, at most a word and its mark are held back."""
    streamed, given_so_far = StreamedText(NAMES), ""
    for word in text.split(" "):
        piece = f"{word} "
        streamed.add(piece)
        given_so_far += piece
        assert len(given_so_far) - len(streamed.shown) <= len(piece) + 12, streamed.shown
    assert text.startswith(streamed.shown)
    assert len(text) - len(streamed.shown) <= 3


def test_the_first_word_is_shown_at_once() -> None:
    """It needs no second one, unless a tool or a form begins like it."""
    assert StreamedText(NAMES).add("The") == "The"
    assert StreamedText(NAMES).add("Hello") == "Hello"
    assert StreamedText(NAMES).add("water") == ""
    assert StreamedText(NAMES).add("Thou") == ""


def test_an_answer_after_a_thought_is_shown_while_it_comes() -> None:
    """The thought itself never is."""
    streamed = StreamedText(NAMES)
    pieces = ["<thi", "nk>dry", f" {CALL} ", "so</", "think>", "\n\nYes, ", "they are", " dry."]
    assert [streamed.add(piece) for piece in pieces] == ["", "", "", "", "", "Yes,", " they are", " dry."]


@given(
    st.text(st.sampled_from("abc <>/|[]{}`\"'name:argumentsTOOL_CALLSthink\n*Action Input=().,浇\ud83d\ude00")),
    st.integers(1, 5),
)
def test_no_text_and_no_cut_changes_what_is_shown(text: str, size: int) -> None:
    """What is shown only grows, begins what is said, and depends on no cut at its end."""
    seen = shown(text, size)
    assert all(later.startswith(earlier) for earlier, later in pairwise(seen))
    reading = written(text)
    if isinstance(reading, Answer) and seen and "</th" not in text.lower() and "/think" not in text.lower():
        assert reading.text.startswith(seen[-1])


@pytest.mark.parametrize(
    "unit", ["{", "<", "[", "\n", " ", "assistant", '{"name":"', "a", "`", "\u25c1", "<think>", "{ "]
)
@pytest.mark.parametrize("opening", ["", "Well. "])
def test_long_texts_take_time_in_proportion(unit: str, opening: str) -> None:
    """In one piece or in many."""
    text = opening + unit * (100_000 // len(unit))
    started = time.process_time()
    shown_in_one = StreamedText(NAMES)
    shown_in_one.add(text)
    streamed = StreamedText(NAMES)
    for at in range(0, len(text), 20):
        streamed.add(text[at : at + 20])
    assert time.process_time() - started < 4.0

"""Texts that are answers although they speak of calls, and endings that explain a message without calls."""

from __future__ import annotations

import pytest

from reinforced_agent.policies.parsing import Answer, Ending, ModelOutput, read
from reinforced_agent.policies.tool_names import NameIndex
from reinforced_agent.tools.call import RawCall
from tests.policies.parsing.bench import outcome, written
from tests.policies.parsing.test_leaked import CALL


ANSWERS: dict[str, tuple[str, str]] = {
    "prose": ("The beds are dry.", "The beds are dry."),
    "JSON that is no call": ('A guest: {"name": "Ann", "age": 3}', 'A guest: {"name": "Ann", "age": 3}'),
    "bare JSON with a name": ('{"name": "Ann", "age": 3}', '{"name": "Ann", "age": 3}'),
    "bare JSON like a call": ('{"name": "Ann", "arguments": {}}', '{"name": "Ann", "arguments": {}}'),
    "JSON with a fault": ('{"mean": NaN, "a": 1, "a": 2}', '{"mean": NaN, "a": 1, "a": 2}'),
    "JSON list": ("[1, 2]", "[1, 2]"),
    "broken JSON": ('{"name": "Ann", ', '{"name": "Ann",'),
    "description of a tool": (
        '[{"name": "list_beds", "description": "…", "parameters": {}}]',
        '[{"name": "list_beds", "description": "…", "parameters": {}}]',
    ),
    "schema of a tool": (
        'It is {"name": "list_beds", "parameters": {"type": "object"}}',
        'It is {"name": "list_beds", "parameters": {"type": "object"}}',
    ),
    "about the format": (
        "Hermes puts calls in <tool_call> tags; `<tool_call>{}</tool_call>` is empty.",
        "Hermes puts calls in <tool_call> tags; `<tool_call>{}</tool_call>` is empty.",
    ),
    "format in a fence": (
        "Like this:\n```xml\n<tool_call>\n{...}\n</tool_call>\n```",
        "Like this:\n```xml\n<tool_call>\n{...}\n</tool_call>\n```",
    ),
    "call in a fence of an explanation": (
        f"You would write:\n```json\n{CALL}\n```\nand the plants get water.",
        f"You would write:\n```json\n{CALL}\n```\nand the plants get water.",
    ),
    "about reasoning": ("Text in `<think>` is hidden.", "Text in `<think>` is hidden."),
    "reasoning in a fence": ("So:\n```\n<think>a</think>\n```\nOk", "So:\n```\n<think>a</think>\n```\nOk"),
    "minutes": ("Action: call Bob\nOwner: Ann", "Action: call Bob\nOwner: Ann"),
    "worksheet": ("Thought: I am late.\nFeeling: fear.", "Thought: I am late.\nFeeling: fear."),
    "code": ("```python\nprint({})\n```", "```python\nprint({})\n```"),
    "draft in reasoning": (f"<think>maybe <tool_call>{CALL}</tool_call></think>Shall I?", "Shall I?"),
    "reasoning in the middle": ("Well. <think>hm</think>Yes.", "Well. Yes."),
    "reasoning without its opening": (f"maybe {CALL}\n</think>\n\nShall I?", "Shall I?"),
    "bracketed reasoning": ("[THINK]hm[/THINK]Yes.", "Yes."),
    "Harmony": ("<|channel|>analysis<|message|>hm<|end|><|start|>assistant<|channel|>final<|message|>Yes.", "Yes."),
    "ReAct without action": ("Thought: easy\nFinal Answer: Yes.", "Yes."),
    "ReAct, no tool": ("Thought: easy\nAction: None (just answer)\nYes.", "Yes."),
    "ReAct, not applicable": ("Thought: easy\nAction: N/A\nFinal Answer: Yes.", "Yes."),
    "ReAct, finish": ("Thought: easy\nAction: finish\nAction Input: Yes.\nObservation: no", "Yes."),
    "ReAct, answer as action": ("Thought: easy\nAction: Final Answer\nAction Input: Yes.", "Yes."),
    "half a pair": ("a\ud800b", "a\ufffdb"),
    "struck-out text": ("<s>No</s>", "<s>No</s>"),
    "control tokens at the end": ("Yes.<|im_end|></s>", "Yes."),
}


@pytest.mark.parametrize(("content", "text"), ANSWERS.values(), ids=ANSWERS)
def test_an_answer_stays_an_answer(content: str, text: str) -> None:
    """Prose, JSON, code and talk about the formats are answers; thoughts are kept apart from them."""
    assert outcome(written(content)) == text


@pytest.mark.parametrize(
    ("content", "finish", "expected"),
    [
        ("", "length", {"silent_cut"}),
        ("<think>hm", "max_tokens", {"silent_cut"}),
        ("", "content_filter", ""),
        ("", "error", {"silent_stop"}),
        ("", "MALFORMED_FUNCTION_CALL", {"provider_malformed_call"}),
        ("Let me call it.", "malformed_tool_use", {"provider_malformed_call"}),
        ("", "tool_calls", {"lost_call"}),
        ("Let me call it.", "tool_calls", {"lost_call"}),
        ("The beds are", "length", "The beds are"),
    ],
)
def test_the_ending_explains_a_message_without_calls(content: str, finish: str, expected: object) -> None:
    """Silence and lost calls are explained by what the provider said."""
    assert outcome(written(content, finish)) == expected


def test_a_cut_answer_says_so() -> None:
    """An answer that was cut off is still an answer, but marked."""
    assert written("The beds are", "length") == Answer("The beds are", ending=Ending.CUT)


@pytest.mark.parametrize("finish", ["content_filter", "SAFETY", "guardrail_intervened", "contentFilter"])
def test_what_a_filter_stopped_is_an_answer_that_says_so(finish: str) -> None:
    """It is not asked for again, whether anything is left of it or not."""
    assert written("", finish) == Answer("", ending=Ending.FILTERED)
    assert written("The beds are", finish) == Answer("The beds are", ending=Ending.FILTERED)
    assert not written("The beds are", finish).complete  # type: ignore[union-attr]  # an answer, as the line above says


@pytest.mark.parametrize(
    ("content", "refusal", "finish", "text"),
    [
        ("", "I can't help with that.", "stop", "I can't help with that."),
        ("", "", "refusal", ""),
        ("I'd rather not.", "", "refusal", "I'd rather not."),
        ("Well.", "No.", "stop", "Well.\nNo."),
        (f"I'd <tool_call>{CALL}</tool_call>", "", "refusal", "I'd"),
    ],
)
def test_a_model_that_declines_has_answered(content: str, refusal: str, finish: str, text: str) -> None:
    """Its words are the answer; calls it had begun are not looked at."""
    output = ModelOutput(content, (RawCall("1", "book", "{}"),), finish, refusal=refusal)
    assert read(output, NameIndex(["book"])) == Answer(text, ending=Ending.REFUSED)


def test_separate_reasoning_is_no_source_of_calls() -> None:
    """A call in the reasoning that the provider delivers apart is asked for again."""
    assert outcome(written("", reasoning=f"I call <tool_call>{CALL}</tool_call>")) == {"call_in_reasoning"}
    assert outcome(written("Shall I?", reasoning=CALL)) == "Shall I?"


def test_too_long_a_message_is_not_searched() -> None:
    """A message of absurd length is refused as a whole."""
    assert outcome(written("x" * 2_000_001)) == {"too_large_message"}

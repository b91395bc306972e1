"""Calls in shapes of other frameworks are asked for again; texts that merely look like them are answers."""

from __future__ import annotations

import pytest

from reinforced_agent.policies.parsing import Answer
from tests.policies.parsing.bench import outcome, written
from tests.policies.parsing.test_leaked import CALL


UNREADABLE: dict[str, str] = {
    "Python list": '[water_plants(bed=1), send_postcard(text="it\'s (late)")]',
    "Python list, cut in half": "[list_beds(),\n water_plants(bed=1)]",
    "Python call": "water_plants(bed=1)",
    "Python call without arguments": "list_beds()",
    "Python call, positional": 'send_postcard("hi")',
    "Python calls on lines": "list_beds()\nwater_plants(bed=1)",
    "Gemini": '```tool_code\nprint(default_api.send_postcard(text="x"))\n```',
    "Gemini with a variable": "```tool_code\nresult = default_api.water_plants(bed=1)\nprint(result)\n```",
    "Python calls with commas": "water_plants(bed=1), water_plants(bed=2)",
    "Gemini without a fence": 'print(default_api.send_postcard(text="x"))',
    "Gemini, fenced as Python": "```python\nprint(default_api.water_plants(bed=1))\n```",
    "Python list in a fence": "```python\n[water_plants(bed=1)]\n```",
    "Anthropic": '{"type": "tool_use", "id": "t", "name": "water_plants", "input": {"bed": 1}}',
    "Anthropic, reversed": '{"input": {"bed": 1}, "name": "water_plants", "type": "tool_use"}',
    "LangChain": '{"action": "water_plants", "action_input": {"bed": 1}}',
    "LangChain with text": '{"action": "send_postcard", "action_input": "hi"}',
    "LangChain with a thought": '{"thought": "dry", "action": "water_plants", "action_input": {"bed": 1}}',
    "LangChain, labelled": 'Action:\n```json\n{"action": "water_plants", "action_input": {"bed": 1}}\n```',
    "LangChain after a thought": 'Thought: dry\nAction:\n```\n{"action": "list_beds", "action_input": {}}\n```\nObserv',
    "LangChain on the line": 'Thought: dry\nAction: {"action": "list_beds", "action_input": {}}',
    "Cohere": 'Action: ```json\n[\n {"tool_name": "water_plants", "parameters": {"bed": 1}}\n]\n```',
    "Cohere after a plan": 'Plan: I look.\nAction:```json\n[{"tool_name": "list_beds", "parameters": {}}]\n```',
    "name and text": '{"name": "send_postcard", "input": "hi"}',
    "tool and args": '{"tool": "water_plants", "args": {"bed": 1}}',
    "function and arguments": '{"function": "water_plants", "arguments": {"bed": 1}}',
    "function call": f'{{"content": null, "function_call": {CALL}}}',
    "message with text": f'{{"content": "now", "tool_calls": [{{"function": {CALL}}}]}}',
    "fenced": '```json\n{"tool": "water_plants", "tool_input": {"bed": 1}}\n```',
    "several": '{"tool": "list_beds", "args": {}}\n{"tool": "list_beds", "args": {}}',
    "Python dict": "{'name': 'water_plants', 'arguments': {'bed': True}}",
    "Python dict in a fence": "```python\n{'name': 'water_plants', 'arguments': {'bed': 1}}\n```",
    "Python dicts": "[{'name': 'water_plants', 'arguments': {'bed': 1}}]",
    "ReAct with brackets": 'Thought: dry\nAction: water_plants(bed="1")',
    "ReAct with square brackets": "Action: water_plants[1]",
    "ReAct with brackets and an input": 'Thought: dry\nAction: water_plants(bed="1")\nAction Input: none',
    "ReAct in lower case": 'thought: dry\naction: water_plants\naction input: {"bed": 1}',
    "ReAct, alone": "Action: list_beds",
    "ReAct, wide colon": "Thought\uff1adry\nAction\uff1alist_beds[]",
}

TRUNCATED: dict[str, str] = {
    "in the key": '{"name": "water_plants", "argu',
    "in the key of an input": '{"type": "tool_use", "name": "water_plants", "inp',
    "behind the name": '{"name": "water_plants"',
    "behind the comma": '[{"name": "water_plants", ',
    "behind the key": '{"name": "water_plants", "arguments"',
    "in other arguments": '{"tool": "send_postcard", "input": {"text": "he',
    "in a fence": '```json\n{"name": "water_plants", "argu',
    "in an envelope": '{"type": "function", "function": {"name": "water_plants", "ar',
    "in the name of an action": "Thought: x\nAction: water_p",
    "before the name of an action": "Thought: x\nAction:",
    "in the label of an input": "Action: water_plants\nAction In",
    "in a Python call": '[send_postcard(text="he',
    "in a Python list": "[water_plants(bed=1), ",
    "in a Python fence": "water_plants(bed=",
}

ANSWERS: dict[str, str] = {
    "registered name as data": '{"name": "water_plants", "version": "1.2"}',
    "cut data": '{"name": "water_plants", "version": "1.',
    "cut data of another": '{"name": "Ann", "argu',
    "unregistered": '{"tool": "zap", "args": {}}',
    "unregistered Python": "[zap(a=1)]",
    "unregistered Python dict": "{'name': 'zap', 'arguments': {}}",
    "Python data": "{'name': 'water_plants', 'version': 1}",
    "text as a field of data": '{"name": "water_plants", "input": "a bed", "output": "none"}',
    "number as input": '{"name": "water_plants", "input": 3}',
    "description of a tool": (
        '{"name": "water_plants", "parameters": {"type": "object", "properties": {"bed": {"type": "integer"}}}}'
    ),
    "description of a tool, wrapped": (
        '[{"type": "function", "function": {"name": "water_plants", '
        '"parameters": {"type": "object", "properties": {}}}}]'
    ),
    "description with arguments": '{"name": "water_plants", "description": "…", "parameters": {"bed": "integer"}}',
    "data and prose": '{"tool": "water_plants", "args": {}} is how LangChain writes it.',
    "code in prose": "Call `water_plants(bed=1)` or\n```\nwater_plants(bed=1)\n```\nto water.",
    "code": "```python\nprint(water_plants(bed=1))\n```",
    "several lines of code": "```\nimport garden\nwater_plants(bed=1)\n```",
    "a signature": "water_plants(bed: int)",
    "a name with a variable": "water_plants(bed)",
    "an enumeration": "list_beds()\nbook_table()",
    "an enumeration with commas": "list_beds(), book_table()",
    "code of another tool": "```tool_code\nzap(1)\n```",
    "begins with two tags": "<tool_call>, <tool_response> are tags of Hermes.",
    "an explanation": "list_beds() returns all beds.",
    "an explanation of a call": "water_plants(bed=1) waters the first bed; it's quick.",
    "a link": "[list_beds()](https://example.org)",
    "minutes with brackets": "Minutes\nAction: water_plants (Bob)",
    "an action of people": "Action: water the plants (Bob)",
    "begins with a tag": "<tool_call> is the tag that Hermes models use.",
    "begins with a tag, two": "<tool_call> and </tool_call> are the tags of Hermes.",
    "begins with a tag, Chinese": "<tool_call> 标签用于调用工具。",
    "begins with a tag, glued": "<tool_call>标签用于调用工具。",
    "begins with a tag and an example": "<tool_call> holds JSON, as in `<tool_call>{}</tool_call>`.",
    "begins with a function": "<function=name> is how Llama writes it.",
    "begins with Mistral's token": "[TOOL_CALLS] is Mistral's control token.",
    "begins with the Python tag": "<|python_tag|> marks code in Llama 3.",
    "begins with Kimi's token": "<|tool_calls_section_begin|> opens a section.",
    "mentions the Python tag": "The <|python_tag|> marks code in Llama 3.",
    "inline code": f"Models write `{CALL}` for that.",
}

SPOKEN: dict[str, tuple[str, str]] = {
    "an action in the answer": (
        "Thought: ok\nFinal Answer: So:\nAction: press the button",
        "So:\nAction: press the button",
    ),
    "a tool in the answer": ("Thought: ok\nFinal Answer: Use\nAction: list_beds", "Use\nAction: list_beds"),
    "dash": ("Thought: ok\nAction: -\nAction Input: None\nFinal Answer: Yes.", "Yes."),
    "dash and prose": ("Thought: ok\nAction: -\nAction Input: None\nYes.", "Yes."),
    "prose before": ("The beds are dry.\nAction: -\nAction Input: None", "The beds are dry."),
    "respond": ("Thought: ok\nAction: Respond directly\nAction Input: Yes.", "Yes."),
    "respond to the user": ("Thought: ok\nAction: respond to user\nAction Input: None\nFinal Answer: Yes.", "Yes."),
    "Chinese": ("Thought: ok\nAction: 无\nAction Input: 无\nFinal Answer: 是。", "是。"),
    "lower case": ("thought: ok\nfinal answer: Yes.", "Yes."),
    "Kimi thinks": ("\u25c1think\u25b7hm\u25c1/think\u25b7Yes.", "Yes."),
    "OpenThinker": ("<|begin_of_thought|>hm<|end_of_thought|>\nYes.", "Yes."),
    "reflection": ("<reflection>hm</reflection>Yes.", "Yes."),
    "scratchpad": ("<scratchpad>\nhm\n</scratchpad>\n\nYes.", "Yes."),
    "analysis with a draft": (f"<analysis>{CALL}</analysis>Shall I?", "Shall I?"),
    "space in the tag": ("<think >hm</think >Yes.", "Yes."),
    "analysis as the answer": ("<analysis>Dry.</analysis>", "<analysis>Dry.</analysis>"),
    "analysis in an answer": ("<r><analysis>Dry.</analysis></r>", "<r><analysis>Dry.</analysis></r>"),
    "end of an analysis": ("<analysis id='1'>Dry.</analysis> Ok", "<analysis id='1'>Dry.</analysis> Ok"),
}


@pytest.mark.parametrize("content", UNREADABLE.values(), ids=UNREADABLE)
def test_a_call_in_a_shape_nobody_agreed_on_is_asked_for_again(content: str) -> None:
    """A text that can only be meant as a call is neither executed nor shown."""
    assert outcome(written(content)) == {"leaked_unreadable"}


@pytest.mark.parametrize("content", TRUNCATED.values(), ids=TRUNCATED)
def test_a_call_that_was_cut_off_is_asked_for_again(content: str) -> None:
    """The beginning of a call is no answer, and the model learns the true cause."""
    assert outcome(written(content)) == {"cut_off_text"}
    assert outcome(written(content, "length")) == {"cut_off_limit"}


@pytest.mark.parametrize("content", ANSWERS.values(), ids=ANSWERS)
def test_what_only_looks_like_a_call_is_an_answer(content: str) -> None:
    """Data, code, descriptions and texts about formats arrive as they are."""
    assert written(content) == Answer(content)


@pytest.mark.parametrize(("content", "text"), SPOKEN.values(), ids=SPOKEN)
def test_the_answer_is_found_among_the_steps(content: str, text: str) -> None:
    """What follows the thoughts is said, whatever the labels and tags around it."""
    assert outcome(written(content)) == text


@pytest.mark.parametrize(
    "content",
    [
        "<tool_call> water_plants bed 1",
        "<tool_call>water_plants",
        "<tool_call> bed = 1",
        "<function=list_beds>",
        "<tool_call> water the bed </tool_call>",
        "<tool_call>\nI water",
    ],
)
def test_a_tag_without_a_sentence_is_no_mention(content: str) -> None:
    """Markup that goes on as something else than prose is asked for again."""
    assert outcome(written(content)) == {"leaked_unreadable"}


def test_a_message_of_inline_code_only_is_a_call() -> None:
    """Inline code mentions a call only where there is a text that does so."""
    assert outcome(written(f"`{CALL}`")) == {"leaked_beside_text"}


def test_tool_calls_with_a_dash_beside_prose_is_a_lost_call() -> None:
    """The finish reason means the same in every spelling."""
    assert outcome(written("Let me call it.", "tool-calls")) == {"lost_call"}

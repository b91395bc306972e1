"""Calls that leaked into the text: taken only where the whole text is calls, asked for again where it holds one."""

from __future__ import annotations

import pytest

from reinforced_agent.policies.parsing import Calls, ReadCall
from tests.policies.parsing.bench import native, outcome, written


CALL = '{"name": "water_plants", "arguments": {"bed": 1}}'
CUT = CALL[:-4]
WATER = ("water_plants", {"bed": 1})
TEXT = ("water_plants", {"bed": "1"})
ANALYSIS = "<|channel|>analysis<|message|>Water.<|end|>"
KIMI = "<|tool_calls_section_begin|><|tool_call_begin|>functions.water_plants:0<|tool_call_argument_begin|>"
BAR = "\uff5c"


def dsml(bar: str) -> str:
    """Write a call in DeepSeek's markup with bars of some kind."""
    tag = f"{bar}DSML{bar}"
    return (
        f'<{tag}tool_calls>\n<{tag}invoke name="water_plants">\n'
        f'<{tag}parameter name="bed" string="false">1</{tag}parameter>\n'
        f'<{tag}parameter name="note" string="true">1</{tag}parameter>\n'
        f"</{tag}invoke>\n</{tag}tool_calls>"
    )


TAKEN: dict[str, tuple[str, object]] = {
    "bare": (CALL, [WATER]),
    "bare with parameters": ('{"parameters": {"bed": 1}, "name": "water_plants"}', [WATER]),
    "bare with a type": ('{"type": "function", "name": "water_plants", "parameters": {"bed": 1}}', [WATER]),
    "envelope": (
        '{"id": "c", "type": "function", "function": {"name": "water_plants", "arguments": "{\\"bed\\": 1}"}}',
        [WATER],
    ),
    "message": (f'{{"tool_calls": [{CALL}]}}', [WATER]),
    "list": (f"[{CALL}, {CALL}]", [WATER, WATER]),
    "semicolons": (f"{CALL}; {CALL}", [WATER, WATER]),
    "fenced": (f"```json\n{CALL}\n```", [WATER]),
    "python tag": (f"<|python_tag|>{CALL}<|eom_id|>", [WATER]),
    "tag": (f"<tool_call>\n{CALL}\n</tool_call>", [WATER]),
    "tags": (f"<tool_call>{CALL}</tool_call>\n<tool_call>{CALL}</tool_call><|im_end|>", [WATER, WATER]),
    "closing tag in a string": (
        '<tool_call>{"name": "send_postcard", "arguments": {"text": "</tool_call>"}}</tool_call>',
        [("send_postcard", {"text": "</tool_call>"})],
    ),
    "raw line break": (
        '<tool_call>{"name": "send_postcard", "arguments": {"text": "a\nb"}}</tool_call>',
        [("send_postcard", {"text": "a\nb"})],
    ),
    "bar tag": (f"<|tool_call|>[{CALL}]<|/tool_call|>", [WATER]),
    "function with JSON": ('<function=water_plants>{"bed": 1}</function>', [WATER]),
    "function with parameters": (
        "<tool_call>\n<function=water_plants>\n<parameter=bed>\n1\n</parameter>\n</function>\n</tool_call>",
        [TEXT],
    ),
    "value of several lines": (
        "<function=send_postcard><parameter=text>\n a\n\n<b>\n</parameter></function>",
        [("send_postcard", {"text": " a\n\n<b>"})],
    ),
    "function without parameters": ("<function=list_beds></function>", [("list_beds", {})]),
    "Mistral": (f"[TOOL_CALLS][{CALL}]</s>", [WATER]),
    "Mistral by name": (
        '[TOOL_CALLS]water_plants[ARGS]{"bed": 1}[TOOL_CALLS]list_beds{}',
        [WATER, ("list_beds", {})],
    ),
    "DSML": (dsml(BAR), [("water_plants", {"bed": 1, "note": "1"})]),
    "DSML, ASCII bars": (dsml("|"), [("water_plants", {"bed": 1, "note": "1"})]),
    "DSML, doubled bars": (dsml(BAR * 2), [("water_plants", {"bed": 1, "note": "1"})]),
    "plain XML": (
        '<function_calls><invoke name="water_plants"><parameter name="bed">1</parameter></invoke></function_calls>',
        [TEXT],
    ),
    "Harmony": (
        ANALYSIS
        + '<|start|>assistant<|channel|>commentary to=functions.water_plants json<|message|>{"bed": 1}<|call|>',
        [WATER],
    ),
    "Harmony, recipient in the role": (
        '<|start|>assistant to=functions.water_plants<|channel|>commentary json<|message|>{"bed": 1}<|call|>',
        [WATER],
    ),
    "Harmony with a constraint": (
        '<|channel|>commentary to=functions.water_plants <|constrain|>json<|message|>{"bed": 1}<|call|>',
        [WATER],
    ),
    "Kimi": (
        KIMI + '{"bed": 1}<|tool_call_end|><|tool_calls_section_end|>',
        [WATER],
    ),
    "ReAct": ('Thought: dry\nAction: water_plants\nAction Input: {"bed": 1}', [WATER]),
    "ReAct, bold and quoted": ('**Action:** `water_plants`\n**Action Input:** {"bed": 1}', [WATER]),
    "ReAct with a rest of the stop word": ('Action: water_plants\nAction Input: {"bed": 1}\nObserv', [WATER]),
    "after reasoning": (f"<think>dry</think>\n<tool_call>{CALL}</tool_call>", [WATER]),
    "after reasoning that lost its opening": (f"dry, <tool_call>\n</think>\n\n{CALL}", [WATER]),
    "reasoning tag in a string": (
        '{"name": "send_postcard", "arguments": {"text": "<think>a</think>"}}',
        [("send_postcard", {"text": "<think>a</think>"})],
    ),
}

AGAIN: dict[str, tuple[str, set[str]]] = {
    "prose before": (f"I will water it. <tool_call>{CALL}</tool_call>", {"leaked_beside_text"}),
    "prose behind": (f"<tool_call>{CALL}</tool_call> Done!", {"leaked_beside_text"}),
    "prose before JSON": (f"Sure: {CALL}", {"leaked_beside_text"}),
    "prose before a fence": (f"Sure:\n```json\n{CALL}\n```", {"leaked_beside_text"}),
    "prose behind JSON": (f"{CALL} Done!", {"leaked_beside_text"}),
    "parameters beside the arguments": (f'{CALL[:-1]}, "note": "a"}}', {"leaked_beside_arguments"}),
    "parameters beside, in a tag": (
        '<tool_call>{"name": "water_plants", "arguments": {}, "bed": 1}</tool_call>',
        {"leaked_beside_arguments"},
    ),
    "cut JSON": (CUT, {"cut_off_text"}),
    "cut in a tag": (f"<tool_call>{CUT}", {"cut_off_text"}),
    "cut before the closing tag": (f"<tool_call>{CALL}", {"leaked_unreadable"}),
    "cut function": ("<function=water_plants><parameter=bed>1", {"leaked_unreadable"}),
    "malformed in a tag": ('<tool_call>{"name": water_plants}</tool_call>', {"leaked_unreadable"}),
    "doubled key": (f'<tool_call>{CALL[:-2]}, "bed": 2}}}}</tool_call>', {"duplicate_key"}),
    "doubled parameter": (
        "<function=water_plants><parameter=bed>1</parameter><parameter=bed>2</parameter></function>",
        {"leaked_unreadable"},
    ),
    "parameter that quotes the format": (
        "<function=water_plants><parameter=bed>1<parameter=x>2</parameter></function>",
        {"leaked_unreadable"},
    ),
    "unregistered": (CALL.replace("water", "burn").join(["<tool_call>", "</tool_call>"]), {"leaked_unknown_tool_near"}),
    "one of two unregistered": (f"[{CALL}, {CALL.replace('water', 'burn')}]", {"leaked_unknown_tool_near"}),
    "no arguments": ('<tool_call>{"name": "list_beds"}</tool_call>', {"leaked_unreadable"}),
    "no arguments, bare": ('{"name": "list_beds"}', {"leaked_unreadable"}),
    "Python call": ("<|python_tag|>water_plants.call(bed=1)", {"leaked_beside_text"}),
    "DSML without its end": (dsml(BAR)[:-10], {"leaked_unreadable"}),
    "DSML in prose": ("Now: " + dsml(BAR), {"leaked_beside_text"}),
    "DeepSeek V3": (f"<{BAR}tool▁calls▁begin{BAR}><{BAR}tool▁call▁begin{BAR}>x", {"leaked_beside_text"}),
    "GLM": ("<tool_call>water_plants\n<arg_key>bed</arg_key>", {"leaked_unreadable"}),
    "Harmony with an answer": (
        "<|channel|>commentary to=functions.list_beds<|message|>{}<|call|><|channel|>final<|message|>Done",
        {"leaked_beside_text"},
    ),
    "Harmony without its tokens": ("assistantcommentary to=functions.list_beds json{}", {"leaked_beside_text"}),
    "Harmony, only thought": ("<|channel|>analysis to=functions.list_beds<|message|>{}<|call|>", {"silent"}),
    "ReAct with an invented observation": (
        'Thought: dry\nAction: water_plants\nAction Input: {"bed": 1}\nObservation: wet\nFinal Answer: Wet.',
        {"invented_observation"},
    ),
    "ReAct with an answer": (
        'Thought: dry\nAction: water_plants\nAction Input: {"bed": 1}\nFinal Answer: Wet.',
        {"leaked_beside_text"},
    ),
    "ReAct, unregistered": ("Thought: dry\nAction: zap\nAction Input: {}", {"leaked_unknown_tool"}),
    "ReAct, input is prose": ("Thought: dry\nAction: water_plants\nAction Input: bed 1", {"leaked_unreadable"}),
    "ReAct after prose": ('Well.\nAction: water_plants\nAction Input: {"bed": 1}', {"leaked_beside_text"}),
    "ReAct without input": ("Thought: dry\nAction: list_beds", {"leaked_unreadable"}),
    "list and prose": (f"[{CALL}] Done!", {"leaked_beside_text"}),
    "tag around no call": ("<tool_call>[1]</tool_call>", {"leaked_unreadable"}),
    "two ways to give arguments": (
        '<tool_call>{"name": "list_beds", "arguments": {}, "parameters": {}}</tool_call>',
        {"leaked_unreadable"},
    ),
    "arguments of another type": (
        '<tool_call>{"name": "list_beds", "arguments": [1]}</tool_call>',
        {"leaked_unreadable"},
    ),
    "cut arguments as text": ('{"name": "list_beds", "arguments": "{\\"a\\": "}', {"cut_off_text"}),
    "Mistral without a call": ("[TOOL_CALLS] [1]", {"leaked_unreadable"}),
    "Mistral, cut": ('[TOOL_CALLS]list_beds[ARGS]{"a": ', {"cut_off_text"}),
    "Mistral, other arguments": ("[TOOL_CALLS]list_beds[ARGS][1]", {"leaked_unreadable"}),
    "function without its end": ('<function=list_beds>{"a": 1}', {"leaked_unreadable"}),
    "function without a name": ("<function=>{}</function>", {"leaked_unreadable"}),
    "function with a fault": ('<function=list_beds>{"a": NaN}</function>', {"not_finite_number"}),
    "XML with prose behind": ('<invoke name="list_beds"></invoke> Done!', {"leaked_beside_text"}),
    "XML with a doubled parameter": (
        '<invoke name="a"><parameter name="b">1</parameter><parameter name="b">2</parameter></invoke>',
        {"leaked_unreadable"},
    ),
    "XML with nested tags": (
        '<invoke name="a"><parameter name="b"><invoke name="c"></parameter></invoke>',
        {"leaked_unreadable"},
    ),
    "XML without its end": ('<invoke name="list_beds">', {"leaked_unreadable"}),
    "XML with broken JSON": (
        '<invoke name="a"><parameter name="b" string="false">x y</parameter></invoke>',
        {"leaked_unreadable"},
    ),
    "XML with a fault": (
        '<invoke name="a"><parameter name="b" string="false">NaN</parameter></invoke>',
        {"not_finite_number"},
    ),
    "Harmony, cut": ('<|channel|>commentary to=functions.list_beds<|message|>{"a": ', {"cut_off_text"}),
    "Harmony with text behind": (
        "<|channel|>commentary to=functions.list_beds<|message|>{}<|call|> Done!",
        {"leaked_beside_text"},
    ),
    "Kimi without its end": (KIMI + '{"bed": 1}', {"leaked_unreadable"}),
    "Kimi, cut": (KIMI + '{"bed": ', {"cut_off_text"}),
    "Kimi without a call": ("<|tool_calls_section_begin|><|tool_calls_section_end|>", {"leaked_unreadable"}),
    "only in reasoning": (f"<think>I call <tool_call>{CALL}</tool_call></think>", {"call_in_reasoning"}),
    "only in open reasoning": (f"<think>I call {CALL}", {"call_in_reasoning"}),
    "only reasoning": ("<think>hm</think>", {"silent"}),
    "nothing": ("", {"silent"}),
    "nothing to see": (" \u200b\n", {"silent"}),
}


@pytest.mark.parametrize(("content", "expected"), TAKEN.values(), ids=TAKEN)
def test_a_text_that_is_calls_and_nothing_else_is_taken(content: str, expected: object) -> None:
    """Each format is read with the types it knows."""
    reading = written(content)
    assert outcome(reading) == expected
    assert isinstance(reading, Calls)
    assert all(isinstance(call, ReadCall) and call.origin == "text" for call in reading.calls)
    assert len({call.id for call in reading.calls}) == len(reading.calls)


@pytest.mark.parametrize(("content", "codes"), AGAIN.values(), ids=AGAIN)
def test_a_text_that_holds_a_call_is_asked_for_again(content: str, codes: set[str]) -> None:
    """Markup that is broken, beside other text or only thought is neither executed nor shown as an answer."""
    assert outcome(written(content)) == codes


@pytest.mark.parametrize("content", [content for content, _ in TAKEN.values()], ids=TAKEN)
def test_native_calls_win_over_text(content: str) -> None:
    """Beside a native call, the same markup in the text is neither executed nor shown."""
    reading = native('{"guests": 2}', content=content)
    assert outcome(reading) == [("book_table", {"guests": 2})]
    assert isinstance(reading, Calls)
    assert reading.text == ""


def test_prose_beside_native_calls_is_kept() -> None:
    """What is said beside a call stays, thoughts and markup don't."""
    reading = native("{}", content=f"<think>hm</think>I book it.\n<tool_call>{CALL}</tool_call>")
    assert isinstance(reading, Calls)
    assert reading.text == "I book it."


@pytest.mark.parametrize("content", [content for content, _ in TAKEN.values()], ids=TAKEN)
def test_a_cut_message_gives_no_call(content: str) -> None:
    """At the output limit, calls in the text are refused for that reason."""
    assert outcome(written(content, "length")) == {"cut_off_limit"}

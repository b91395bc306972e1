"""The time of reading grows with the length of a text and no faster, however hostile the text."""

from __future__ import annotations

from time import perf_counter

import pytest

from reinforced_agent.policies.parsing import ModelOutput, read
from reinforced_agent.tools.call import RawCall
from tests.policies.parsing.bench import NAMES


UNITS = [
    '"', "'", '\\"', "\\'", "\\", "\\n", "\\u", "{", "}", "[", "```", "`", "\n", " ", " \u200b", ",", ", ", "<", "**",
    "<think>", "</think>", "<think></think>", "<tool_call>", "<tool_call>{", "<function=a>",
    "<parameter=b>x</parameter>",
    "[TOOL_CALLS]", "[TOOL_CALLS]a{}", '<|DSML|invoke name="a">', "<|channel|>", "<|channel|>final<|message|>",
    "<|tool_call_begin|>", "Thought: ", "Action: x\n", "Action: list_beds\nAction Input: ", "<|im_end|>", "True ",
    "list_beds(", "list_beds()", "list_beds(a='", "print(", "Action: list_beds(", "action: -\n", "Final Answer: x\n",
    "<analysis>", "<analysis></analysis>", "\u25c1think\u25b7", "<think ", "{'name': ", '"type":"a",',
    '{"name":"list_beds","input":', "<tool_call> is ",
    '{"name": "', '{"name": "x", "arguments": ', '{"name":"list_beds","arguments":{"a":"\n"}}', "```\nx\n", '{"a":1}',
]  # fmt: skip
STARTS = ["", '{"a": "', "{'a': '", '{"a": ', "<tool_call>", "Thought: a\nAction: list_beds\nAction Input: {", '"name"']
SMALL, FACTOR = 8_000, 8
SLOWDOWN = 4 * FACTOR
"""Half of what quadratic growth would give, and far above the noise of a busy machine."""


def seconds(text: str) -> float:
    """Return the shortest of three times to read a text as arguments, as content and as reasoning."""
    messages = [
        ModelOutput("", (RawCall("a", "list_beds", text),)),
        ModelOutput(text),
        ModelOutput(text, (RawCall("a", "list_beds", "{}"),)),
        ModelOutput("", reasoning=text),
    ]
    times = []
    for _ in range(3):
        start = perf_counter()
        for message in messages:
            read(message, NAMES)
        times.append(perf_counter() - start)
    return min(times)


@pytest.mark.parametrize("unit", UNITS, ids=repr)
def test_reading_is_linear(unit: str) -> None:
    """Eight times the text takes far less than eight times eight times as long."""
    small = sum(seconds(start + unit * (SMALL // len(unit))) for start in STARTS)
    large = sum(seconds(start + unit * (SMALL * FACTOR // len(unit))) for start in STARTS)
    assert large < SLOWDOWN * small

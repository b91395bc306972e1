"""Replies in the two text protocols: what is a call, what is an answer, and what is dropped."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reinforced_agent.models.text.envelope_form import EnvelopeForm
from reinforced_agent.models.text.json_form import JsonForm
from reinforced_agent.models.text.react_form import ReactForm
from reinforced_agent.models.text.reply import Reply, WrittenCall, end_of_value


GO = WrittenCall("go", '{"n": 1}')
STAY = WrittenCall("stay", "{}")
GO_JSON = '{"name": "go", "arguments": {"n": 1}}'
GO_STEP = 'Action: go\nAction Input: {"n": 1}'


@pytest.mark.parametrize(
    ("text", "reply"),
    [
        pytest.param(GO_JSON, Reply("", calls=(GO,)), id="bare"),
        pytest.param(f"\n```json\n{GO_JSON}\n```\n", Reply("", calls=(GO,)), id="fenced"),
        pytest.param(GO_JSON.replace("arguments", "parameters"), Reply("", calls=(GO,)), id="llama"),
        pytest.param(
            f'{GO_JSON}\n{{"name": "stay", "arguments": {{}}}}', Reply("", calls=(GO, STAY)), id="two-in-a-row"
        ),
        pytest.param(
            f'[{GO_JSON}, {{"name": "stay", "arguments": {{}}}}]', Reply("", calls=(GO, STAY)), id="two-in-a-list"
        ),
        pytest.param(f"<think>perhaps {GO_JSON}</think>Hello.", Reply("Hello.", f"perhaps {GO_JSON}"), id="draft"),
        pytest.param(f"<think>so</think>\n{GO_JSON}", Reply("", "so", (GO,)), id="thought-before"),
        pytest.param(f"Sure! {GO_JSON}", Reply(f"Sure! {GO_JSON}"), id="chatter-before"),
        pytest.param(f"{GO_JSON} Done!", Reply(f"{GO_JSON} Done!"), id="chatter-after"),
        pytest.param(
            f"{GO_JSON}\nTOOL RESULT (go):\n25", Reply("", calls=(GO,), dropped="TOOL RESULT (go):\n25"), id="invented"
        ),
        pytest.param("TOOL RESULT (go): 25", Reply("", dropped="TOOL RESULT (go): 25"), id="only-invented"),
        pytest.param(GO_JSON[:-1], Reply(GO_JSON[:-1]), id="cut-off"),
        pytest.param(
            '{"name": "go", "arguments": {"n": 1, "n": NaN}}',
            Reply("", calls=(WrittenCall("go", '{"n": 1, "n": NaN}'),)),
            id="doubled-key-kept",
        ),
        pytest.param(
            '{"name": "go", "arguments": {\'n\': 1}}',
            Reply("", calls=(WrittenCall("go", "{'n': 1}"),)),
            id="no-json-kept",
        ),
        pytest.param('{"name": "Ann", "age": 30}', Reply('{"name": "Ann", "age": 30}'), id="data"),
        pytest.param("你好。", Reply("你好。"), id="answer"),
    ],
)
def test_json_replies(text: str, reply: Reply) -> None:
    """Only a reply that is nothing but calls becomes calls, with their text untouched."""
    assert JsonForm().read(text) == reply


@pytest.mark.parametrize(
    ("text", "reply"),
    [
        pytest.param('{"answer": "Hello."}', Reply("Hello."), id="answer"),
        pytest.param('```json\n{ "answer" : "A \\"b\\"\\n\\u00e9" }\n```', Reply('A "b"\né'), id="fenced"),
        pytest.param('<think>so</think>{"answer": "Hello."}', Reply("Hello.", "so"), id="thought-before"),
        pytest.param('{"answer": "Hello.", "sure": true}', Reply("Hello."), id="more-fields"),
        pytest.param('{"answer": "Hello."} Bye.', Reply("Hello.\nBye."), id="chatter-after"),
        pytest.param('{"answer": "Hel', Reply("Hel"), id="cut-off"),
        pytest.param('{"answer": "Hel\\u00', Reply("Hel"), id="cut-off-in-a-sign"),
        pytest.param('Sure: {"answer": "Hello."}', Reply("Sure:\nHello."), id="chatter-before"),
        pytest.param('{"answer": 42}', Reply("42"), id="number"),
        pytest.param('{"answer": null}', Reply(""), id="nothing"),
        pytest.param('{"answer": ["a", 1]}', Reply('["a", 1]'), id="data"),
        pytest.param('{"ans', Reply(""), id="cut-off-before-it"),
        pytest.param(
            f'{GO_JSON}\n{{"answer": "25"}}', Reply(f'{GO_JSON}\n{{"answer": "25"}}'), id="a-call-and-its-answer"
        ),
        pytest.param("Hello.", Reply("Hello."), id="words"),
        pytest.param(GO_JSON, Reply("", calls=(GO,)), id="call"),
    ],
)
def test_enveloped_replies(text: str, reply: Reply) -> None:
    """The text of an answer is taken out of its object; all else is as with the `json` protocol."""
    assert EnvelopeForm().read(text) == reply


@pytest.mark.parametrize(
    ("text", "reply"),
    [
        pytest.param(f"Thought: I go.\n{GO_STEP}", Reply("", "I go.", (GO,)), id="step"),
        pytest.param(GO_STEP, Reply("", calls=(GO,)), id="without-thought"),
        pytest.param(
            f"{GO_STEP}\nObservation: 25\nFinal Answer: 25",
            Reply("", calls=(GO,), dropped="Observation: 25\nFinal Answer: 25"),
            id="invented",
        ),
        pytest.param(f"{GO_STEP}\nFinal Answer: 25", Reply("", calls=(GO,), dropped="Final Answer: 25"), id="ahead"),
        pytest.param(
            f"{GO_STEP}\nThought: now\nAction: stay\nAction Input: {{}}",
            Reply("", calls=(GO,), dropped="Thought: now\nAction: stay\nAction Input: {}"),
            id="next-step-ahead",
        ),
        pytest.param(f"{GO_STEP}\nAction: stay\nAction Input: {{}}", Reply("", calls=(GO, STAY)), id="two-at-once"),
        pytest.param(f"{GO_STEP}\nObserv", Reply("", calls=(GO,)), id="rest-of-the-stop-word"),
        pytest.param(
            'Action: go\nAction Input:\n```json\n{"n": 1}\n```',
            Reply("", calls=(WrittenCall("go", '```json\n{"n": 1}\n```'),)),
            id="fenced",
        ),
        pytest.param(
            'Thought：去\nAction：go\nAction Input：{"n": 1}\nObservation：晴',
            Reply("", "去", (GO,), "Observation：晴"),
            id="chinese-colons",
        ),
        pytest.param(
            '**Thought:** I go.\n**Action:** `go`\n**Action Input:** {"n": 1}', Reply("", "I go.", (GO,)), id="bold"
        ),
        pytest.param("Thought: I know.\nFinal Answer: Yes.\nReally.", Reply("Yes.\nReally.", "I know."), id="answer"),
        pytest.param("Thought: I wonder.", Reply("", "I wonder."), id="thought-alone"),
        pytest.param("Good morning.", Reply("Good morning."), id="plain"),
        pytest.param(f"Thought: x\n{GO_STEP} ok?", Reply(f"Thought: x\n{GO_STEP} ok?"), id="chatter-after"),
        pytest.param(f"So:\n{GO_STEP}", Reply(f"So:\n{GO_STEP}"), id="chatter-before"),
        pytest.param("Thought: x\nAction: None\nHi!", Reply("Thought: x\nAction: None\nHi!"), id="no-tool"),
        pytest.param('Action: go\nAction Input: {"n": ', Reply("", calls=(WrittenCall("go", '{"n":'),)), id="cut-off"),
        pytest.param(
            'Action: go\nAction Input: {"t": "x\nAction: stay\nAction Input: {}\nThought: "}',
            Reply("", calls=(WrittenCall("go", '{"t": "x\nAction: stay\nAction Input: {}\nThought: "}'),)),
            id="step-inside-a-string",
        ),
        pytest.param(
            'Action: go\nAction Input: {"t": "x\nAction: stay\nAction Input: {}',
            Reply("", calls=(WrittenCall("go", '{"t": "x\nAction: stay\nAction Input: {}'),)),
            id="step-inside-a-broken-string",
        ),
    ],
)
def test_react_replies(text: str, reply: Reply) -> None:
    """The first step decides; what stands in place of a result, or runs ahead of it, is dropped."""
    assert ReactForm().read(text) == reply


@pytest.mark.parametrize("form", [JsonForm(), ReactForm()], ids=["json", "react"])
def test_written_calls_are_read_back(form: JsonForm | ReactForm) -> None:
    """A form reads what it writes, whatever stands in the arguments."""
    call = WrittenCall("go", '{"t": "```\\nObservation: \\"ja\\" {[TOOL RESULT"}')
    assert form.read(form.call(call)).calls == (call,)


@pytest.mark.parametrize("form", [JsonForm(), ReactForm()], ids=["json", "react"])
def test_a_result_cannot_close_its_fence(form: JsonForm | ReactForm) -> None:
    """Text with fences of its own stands between longer ones."""
    assert "\n````\na\n```\nb\n````" in form.result("go", "a\n```\nb")


PIECES = ["Thought: ", "Action: ", "Action Input: ", "Observation: ", "Final Answer: ", "TOOL RESULT", '"', "`", "```"]
PIECES += [
    '{"name": "go", "arguments": ',
    "{",
    "}",
    "[",
    "]",
    "\n",
    "go",
    "1",
    ",",
    "<think>",
    "</think>",
    "去",
    "\ud800",
]


@given(st.lists(st.sampled_from(PIECES), max_size=25).map("".join))
def test_any_reply_is_taken_apart(text: str) -> None:
    """No text raises, and every call is a piece of the text."""
    for reply in (JsonForm().read(text), ReactForm().read(text)):
        assert all(call.arguments in text and call.name in text for call in reply.calls)
        assert not (reply.calls and reply.said)


@pytest.mark.parametrize("text", ["[" * 100_000, "1" * 5_000, '"a'], ids=["deep", "long-number", "open"])
def test_extreme_values_are_no_error(text: str) -> None:
    """Depth and length of a value raise nothing."""
    assert end_of_value(text, 0) in (None, len(text))

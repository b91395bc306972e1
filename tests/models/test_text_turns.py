"""What a model without tools is shown of a chat with tools."""

from __future__ import annotations

from typing import Any

import pytest
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage, ToolMessage
from langchain_core.messages.tool import tool_call

from reinforced_agent.models.scripted import ScriptedModel
from reinforced_agent.models.text import TextToolModel
from reinforced_agent.models.text.json_form import JsonForm
from reinforced_agent.models.text.prompt import NOBODYS_TOOL, OF_ALL_TOOLS
from reinforced_agent.models.text.react_form import ReactForm
from reinforced_agent.tools.spec import Example


def described(name: str = "go") -> dict[str, Any]:
    """Describe a tool."""
    parameters = {"type": "object", "properties": {"城市": {"type": "string"}}}
    return {"type": "function", "function": {"name": name, "description": "Go there.", "parameters": parameters}}


def shown(*messages: BaseMessage, tools: Any = (), examples: Any = None, **options: Any) -> list[tuple[str, str]]:
    """Return the turns that reach the model inside."""
    inner = ScriptedModel(lines=["ok"])
    model = TextToolModel(inner=inner, **options)
    (model.bind_tools(tools, examples=examples) if tools else model).invoke(list(messages))
    assert all(type(one) in (SystemMessage, HumanMessage, AIMessage) for one in inner.seen[0])
    assert not any(one.tool_calls for one in inner.seen[0] if isinstance(one, AIMessage))
    return [(one.type, one.text) for one in inner.seen[0]]


def going(*cities: str, content: str = "") -> AIMessage:
    """Write a message that calls `go` once for every city."""
    return AIMessage(content, tool_calls=[tool_call(name="go", args={"city": city}, id=city) for city in cities])


def came(city: str, text: str, status: Any = "success") -> ToolMessage:
    """Write the result of a call."""
    return ToolMessage(text, name="go", tool_call_id=city, status=status)


CHAT = (
    SystemMessage("Be kind."),
    HumanMessage("Go!"),
    going("Oslo", "北京", content="On my way."),
    came("Oslo", "there"),
    came("北京", "no road", "error"),
    AIMessage("Half done."),
    HumanMessage("Thanks."),
    HumanMessage("Again!"),
)


def test_react_shows_calls_and_results_as_steps() -> None:
    """Calls made at once come one after the other, each before its result; equal roles are put together."""
    assert shown(*CHAT, protocol="react") == [
        ("system", "Be kind."),
        ("human", "Go!"),
        ("ai", 'Thought: On my way.\nAction: go\nAction Input: {"city": "Oslo"}'),
        ("human", "Observation: there"),
        ("ai", 'Action: go\nAction Input: {"city": "北京"}'),
        ("human", "Observation: This is an error. no road"),
        ("ai", "Final Answer: Half done."),
        ("human", "Thanks.\n\nAgain!"),
    ]


def test_json_shows_calls_and_fenced_results() -> None:
    """The same chat as JSON objects and fenced results, the failure named in Chinese."""
    assert shown(*CHAT, protocol="json", locale="zh-CN") == [
        ("system", "Be kind."),
        ("human", "Go!"),
        ("ai", '{"name": "go", "arguments": {"city": "Oslo"}}'),
        ("human", "TOOL RESULT (go):\n```\nthere\n```"),
        ("ai", '{"name": "go", "arguments": {"city": "北京"}}'),
        ("human", "TOOL RESULT (go):\n```\n这是一个错误。no road\n```"),
        ("ai", "Half done."),
        ("human", "Thanks.\n\nAgain!"),
    ]


@pytest.mark.parametrize(
    ("messages", "expected"),
    [
        pytest.param(
            [AIMessage("Hi."), SystemMessage("Late.")],
            [
                ("system", "Late."),
                ("human", "(The beginning of the conversation is left out.)"),
                ("ai", "Hi."),
                ("human", "Go on."),
            ],
            id="begins-and-ends-with-the-model",
        ),
        pytest.param(
            [HumanMessage("Go!"), going("Oslo")],
            [
                ("human", "Go!"),
                ("ai", '{"name": "go", "arguments": {"city": "Oslo"}}'),
                (
                    "human",
                    "TOOL RESULT (go):\n```\nThere is no result; it is unknown whether the call ran.\n```",
                ),
            ],
            id="call-without-a-result",
        ),
        pytest.param(
            [HumanMessage("Hm"), came("Oslo", "")],
            [("human", "Hm\n\nTOOL RESULT (go):\n```\n(no text)\n```")],
            id="result-without-a-call",
        ),
        pytest.param(
            [HumanMessage([{"type": "text", "text": "See:"}, {"type": "image_url", "image_url": {"url": "x"}}])],
            [("human", "See:\n[image_url: not shown, this model reads text only]")],
            id="picture",
        ),
    ],
)
def test_odd_chats_become_plain_turns(messages: list[BaseMessage], expected: list[tuple[str, str]]) -> None:
    """Turns begin with the user and end with the user, and nothing is lost in silence."""
    assert shown(*messages) == expected


@pytest.mark.parametrize("protocol", ["json", "react"])
@pytest.mark.parametrize(("locale", "word"), [("en", "You can call tools."), ("zh", "你可以调用工具。")])
def test_tools_stand_in_the_system_text(protocol: str, locale: str, word: str) -> None:
    """Rules, names, purposes and schemas, in the language asked for."""
    ((role, text), *turns) = shown(HumanMessage("Go!"), tools=[described()], protocol=protocol, locale=locale)
    assert role == "system"
    assert turns[-1] == ("human", "Go!")
    assert text.startswith(word)
    assert "- go: Go there." in text
    assert '"城市": {"type": "string"}' in text


def test_a_model_without_system_turns_gets_one_user_turn() -> None:
    """The instructions open the first user turn."""
    turns = shown(SystemMessage("Be kind."), HumanMessage("Go!"), tools=[described()], system_turn=False)
    assert [role for role, _ in turns] == (["human", "ai"] * len(turns))[: len(turns)]
    assert turns[0][1].startswith("Be kind.\n\nYou can call tools.")
    assert turns[-1] == ("human", "Go!")


def test_declared_examples_are_shown_in_the_form() -> None:
    """At most two of a tool, the first of each tool first, and at the end one that calls nothing."""
    examples = {
        "go": [Example(f"To {city}!", {"city": city}) for city in ("Rome", "Bonn", "Pau")],
        "stay": [Example("Stay!", {})],
    }
    tools = [described("go"), described("stay")]
    turns = shown(HumanMessage("Hi"), tools=tools, examples=examples, protocol="react")
    assert turns[5:] == [
        ("human", "To Rome!"),
        ("ai", 'Thought: I call go.\nAction: go\nAction Input: {"city": "Rome"}'),
        ("human", "Stay!"),
        ("ai", "Thought: I call stay.\nAction: stay\nAction Input: {}"),
        ("human", "Good morning!"),
        ("ai", "Thought: This needs no tool.\nFinal Answer: Good morning! How can I help?"),
        ("human", "To Bonn!"),
        ("ai", 'Thought: I call go.\nAction: go\nAction Input: {"city": "Bonn"}'),
        ("human", "Thank you."),
        ("ai", "Thought: This needs no tool.\nFinal Answer: You are welcome."),
        ("human", "Hi"),
    ]
    assert "Your first 7 replies below are examples" in turns[0][1]


def test_the_examples_of_many_tools_are_bounded() -> None:
    """A hundred tools with examples leave room for the conversation."""
    examples = {f"go{number}": [Example("Go!", {"n": number})] * 2 for number in range(100)}
    turns = shown(HumanMessage("Hi"), tools=[described(name) for name in examples], examples=examples)
    assert sum(text == "Go!" for _, text in turns) == OF_ALL_TOOLS


@pytest.mark.parametrize("protocol", ["json", "react"])
def test_the_made_up_example_names_no_tool_there_is(protocol: str) -> None:
    """A copy of its call can't run, even where a tool has taken the name."""
    tools = [described("go"), described(NOBODYS_TOOL)]
    system, *turns = shown(HumanMessage("Hi"), tools=tools, protocol=protocol)
    assert f"The tool `{NOBODYS_TOOL}_` in the examples is made up" in system[1]
    form = JsonForm() if protocol == "json" else ReactForm()
    called = [call.name for role, text in turns if role == "ai" for call in form.read(text).calls]
    assert called == [f"{NOBODYS_TOOL}_"]


def test_examples_are_no_part_of_the_conversation() -> None:
    """A conversation that begins with the model's words doesn't go on from an example."""
    turns = shown(AIMessage("Hi."), HumanMessage("Go!"), tools=[described()])
    assert turns[-4:] == [
        ("ai", "You are welcome."),
        ("human", "(The beginning of the conversation is left out.)"),
        ("ai", "Hi."),
        ("human", "Go!"),
    ]

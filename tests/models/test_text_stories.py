"""Whole runs of the graph over a model that only writes text, in both protocols and both languages."""

from __future__ import annotations

import json
from typing import Any

import pytest
from langchain_core.language_models.fake import FakeListLLM
from langchain_core.messages import AIMessage, HumanMessage
from langgraph.checkpoint.memory import InMemorySaver

from reinforced_agent import build_agent
from reinforced_agent.models.scripted import ScriptedModel
from reinforced_agent.models.text import TextToolModel
from tests.graph.house import House, assert_valid


VOICES = [
    pytest.param("json", "en", id="json-en"),
    pytest.param("json", "zh", id="json-zh"),
    pytest.param("react", "en", id="react-en"),
    pytest.param("react", "zh", id="react-zh"),
]
THOUGHTS = {"en": "I use a tool.", "zh": "我使用工具。"}


class TextHouse(House):
    """The house of the story tests over a model that only writes text."""

    def __init__(self, protocol: Any, locale: str, *lines: Any, **options: Any) -> None:
        """Put the protocol around the scripted model."""
        super().__init__(*lines)
        model = TextToolModel(inner=self.model, protocol=protocol, locale=locale)
        self.agent = build_agent(model=model, tools=self.tools(), checkpointer=self.agent.checkpointer, **options)

    @property
    def shown(self) -> list[str]:
        """The texts of the newest request to the model."""
        return [message.text for message in self.model.seen[-1]]


def written(protocol: str, locale: str, name: str, **arguments: Any) -> str:
    """Write a call as the model would."""
    text = json.dumps(arguments, ensure_ascii=False)
    if protocol == "json":
        return f'{{"name": "{name}", "arguments": {text}}}'
    return f"Thought: {THOUGHTS[locale]}\nAction: {name}\nAction Input: {text}"


def answered(protocol: str, locale: str, text: str) -> str:
    """Write an answer as the model would."""
    return text if protocol == "json" else f"Thought: {THOUGHTS[locale]}\nFinal Answer: {text}"


def assert_plain(house: TextHouse) -> None:
    """Assert that the model has seen nothing but a system text and turns that alternate."""
    for request in house.model.seen:
        assert [message.type for message in request] == ["system", *["human", "ai"] * len(request)][: len(request)]
        assert isinstance(request[-1], HumanMessage)
        assert not any(message.tool_calls for message in request if isinstance(message, AIMessage))


@pytest.mark.parametrize(("protocol", "locale"), VOICES)
def test_a_wrong_call_is_put_right_by_feedback(protocol: str, locale: str) -> None:
    """The feedback comes as the result of the call; the solved failure leaves the history."""
    house = TextHouse(
        protocol,
        locale,
        written(protocol, locale, "get_forecast", city="Oslo", dat="2026-12-01"),
        written(protocol, locale, "get_forecast", city="Oslo", date="2026-12-01"),
        answered(protocol, locale, "3 °C"),
    )
    house.say()
    assert house.answer == "3 °C"
    assert house.runs == 1
    feedback = house.model.seen[1][-1].text
    assert feedback.startswith("Observation: " if protocol == "react" else "TOOL RESULT (get_forecast):\n```\n")
    assert "Use `date`." in feedback
    assert [message.type for message in house.history] == ["human", "ai", "tool", "ai"]
    assert "dat`" not in "".join(house.shown)
    assert_valid(house.history)
    assert_plain(house)


@pytest.mark.parametrize(("protocol", "locale"), VOICES)
def test_a_write_waits_for_a_person(protocol: str, locale: str) -> None:
    """Nothing happens before the approval; after it the call runs once and its result is shown."""
    house = TextHouse(
        protocol,
        locale,
        written(protocol, locale, "send_note", to="Ann", text="`hi`\n你好"),
        answered(protocol, locale, "Sent."),
    )
    house.say()
    assert house.effects == []
    assert house.question.value["action_requests"][0]["args"] == {"to": "Ann", "text": "`hi`\n你好"}
    house.decide({"type": "approve"})
    assert house.effects == [("Ann", "`hi`\n你好")]
    assert house.answer == "Sent."
    assert "sent to Ann" in house.shown[-1]
    assert_valid(house.history)
    assert_plain(house)


@pytest.mark.parametrize(("protocol", "locale"), VOICES)
def test_a_rejection_is_told_in_the_protocol(protocol: str, locale: str) -> None:
    """The reason reaches the model, named as an error."""
    house = TextHouse(
        protocol,
        locale,
        written(protocol, locale, "send_note", to="Ann", text="hi"),
        answered(protocol, locale, "I did not send it."),
    )
    house.say()
    house.decide({"type": "reject", "message": "not today"})
    assert house.effects == []
    assert "not today" in house.shown[-1]
    assert ("这是一个错误。" if locale == "zh" else "This is an error. ") in house.shown[-1]
    assert house.answer == "I did not send it."
    assert_valid(house.history)


@pytest.mark.parametrize(("protocol", "locale"), VOICES)
@pytest.mark.parametrize(
    "arguments",
    [
        pytest.param('{"city": "Oslo", "date": "2026-12-01", "date": "2027-01-01"}', id="doubled-key"),
        pytest.param("{city: Oslo}", id="no-json"),
        pytest.param("[1, 2]", id="no-object"),
    ],
)
def test_the_reader_judges_the_wire_text(protocol: str, locale: str, arguments: str) -> None:
    """What decoding would hide or guess is sent back to the call, and nothing runs."""
    wrong = written(protocol, locale, "get_forecast").replace("{}", arguments)
    house = TextHouse(protocol, locale, wrong, answered(protocol, locale, "I can't."))
    house.say()
    assert house.runs == 0
    assert house.answer == "I can't."
    (record,) = house.result["calls"].values()
    assert record["status"] != "done"
    assert record["problems"]
    assert arguments not in house.model.seen[1][-1].text


@pytest.mark.parametrize(("protocol", "locale"), VOICES)
def test_a_conversation_goes_on_in_the_protocol(protocol: str, locale: str) -> None:
    """In the next turn the model sees its earlier call, the result and its answer as it wrote them."""
    house = TextHouse(
        protocol,
        locale,
        written(protocol, locale, "get_forecast", city="Oslo", date="2026-12-01"),
        answered(protocol, locale, "3 °C"),
        answered(protocol, locale, "You are welcome."),
    )
    house.say("Weather?").say("Thanks!")
    asked, called, result, told, thanked = house.shown[-5:]
    assert (asked, thanked) == ("Weather?", "Thanks!")
    first = written(protocol, locale, "get_forecast", city="Oslo", date="2026-12-01")
    assert called == first.removeprefix(f"Thought: {THOUGHTS[locale]}\n")
    assert "Oslo 2026-12-01 3 celsius" in result
    assert told == answered(protocol, locale, "3 °C").removeprefix(f"Thought: {THOUGHTS[locale]}\n")
    assert_plain(house)


def test_thoughts_stay_out_of_sight() -> None:
    """Neither the answer nor the history shows what was only thought, and a draft in it never runs."""
    draft = '{"name": "delete_note", "arguments": {"to": "Ann"}}'
    house = TextHouse("json", "en", f"<think>{draft}?</think>", "<think>no</think>I leave it.")
    house.say()
    assert house.effects == []
    assert house.answer == "I leave it."
    assert "delete_note" not in str(house.history)


def test_native_calls_pass_through() -> None:
    """A server that does recognise calls may deliver them; what stands in the text beside them is no other call."""
    call = {"name": "get_forecast", "arguments": {"city": "Oslo", "date": "2026-12-01"}, "id": "c1"}
    beside = written("json", "en", "delete_note", to="Ann")
    house = TextHouse("json", "en", {"content": beside, "tool_calls": [call]}, "3 °C")
    house.say()
    assert house.status("c1") == "done"
    assert len(house.result["calls"]) == 1


class InLoopOnly(ScriptedModel):
    """A model that can be asked in an event loop only."""

    def _generate(self, *_: Any, **__: Any) -> Any:
        msg = "asked outside the loop"
        raise AssertionError(msg)

    async def _agenerate(self, messages: Any, *_: Any, **__: Any) -> Any:
        return super()._generate(messages)


@pytest.mark.asyncio
async def test_a_loop_is_not_left() -> None:
    """In an event loop the inner model is asked in it."""
    model = TextToolModel(inner=InLoopOnly(lines=["Thought: I greet.\nFinal Answer: hi"]), protocol="react")
    assert (await model.ainvoke("hello")).text == "hi"


def test_a_withheld_tool_is_not_in_the_prompt() -> None:
    """A tool that failed too often is no longer offered."""
    pages = [written("json", "en", "read_ledger", page=page) for page in (1, 2)]
    house = TextHouse("json", "en", *pages, "It is torn.")
    house.say()
    assert "- read_ledger:" in house.model.seen[0][0].text
    assert "- read_ledger:" not in house.model.seen[-1][0].text
    assert_plain(house)


def test_examples_of_tools_reach_the_prompt() -> None:
    """The graph hands over what the tools declare."""
    model = ScriptedModel(lines=["Hi."])
    specs = House().tools()
    from reinforced_agent import Example  # noqa: PLC0415

    shown = specs[0].declare(examples=(Example("Wetter?", {"city": "Ulm", "date": "2026-01-01"}),))
    build_agent(model=TextToolModel(inner=model), tools=[shown]).invoke({"messages": [("user", "hi")]})
    texts = [str(message.text) for message in model.seen[0]]
    assert (
        texts[texts.index("Wetter?") + 1]
        == '{"name": "get_forecast", "arguments": {"city": "Ulm", "date": "2026-01-01"}}'
    )


def test_any_completion_model_will_do() -> None:
    """A LangChain model that only completes text is taken as it is."""
    model = TextToolModel(inner=FakeListLLM(responses=[written("json", "en", "send_note", to="Ann", text="hi")]))
    house = House(checkpointer=None)
    agent = build_agent(model=model, tools=house.tools(), checkpointer=InMemorySaver())
    state = agent.invoke({"messages": [("user", "Greet Ann")]}, house.config)
    assert state["__interrupt__"][0].value["action_requests"][0]["args"] == {"to": "Ann", "text": "hi"}


@pytest.mark.parametrize(("send", "stops"), [(True, ["now", "\nTOOL RESULT"]), (False, ["now"])])
def test_stop_texts_can_be_kept_back(send: bool, stops: list[str]) -> None:  # noqa: FBT001  # a case of the table
    """Servers that know no stop texts are asked without the protocol's own."""
    asked: list[Any] = []

    class Stopped(ScriptedModel):
        """Keeps the stop texts it is asked with."""

        def _generate(self, messages: Any, stop: Any = None, *_: Any, **__: Any) -> Any:
            asked.append(stop)
            return super()._generate(messages)

    model = TextToolModel(inner=Stopped(lines=[f"Yes.\nTOOL RESULT (go): {send}"]), send_stop=send)
    assert model.invoke("Well?", stop=["now"]).text == "Yes."
    assert asked == [stops]


def test_a_call_cannot_be_forced() -> None:
    """What a text protocol can't do is refused, not ignored."""
    with pytest.raises(ValueError, match="tool_choice='any'"):
        TextToolModel(inner=ScriptedModel(lines=[])).bind_tools([], tool_choice="any")

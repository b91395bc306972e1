"""The embedded model as a model that only writes text: plain generation, and tools through a protocol."""

from __future__ import annotations

import pytest
from langchain_core.messages import AIMessage, HumanMessage, SystemMessage

from reinforced_agent import Example, build_agent, tool
from reinforced_agent.models.factory import resolve_model
from reinforced_agent.models.local import LocalChatModel
from reinforced_agent.models.local.plain import PlainLocalModel


@pytest.fixture
def plain(model: LocalChatModel) -> PlainLocalModel:
    """Return the weights without tools and grammar, and short of words."""
    return PlainLocalModel(engine=model.engine, most_tokens=12)


def test_plain_text_goes_on_with_the_chat(plain: PlainLocalModel) -> None:
    """A reply ends by itself and is the same again, whatever was read in between."""
    chat = [SystemMessage("Count."), HumanMessage("one"), AIMessage("two"), HumanMessage("three"), AIMessage("four")]
    first, other, again = (plain.invoke([*chat, HumanMessage(word)]) for word in ("five", "nine", "five"))
    assert first.text == again.text != ""
    assert first.response_metadata["finish_reason"] == "stop"
    assert first.usage_metadata == again.usage_metadata
    assert other.usage_metadata is not None


def test_plain_text_is_bounded(plain: PlainLocalModel) -> None:
    """What runs out of tokens says so; a stop text ends a reply before it."""
    long = plain.invoke("Tell me a long story of a king.")
    assert long.response_metadata["finish_reason"] == "length"
    assert long.usage_metadata is not None
    assert long.usage_metadata["output_tokens"] == 12
    word = long.text.split()[-2]
    short = plain.invoke("Tell me a long story of a king.", stop=[word])
    assert short.response_metadata["finish_reason"] == "stop"
    assert long.text.startswith(short.text)
    assert word not in short.text


def test_a_tool_is_called_through_the_protocol(model: LocalChatModel, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without its grammar the smallest model calls a tool when it is shown how."""
    monkeypatch.setattr("reinforced_agent.models.local.load_local", lambda _: model)
    asked: list[tuple[int, int]] = []

    @tool(risk="read", examples=(Example("Multiply 3 by 4", {"a": 3, "b": 4}), Example("12 x 5?", {"a": 12, "b": 5})))
    def multiply(a: int, b: int) -> int:
        """Multiply two numbers."""
        asked.append((a, b))
        return a * b

    agent = build_agent(model=resolve_model("local+json"), tools=[multiply])
    agent.invoke({"messages": [("user", "What is 17 times 23?")]})
    assert asked[:1] == [(17, 23)]

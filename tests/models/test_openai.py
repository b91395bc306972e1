"""An OpenAI-compatible server on this computer: what the graph makes of what really arrives on the wire."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from langgraph.checkpoint.memory import InMemorySaver

from reinforced_agent import build_agent, resolve_model, tool
from tests.models.chat_server import ChatServer, called, running, said


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[ChatServer]:
    """Run a server and point the environment to it."""
    with running() as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.address)
        monkeypatch.setenv("OPENAI_API_KEY", "made-up")
        yield server


paid: list[float] = []


@tool(risk="read")
def pay(amount: float, memo: str = "") -> str:
    """Pay."""
    paid.append(amount)
    return f"paid {amount} {memo}".strip()


@pytest.mark.parametrize("mode", ["values", "messages"])
@pytest.mark.parametrize(
    ("text", "finish", "told"),
    [
        pytest.param(
            '{"amount": 50, "memo": "rent", "amount": 480}', "tool_calls", "`amount` occurs", id="doubled-key"
        ),
        pytest.param('{"amount": NaN}', "tool_calls", "`amount`", id="not-a-number"),
        pytest.param('{"amount": 5', "length", "cut off", id="cut-off"),
        pytest.param('{"amount": 5}', "length", "cut off", id="cut-off-but-valid"),
        pytest.param('{"amount": 5', "tool_calls", "cut off", id="cut-off-unsaid"),
    ],
)
def test_what_decoding_would_hide_is_seen(server: ChatServer, text: str, finish: str, told: str, mode: Any) -> None:
    """Doubled keys, NaN and cut-off calls are sent back, whatever the way the run is watched."""
    paid.clear()
    server.replies = [called("pay", text, finish=finish), said("I won't.")]
    agent = build_agent(model=resolve_model("openai:m"), tools=[pay], checkpointer=InMemorySaver())
    config: Any = {"configurable": {"thread_id": "t"}}
    for _ in agent.stream({"messages": [("user", "pay")]}, config, stream_mode=mode):
        pass
    assert paid == []
    assert told in server.requests[1]["messages"][-1]["content"]
    assert agent.get_state(config).values["messages"][-1].text == "I won't."


def test_tools_are_offered_and_calls_are_not_streamed(server: ChatServer) -> None:
    """The request names the tools and asks for no stream."""
    server.replies = [called("pay", '{"amount": 5}'), said("Paid.")]
    state = build_agent(model="openai:m", tools=[pay]).invoke({"messages": [("user", "pay 5")]})
    first = server.requests[0]
    assert [item["function"]["name"] for item in first["tools"]] == ["pay"]
    assert not first.get("stream")
    assert server.requests[1]["messages"][-1] == {"role": "tool", "tool_call_id": "call_0", "content": "paid 5.0"}
    assert state["messages"][-1].text == "Paid."


def test_a_server_that_is_away_ends_in_an_account(monkeypatch: pytest.MonkeyPatch) -> None:
    """A refused connection is not an exception of the run."""
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:9/v1")
    monkeypatch.setenv("OPENAI_API_KEY", "made-up")
    from reinforced_agent.models.openai import open_openai  # noqa: PLC0415

    model = open_openai("m", max_retries=0)
    state = build_agent(model=model, tools=[pay]).invoke({"messages": [("user", "pay")]})
    assert state["turn"]["outcome"] == "model_down"
    assert "can't be reached" in state["messages"][-1].text

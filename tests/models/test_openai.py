"""An OpenAI-compatible server on this computer: what the graph makes of what really arrives on the wire."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest
from langgraph.checkpoint.memory import InMemorySaver

from reinforced_agent import build_agent, resolve_model, tool


class Server(ThreadingHTTPServer):
    """Plays the given messages one after the other and keeps what it was asked."""

    daemon_threads = True

    def __init__(self) -> None:
        """Listen on a free port."""
        super().__init__(("127.0.0.1", 0), Handler)
        self.replies: list[dict[str, Any]] = []
        self.requests: list[dict[str, Any]] = []


class Handler(BaseHTTPRequestHandler):
    """Answers chat completions."""

    server: Server

    def do_POST(self) -> None:  # the name that the base class calls
        """Answer one request."""
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.server.requests.append(json.loads(body))
        payload = json.dumps(self.server.replies.pop(0)).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(payload)))
        self.end_headers()
        self.wfile.write(payload)

    def log_message(self, *_: Any) -> None:
        """Keep quiet."""


def reply(content: str | None = None, *calls: tuple[str, str], finish: str = "stop") -> dict[str, Any]:
    """Write the body of a chat completion; arguments of calls are wire text."""
    wire = [
        {"id": f"call_{n}", "type": "function", "function": {"name": name, "arguments": text}}
        for n, (name, text) in enumerate(calls)
    ]
    message = {"role": "assistant", "content": content, **({"tool_calls": wire} if wire else {})}
    choice = {"index": 0, "finish_reason": finish, "message": message}
    return {"id": "c", "object": "chat.completion", "created": 0, "model": "m", "choices": [choice]}


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    """Run a server and point the environment to it."""
    running = Server()
    thread = threading.Thread(target=running.serve_forever, daemon=True)
    thread.start()
    monkeypatch.setenv("OPENAI_BASE_URL", f"http://127.0.0.1:{running.server_port}/v1")
    monkeypatch.setenv("OPENAI_API_KEY", "made-up")
    yield running
    running.shutdown()
    running.server_close()
    thread.join()


paid: list[float] = []


@tool(risk="read")
def pay(amount: float, memo: str = "") -> str:
    """Pay."""
    paid.append(amount)
    return f"paid {amount} {memo}".strip()


@pytest.mark.parametrize("mode", ["values", "messages"])
@pytest.mark.parametrize(
    ("text", "finish", "said"),
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
def test_what_decoding_would_hide_is_seen(server: Server, text: str, finish: str, said: str, mode: Any) -> None:
    """Doubled keys, NaN and cut-off calls are sent back, whatever the way the run is watched."""
    paid.clear()
    server.replies = [reply(None, ("pay", text), finish=finish), reply("I won't.")]
    agent = build_agent(model=resolve_model("openai:m"), tools=[pay], checkpointer=InMemorySaver())
    config: Any = {"configurable": {"thread_id": "t"}}
    for _ in agent.stream({"messages": [("user", "pay")]}, config, stream_mode=mode):
        pass
    assert paid == []
    assert said in server.requests[1]["messages"][-1]["content"]
    assert agent.get_state(config).values["messages"][-1].text == "I won't."


def test_tools_are_offered_and_calls_are_not_streamed(server: Server) -> None:
    """The request names the tools and asks for no stream."""
    server.replies = [reply(None, ("pay", '{"amount": 5}')), reply("Paid.")]
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

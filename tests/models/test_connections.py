"""A model of a server goes on working when a script runs one event loop after the other."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from reinforced_agent import build_agent, resolve_model
from tests.models.serving import serving


class Handler(BaseHTTPRequestHandler):
    """Answers "Fine." and keeps connections open, as real servers do."""

    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:  # the name that the base class calls
        """Answer one request."""
        self.rfile.read(int(self.headers["Content-Length"]))
        choice: dict[str, Any] = {"index": 0, "finish_reason": "stop"}
        if self.path.endswith("/chat/completions"):
            choice["message"] = {"role": "assistant", "content": "Fine."}
        else:
            choice["text"] = "Fine."
        usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
        told = {"id": "c", "object": "c", "created": 0, "model": "m", "choices": [choice], "usage": usage}
        payload = json.dumps(told).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(payload)))
        self.end_headers()
        self.wfile.write(payload)

    def log_message(self, *_: Any) -> None:
        """Keep quiet."""


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Run the server and point the client to it."""
    running = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    running.daemon_threads = True
    monkeypatch.setenv("OPENAI_BASE_URL", f"http://127.0.0.1:{running.server_port}/v1")
    monkeypatch.setenv("OPENAI_API_KEY", "EMPTY")
    with serving(running):
        yield


@pytest.mark.usefixtures("server")
@pytest.mark.parametrize("spec", ["openai:m", "completion:m"])
def test_a_model_lives_longer_than_a_loop(spec: str) -> None:
    """One loop after the other, several at once in one, and a synchronous call between: all get their answer."""
    agent = build_agent(model=resolve_model(spec), tools=[])

    async def ask(times: int) -> list[str]:
        asked = {"messages": [("user", "How are you?")]}
        turns = await asyncio.gather(*(agent.ainvoke(asked) for _ in range(times)))
        return [turn["messages"][-1].text for turn in turns]

    assert asyncio.run(ask(2)) == ["Fine."] * 2
    assert asyncio.run(ask(1)) == ["Fine."]
    assert agent.invoke({"messages": [("user", "And now?")]})["messages"][-1].text == "Fine."
    assert asyncio.run(ask(3)) == ["Fine."] * 3

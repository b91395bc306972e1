"""A server without tool calling on this computer: chat and plain completions, and what it must never be asked."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from tests.models.serving import serving


CHAT, COMPLETION = "/v1/chat/completions", "/v1/completions"


class TextServer(ThreadingHTTPServer):
    """Plays the given texts, each alone or with the reason why it ended, and keeps what it was asked."""

    daemon_threads = True

    def __init__(self) -> None:
        """Listen on a free port."""
        super().__init__(("127.0.0.1", 0), Handler)
        self.replies: list[str | tuple[str, str]] = []
        self.requests: list[tuple[str, dict[str, Any]]] = []

    @property
    def address(self) -> str:
        """What a client is pointed to."""
        return f"http://127.0.0.1:{self.server_port}/v1"

    def turns(self, number: int = -1) -> list[tuple[str, str]]:
        """Return role and text of every message of a chat request."""
        return [(message["role"], message["content"]) for message in self.requests[number][1]["messages"]]

    def prompt(self, number: int = -1) -> str:
        """Return all text of a request of either kind."""
        path, body = self.requests[number]
        return str(body["prompt"][0]) if path == COMPLETION else "\n".join(text for _, text in self.turns(number))


class Handler(BaseHTTPRequestHandler):
    """Answers as servers without tool calling do: a request they don't understand is an error."""

    server: TextServer

    def do_POST(self) -> None:  # the name that the base class calls
        """Answer one request."""
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.requests.append((self.path, body))
        fault = fault_of(self.path, body)
        if fault:
            self._send(400, {"error": {"message": fault}})
            return
        planned = self.server.replies.pop(0)
        text, finish = planned if isinstance(planned, tuple) else (planned, "stop")
        self._send(200, written(self.path, text, finish))

    def _send(self, status: int, value: dict[str, Any]) -> None:
        payload = json.dumps(value).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(payload)))
        self.end_headers()
        self.wfile.write(payload)

    def log_message(self, *_: Any) -> None:
        """Keep quiet."""


def written(path: str, text: str, finish: str) -> dict[str, Any]:
    """Write the body of a reply."""
    usage = {"prompt_tokens": 7, "completion_tokens": 3, "total_tokens": 10}
    said = {"text": f" {text}"} if path == COMPLETION else {"message": {"role": "assistant", "content": text}}
    return {
        "id": "c",
        "object": "x",
        "created": 0,
        "model": "m",
        "usage": usage,
        "choices": [{"index": 0, "finish_reason": finish, "logprobs": None, **said}],
    }


def fault_of(path: str, body: dict[str, Any]) -> str:
    """Say what a strict server objects to: fields of tool calling, streams, roles out of turn, too many stops."""
    if unknown := {"tools", "tool_choice", "functions", "parallel_tool_calls"} & body.keys():
        return f"{sorted(unknown)} are unknown"
    if body.get("stream"):
        return "no streams"
    if not 1 <= len(body.get("stop") or ()) <= 4:
        return f"from 1 to 4 stop texts, not {body.get('stop')}"
    if path == COMPLETION:
        return "" if body["prompt"][0].endswith("\n\nAssistant:") else "the assistant doesn't have the word"
    messages = body["messages"]
    if any(message.keys() != {"role", "content"} or not isinstance(message["content"], str) for message in messages):
        return "messages have a role and a text"
    roles = [message["role"] for message in messages]
    spoken = roles[1:] if roles[0] == "system" else roles
    if spoken != (["user", "assistant"] * len(spoken))[: len(spoken)] or spoken[-1] != "user":
        return f"roles must alternate, not {roles}"
    return ""


@contextmanager
def running() -> Iterator[TextServer]:
    """Run a server; after it, every text must have been played and no request refused."""
    with serving(TextServer()) as server:
        yield server
    assert server.replies == []
    assert [fault for path, body in server.requests if (fault := fault_of(path, body))] == []

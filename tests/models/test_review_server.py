"""A reviewer over real connections: what its server is asked, what it may answer, and what happens when it breaks."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from reinforced_agent import Reviewer, build_agent, tool
from reinforced_agent.graph.agent import Agent
from tests.models.serving import serving


ASK = {"messages": [("user", "Double 4.")]}
OBJECTION = {"call": 1, "verdict": "fix", "fault": "wrong_value", "field": "number", "reason": "The user said 4."}
ran: list[int] = []


@tool(risk="read")
def double(number: int) -> int:
    """Double a number."""
    ran.append(number)
    return 2 * number


class Server(ThreadingHTTPServer):
    """Plays a model that proposes a wrong call first, and a reviewer that says what it is given."""

    daemon_threads = True

    def __init__(self) -> None:
        """Listen on a free port."""
        super().__init__(("127.0.0.1", 0), Handler)
        self.verdict: Any = None
        self.reviews: list[dict[str, Any]] = []
        self.proposed = 0

    def message(self, body: dict[str, Any]) -> dict[str, Any]:
        """Answer as the model that is asked."""
        if body["model"] == "judge":
            self.reviews.append(body)
            return dict(self.verdict)
        if body["messages"][-1]["role"] == "tool" and "doubts" not in body["messages"][-1]["content"]:
            return {"content": "Eight."}
        self.proposed += 1
        return called("double", {"number": 3 + min(self.proposed - 1, 1)})


class Handler(BaseHTTPRequestHandler):
    """Answers chat completions."""

    server: Server

    def do_POST(self) -> None:  # the name that the base class calls
        """Answer one request; without a verdict, the reviewer's server is broken."""
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if body["model"] == "judge" and self.server.verdict is None:
            self.server.reviews.append(body)
            self._send(400, {"error": {"message": "no"}})
            return
        message = {"role": "assistant", "content": None, **self.server.message(body)}
        finish = "tool_calls" if "tool_calls" in message else "stop"
        choice = {"index": 0, "finish_reason": finish, "message": message}
        usage = {"prompt_tokens": 7, "completion_tokens": 3, "total_tokens": 10}
        told = {"id": "c", "object": "chat.completion", "created": 0, "model": "m", "usage": usage}
        self._send(200, {**told, "choices": [choice]})

    def _send(self, status: int, value: dict[str, Any]) -> None:
        payload = json.dumps(value).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(payload)))
        self.end_headers()
        self.wfile.write(payload)

    def log_message(self, *_: Any) -> None:
        """Keep quiet."""


def called(name: str, arguments: dict[str, Any]) -> dict[str, Any]:
    """Write a message that calls a tool."""
    function = {"name": name, "arguments": json.dumps(arguments)}
    return {"tool_calls": [{"id": "c1", "type": "function", "function": function}]}


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    """Run a server and point the environment to it."""
    ran.clear()
    with serving(Server()) as found:
        monkeypatch.setenv("OPENAI_BASE_URL", f"http://127.0.0.1:{found.server_port}/v1")
        monkeypatch.setenv("OPENAI_API_KEY", "made-up")
        yield found


def agent() -> Agent:
    """Build an agent whose reads are reviewed, too."""
    return build_agent(model="openai:actor", tools=[double], reviewer=Reviewer(model="openai:judge", from_risk="read"))


@pytest.mark.parametrize("way", ["invoke", "ainvoke"])
@pytest.mark.parametrize(
    "verdict",
    [
        pytest.param(called("give_verdicts", {"verdicts": [OBJECTION]}), id="call"),
        pytest.param({"content": json.dumps({"verdicts": [OBJECTION]})}, id="json"),
        pytest.param({"content": f"The number is off.\n\n{json.dumps([OBJECTION])}"}, id="json-in-words"),
    ],
)
def test_a_served_reviewer_has_the_call_corrected(server: Server, verdict: dict[str, Any], way: str) -> None:
    """It is offered the verdict tool alone, its tokens count, and only the corrected call runs."""
    server.verdict = verdict
    built = agent()
    result = built.invoke(ASK) if way == "invoke" else asyncio.run(built.ainvoke(ASK))
    assert ran == [4]
    assert result["messages"][-1].text == "Eight."
    assert [one["function"]["name"] for one in server.reviews[0]["tools"]] == ["give_verdicts"]
    assert [one["role"] for one in server.reviews[0]["messages"]] == ["system", "user"]
    assert result["turn"]["spoken"][0]["review"]["model"] == "openai:judge"
    assert result["turn"]["spent"]["tokens"] == 10 * (3 + len(server.reviews))


def test_a_broken_server_is_a_reviewer_without_an_opinion(server: Server) -> None:
    """The call runs as without a reviewer, and the record says why nobody looked at it."""
    result = agent().invoke(ASK)
    assert ran == [3]
    assert result["turn"]["spoken"][0]["review"]["why"] == "failed"
    assert len(server.reviews) == 1

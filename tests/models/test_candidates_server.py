"""Several proposals of a server on this computer: one request or several, what it refuses, and what is given up."""

from __future__ import annotations

import asyncio
import json
import select
import socket
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Literal

import pytest

from reinforced_agent import Strategy, build_agent, resolve_model, tool
from tests.models.serving import serving


Manner = Literal["offers n", "ignores n", "refuses n", "is broken", "is slow"]
WRONG, RIGHT = '{"nummer": 4}', '{"number": 4}'
ASK = {"messages": [("user", "Double 4.")]}
ran: list[int] = []


@tool(risk="read")
def double(number: int) -> int:
    """Double a number."""
    ran.append(number)
    return 2 * number


class Server(ThreadingHTTPServer):
    """Answers with the wrong call first, then with right ones, and after a result with the answer."""

    daemon_threads = True

    def __init__(self, manner: Manner) -> None:
        """Listen on a free port."""
        super().__init__(("127.0.0.1", 0), Handler)
        self.manner = manner
        self.requests: list[dict[str, Any]] = []
        self.given_up = threading.Semaphore(0)
        self.lock = threading.Lock()
        self.proposed = 0

    def next_choice(self, at: int, *, logprobs: bool) -> dict[str, Any]:
        """Propose a call: only the first is wrong."""
        with self.lock:
            arguments = RIGHT if self.proposed else WRONG
            self.proposed += 1
        call = {"id": f"c{self.proposed}", "type": "function", "function": {"name": "double", "arguments": arguments}}
        message = {"role": "assistant", "content": None, "tool_calls": [call]}
        told = {"content": [{"token": "x", "logprob": -2.0, "bytes": None, "top_logprobs": []}]} if logprobs else None
        return {"index": at, "finish_reason": "tool_calls", "message": message, "logprobs": told}


class Handler(BaseHTTPRequestHandler):
    """Answers chat completions."""

    server: Server

    def do_POST(self) -> None:  # the name that the base class calls
        """Answer one request in the manner of the server."""
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        with self.server.lock:
            self.server.requests.append(asked)
            number = len(self.server.requests)
        if asked["messages"][-1]["role"] == "tool" and "8" in asked["messages"][-1]["content"]:
            said = {"role": "assistant", "content": "Eight."}
            self.send(200, [{"index": 0, "finish_reason": "stop", "message": said}])
            return
        match self.server.manner:
            case "refuses n" if "n" in asked:
                self.send(400, "Unsupported parameter: 'n'")
            case "is broken":
                self.send(400, "the request is broken")
            case "is slow" if number > 2 and self.hung_up():  # the first two are answered at once
                self.server.given_up.release()
            case _:
                count = asked.get("n", 1) if self.server.manner == "offers n" else 1
                wants = bool(asked.get("logprobs"))
                self.send(200, [self.server.next_choice(at, logprobs=wants) for at in range(count)])

    def hung_up(self) -> bool:
        """Wait for the client to close its connection; a patient one gets its answer in the end."""
        end = time.monotonic() + 20
        while time.monotonic() < end:
            ready, _, _ = select.select([self.connection], [], [], 0.05)
            if ready and not self.connection.recv(1, socket.MSG_PEEK):
                return True
        return False

    def send(self, status: int, said: Any) -> None:
        """Send choices, or an error."""
        usage = {"prompt_tokens": 10, "completion_tokens": 5 * len(said), "total_tokens": 10 + 5 * len(said)}
        good = {"id": "c", "object": "chat.completion", "created": 0, "model": "m", "choices": said, "usage": usage}
        bad = {"error": {"message": said, "type": "invalid_request_error"}}
        payload = json.dumps(good if status == 200 else bad).encode()  # fine
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(payload)))
        self.end_headers()
        self.wfile.write(payload)

    def log_message(self, *_: Any) -> None:
        """Keep quiet."""


@pytest.fixture
def server(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    """Run a server of the manner that the test names, and point the environment to it."""
    ran.clear()
    with serving(Server(request.param)) as running:
        monkeypatch.setenv("OPENAI_BASE_URL", f"http://127.0.0.1:{running.server_port}/v1")
        monkeypatch.setenv("OPENAI_API_KEY", "made-up")
        yield running


def agent(**strategy: Any) -> Any:
    """Build an agent that asks for several proposals in every step."""
    chosen = Strategy(**{"candidates": 3, "when": "always", **strategy})
    return build_agent(model=resolve_model("openai:m"), tools=[double], strategy=chosen)


async def run(built: Any, way: str) -> dict[str, Any]:
    """Run an agent in one of the ways."""
    if way == "sync":
        return dict(built.invoke(ASK))
    if way == "stream":
        parts = [part async for part in built.astream(ASK, stream_mode="values")]
        return dict(parts[-1])
    return dict(await built.ainvoke(ASK))


def hear(built: Any, way: str) -> dict[str, Any]:
    """Run an agent in one of the ways, with an event loop of its own."""
    return asyncio.run(run(built, way))


@pytest.mark.parametrize("way", ["sync", "async", "stream"])
@pytest.mark.parametrize(
    ("server", "requests", "tokens"),
    [
        pytest.param("offers n", 1, (10, 15), id="one request"),
        pytest.param("ignores n", 3, (30, 15), id="one answer for three: the other two are asked for"),
        pytest.param("refuses n", 4, (30, 15), id="refused, then three side by side"),
    ],
    indirect=["server"],
)
def test_proposals_of_one_step(server: Server, requests: int, tokens: tuple[int, int], way: str) -> None:
    """The right one runs in the first step, whatever the server makes of `n`, and the tokens of all count."""
    said = hear(agent(take="best"), way)
    first = said["turn"]["spoken"][0]
    asked = [one for one in server.requests if one["messages"][-1]["role"] == "user"]
    assert requests == len(asked)
    assert tokens == (first["input_tokens"], first["output_tokens"])
    assert (first["candidates"]["asked"], first["candidates"]["came"], len(ran)) == (3, 3, 1)
    assert first["candidates"]["lost"] == {"unknown_argument": 1}
    assert said["messages"][-1].text == "Eight."


@pytest.mark.parametrize("server", ["refuses n"], indirect=True)
def test_a_refused_parameter_is_not_sent_again(server: Server, caplog: pytest.LogCaptureFixture) -> None:
    """The operator is warned once, and later requests do without it."""
    built = agent()
    built.invoke(ASK)
    built.invoke(ASK)
    assert sum("n" in one for one in server.requests) == 1
    assert sum("refuses n" in record.message for record in caplog.records) == 1


@pytest.mark.parametrize("server", ["is broken"], indirect=True)
def test_another_error_says_nothing_about_n(server: Server) -> None:
    """A server that refuses everything for a while is asked for several proposals again."""
    built = agent()
    assert built.invoke(ASK)["turn"]["outcome"] == "misconfigured"
    server.manner = "offers n"
    before = len(server.requests)
    assert built.invoke(ASK)["turn"]["outcome"] == "answered"
    assert server.requests[before]["n"] == 3


@pytest.mark.parametrize("server", ["is slow"], indirect=True)
def test_what_is_not_needed_is_given_up(server: Server) -> None:
    """Once a right one has come, the requests that are still open are closed, and the server sees it."""
    said = asyncio.run(agent(candidates=4).ainvoke(ASK))
    assert ran == [4]
    assert all(server.given_up.acquire(timeout=5) for _ in range(2))
    assert said["turn"]["spoken"][0]["candidates"]["came"] == 2


@pytest.mark.parametrize("way", ["sync", "async"])
@pytest.mark.parametrize("server", ["ignores n"], indirect=True)
def test_low_confidence_asks_for_more(server: Server, way: str) -> None:
    """A first proposal of low probability is compared with others; one that is sure is not."""
    unsure = hear(agent(when="low confidence", unsure_below=-1.0), way)
    sure = hear(agent(when="low confidence", unsure_below=-3.0), way)
    assert unsure["turn"]["spoken"][0]["candidates"]["asked"] == 3
    assert "candidates" not in sure["turn"]["spoken"][0]
    assert all(one["logprobs"] for one in server.requests)

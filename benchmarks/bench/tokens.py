"""The time to the first token at a client: of the server itself, through this graph, and through `create_agent`."""

from __future__ import annotations

import json
import statistics
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Final

from langchain_core.messages import AIMessageChunk
from langchain_openai import ChatOpenAI
from pydantic import SecretStr

from benchmarks.bench.rivals import get_forecast
from reinforced_agent.graph.build import build_agent
from reinforced_agent.tools.toolset import tool


FIRST_TOKEN: Final = 0.2
"""Seconds that the server needs for its first token; hosted models need as long or longer."""
_BETWEEN: Final = 0.01
"""Seconds between tokens."""
_ANSWER: Final = "The weather in Oslo is fine, with three degrees and no wind at all."
_QUESTION: Final = {"messages": [{"role": "user", "content": "Weather in Oslo?"}]}
_WARM_UP: Final = 2


class _Server(BaseHTTPRequestHandler):
    """Streams one answer, at an even pace."""

    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:  # the name that the base class calls
        """Answer one request."""
        self.rfile.read(int(self.headers["Content-Length"]))
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Connection", "close")
        self.end_headers()
        time.sleep(FIRST_TOKEN)
        for word in _ANSWER.split():
            self._send({"delta": {"role": "assistant", "content": f"{word} "}, "finish_reason": None})
            time.sleep(_BETWEEN)
        self._send({"delta": {}, "finish_reason": "stop"})
        self.wfile.write(b"data: [DONE]\n\n")
        self.close_connection = True

    def _send(self, choice: dict[str, Any]) -> None:
        chunk = {"id": "c", "object": "chat.completion.chunk", "created": 0, "model": "m"}
        self.wfile.write(f"data: {json.dumps({**chunk, 'choices': [{'index': 0, **choice}]})}\n\n".encode())
        self.wfile.flush()

    def log_message(self, *_: Any) -> None:
        """Keep quiet."""


@contextmanager
def _serving() -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Server)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/v1"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def bench_tokens(*, rounds: int = 15) -> dict[str, float]:
    """Time the first token at the client, interleaved in one run.

    Args:
        rounds: Answers that are timed for each.

    Returns:
        `ms`: the median time through this graph, in milliseconds; `vs_server`: over that of the model asked directly;
        `vs_create_agent` where LangChain is installed.

    """
    with _serving() as address:
        model = ChatOpenAI(model="m", api_key=SecretStr("none"), base_url=address)
        streams = {"server": lambda: model.stream("Weather in Oslo?"), "own": _own(model)}
        if (rival := _create_agent(model)) is not None:
            streams["create_agent"] = rival
        times: dict[str, list[float]] = {name: [] for name in streams}
        for turn in range(rounds + _WARM_UP):
            for name, stream in streams.items():
                elapsed = _first(stream)
                times[name] += [elapsed] if turn >= _WARM_UP else []
    medians = {name: statistics.median(values) for name, values in times.items()}
    ratios = {"ms": round(medians["own"] * 1_000, 1), "vs_server": round(medians["own"] / medians["server"], 3)}
    if "create_agent" in medians:
        ratios["vs_create_agent"] = round(medians["own"] / medians["create_agent"], 3)
    return ratios


def _first(stream: Callable[[], Iterator[Any]]) -> float:
    """Return the seconds to the first piece of text; the rest is read so that the next one has the server alone."""
    started, found = time.perf_counter(), 0.0
    for part in stream():
        piece = part[0] if isinstance(part, tuple) else part
        if not found and isinstance(piece, AIMessageChunk) and piece.text:
            found = time.perf_counter() - started
    return found


def _own(model: ChatOpenAI) -> Callable[[], Iterator[Any]]:
    agent = build_agent(model=model, tools=[tool(get_forecast, risk="read")])
    return lambda: agent.stream(_QUESTION, stream_mode="messages")


def _create_agent(model: ChatOpenAI) -> Callable[[], Iterator[Any]] | None:
    try:
        from langchain.agents import create_agent  # noqa: PLC0415  # only for comparison
    except ImportError:
        return None
    agent: Any = create_agent(model, [get_forecast])
    return lambda: agent.stream(_QUESTION, stream_mode="messages")

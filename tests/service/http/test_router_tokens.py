"""Tokens over server-sent events: what a client has on its screen when the last event has come is the answer."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import httpx
import uvicorn
from fastapi import FastAPI
from langchain_openai import ChatOpenAI
from langgraph.checkpoint.memory import InMemorySaver
from pydantic import SecretStr

from reinforced_agent import build_agent
from reinforced_agent.service.http.router import agent_router
from tests.examples.programs import events_in
from tests.models.chat_server import ChatServer, running, said
from tests.service.http.router import PAY, agent_of, decide, pay, say, use


EVENTS = "text/event-stream"


def agent_at(server: ChatServer) -> Any:
    """Build an agent whose model is at a server."""
    model = ChatOpenAI(model="m", api_key=SecretStr("made-up"), base_url=server.address, max_retries=0)
    return build_agent(model=model, tools=[pay], checkpointer=InMemorySaver())


@contextmanager
def served(agent: Any) -> Iterator[str]:
    """Serve an agent on a port of this computer."""
    app = FastAPI()
    app.include_router(agent_router(agent))
    server = uvicorn.Server(uvicorn.Config(app, port=0, log_level="error"))
    up = threading.Event()
    startup = server.startup

    async def started(*args: Any, **options: Any) -> None:
        await startup(*args, **options)
        up.set()

    server.startup = started  # type: ignore[method-assign]
    thread = threading.Thread(target=lambda: asyncio.run(server.serve()), daemon=True)
    thread.start()
    up.wait(30)
    try:
        yield f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}"
    finally:
        server.should_exit = True
        thread.join(30)


def on_screen(events: list[tuple[str, Any]]) -> dict[str, str]:
    """Return the texts that a client shows, by the id of their message."""
    shown: dict[str, str] = {}
    for name, data in events:
        if name == "token":
            shown[data["id"]] = shown.get(data["id"], "") + data["text"]
        elif name == "withdrawn":
            del shown[data["id"]]
    return shown


def test_the_pieces_are_the_answer() -> None:
    """Under the id that the last event names."""
    events = events_in(use(agent_of("It is paid already."), lambda client: say(client, accept=EVENTS)))
    name, answer = events[-1]
    assert name == "answer"
    assert on_screen(events) == {answer["id"]: answer["text"]}
    assert [one for one, _ in events].count("token") > 1


def test_what_is_sent_back_is_withdrawn() -> None:
    """A client takes it off the screen before the next try comes."""
    wrong = {"content": "I pay it.", "tool_calls": [{"name": "pay", "arguments": {"amount": "all"}}]}
    events = events_in(use(agent_of(wrong, "I can't pay."), lambda client: say(client, accept=EVENTS)))
    assert "withdrawn" in [name for name, _ in events]
    assert list(on_screen(events).values()) == ["I can't pay."]


def test_text_beside_a_call_stays_while_a_person_is_asked() -> None:
    """The answer that follows has an id of its own."""

    async def story(client: httpx.AsyncClient) -> Any:
        first = await say(client, accept=EVENTS)
        question = events_in(first)[-1][1]
        return first, await decide(client, question, {"type": "approve"}, accept=EVENTS)

    line = {**PAY, "content": "I pay it."}
    first, second = (events_in(one) for one in use(agent_of(line, "It is paid."), story))
    assert list(on_screen(first).values()) == ["I pay it."]
    answer = second[-1][1]
    assert answer["text"].startswith("It is paid.")
    assert on_screen(second) == {answer["id"]: answer["text"]}


def test_a_json_client_makes_no_stream() -> None:
    """Nobody would read its pieces."""
    with running() as server:
        server.replies = [said("It is paid already.")]
        use(agent_at(server), say)
        assert not server.requests[0].get("stream")


def test_tokens_come_while_the_model_still_speaks() -> None:
    """The client has the beginning while the model's server holds the rest back."""
    gate = threading.Event()
    with running() as server, served(agent_at(server)) as address:
        server.replies = [said("It is paid already, thank you.", gates={4: gate})]
        asked = {"json": {"text": "Pay."}, "headers": {"accept": EVENTS}, "timeout": 30}
        names, sent = [], []
        with httpx.stream("POST", f"{address}/threads/t/messages", **asked) as response:  # type: ignore[arg-type]
            for line in response.iter_lines():
                names += [line.removeprefix("event: ")] if line.startswith("event: ") else []
                if "token" in names:
                    sent += server.sent
                    gate.set()
        assert (names[0], names[-1]) == ("token", "answer")
        assert sent[0] <= 4

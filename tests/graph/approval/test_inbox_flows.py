"""What Agent Chat UI and LangGraph Studio send, as data, played against the graph itself and against a real server.

The bodies follow the sources of Agent Chat UI (`useStream().submit({}, {command})`), the decisions of LangChain's
`HITLRequest`, and the interface of LangGraph's server that Studio uses. `$question` is the id of the question as it was
last shown.
"""

from __future__ import annotations

import asyncio
import importlib.util
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Protocol

import httpx
import pytest
from langgraph.types import Command

from reinforced_agent.tools.demo.outbox import email_tool
from tests.graph.house import House, call, calls
from tests.studio.server import Server, studio_server


FLOWS: list[dict[str, Any]] = json.loads(Path(__file__).with_name("inboxes.json").read_text("utf-8"))["flows"]
ASKED = {
    "messages": [{"role": "user", "content": "Ask ann@example.com and bob@example.com. Subject Lunch.", "id": "ask"}]
}


class Player(Protocol):
    """Something that a flow is played against."""

    def ask(self) -> None:
        """Send the message of the user."""

    def send(self, path: str, body: dict[str, Any]) -> None:
        """Send a request of an inbox."""

    def question(self) -> str:
        """Return the id of the question that waits; empty for none."""

    def sent(self) -> list[Any]:
        """List the e-mails of the flow."""

    def state(self) -> dict[str, Any]:
        """Return the state of the thread, messages as plain data."""


def line_of(flow: dict[str, Any]) -> list[Any]:
    """Return what the model says in a flow."""
    return [*([{"tool_calls": flow["proposes"]}] if flow["proposes"] else []), "Done."]


def play(flow: dict[str, Any], player: Player) -> None:
    """Play a flow, and compare what it came to."""
    player.ask()
    shown = player.question()
    assert bool(shown) == bool(flow["proposes"])
    for request in flow["requests"]:
        body = json.loads(json.dumps(request["body"]).replace("$question", shown))
        player.send(request["path"], body)
        if request.get("decides") == "nothing":
            assert player.sent() == []
        shown = player.question() or shown
    assert player.question() == ""
    assert player.sent() == flow["sent"]
    state = player.state()
    assert {name: record["status"] for name, record in state["calls"].items()} == flow["statuses"]
    told = {one.get("tool_call_id"): one["content"] for one in state["messages"]}
    assert all(words in told[name] for name, words in flow["told"].items())
    for message, words in zip(state["messages"], flow.get("chat", []), strict="chat" in flow):
        assert words in message["content"]


class Graph:
    """The graph itself, with decisions by position as in the Studio graph."""

    def __init__(self, flow: dict[str, Any], folder: Path) -> None:
        """Build it."""
        self.outbox = folder / "outbox.jsonl"
        self.house = House(*line_of(flow), tools=[email_tool(self.outbox)], positional_answers=True)

    def ask(self) -> None:
        """Send the message of the user."""
        self.house.agent.invoke(ASKED, self.house.config)

    def send(self, path: str, body: dict[str, Any]) -> None:
        """Take a request as the server does."""
        if path == "state":
            self.house.agent.update_state(self.house.config, body["values"])
        else:
            self.house.agent.invoke(Command(**body["command"]), self.house.config)

    def question(self) -> str:
        """Return the id of the question that waits; empty for none."""
        waiting = self.house.agent.get_state(self.house.config).interrupts
        return waiting[0].id if waiting else ""

    def sent(self) -> list[Any]:
        """List the e-mails."""
        return (
            [json.loads(line) for line in self.outbox.read_text("utf-8").splitlines()] if self.outbox.exists() else []
        )

    def state(self) -> dict[str, Any]:
        """Return the state of the thread."""
        values = dict(self.house.agent.get_state(self.house.config).values)
        return {**values, "messages": [message.model_dump() for message in values["messages"]]}


class Served:
    """A thread of a server."""

    def __init__(self, server: Server) -> None:
        """Begin a thread."""
        self.server = server
        self.before = len(server.outbox)
        self.url = f"{server.url}/threads"
        self.url += "/" + str(self._post("", {})["thread_id"])

    def _post(self, path: str, body: dict[str, Any]) -> Any:
        answer = httpx.post(f"{self.url}{path}", json=body, timeout=60).raise_for_status()
        return answer.json() if "json" in answer.headers["content-type"] else answer.text

    def ask(self) -> None:
        """Send the message of the user."""
        self._post("/runs/wait", {"assistant_id": "agent", "input": ASKED})

    def send(self, path: str, body: dict[str, Any]) -> None:
        """Send it as it is, and read the stream to its end."""
        said = self._post(f"/{path}", body)
        assert "event: error" not in str(said)

    def question(self) -> str:
        """Return the id of the question that waits; empty for none."""
        waiting = httpx.get(f"{self.url}/state", timeout=60).raise_for_status().json()["interrupts"]
        return str(waiting[0]["id"]) if waiting else ""

    def sent(self) -> list[Any]:
        """List the e-mails of the flow."""
        return self.server.outbox[self.before :]

    def state(self) -> dict[str, Any]:
        """Return the state of the thread."""
        values: dict[str, Any] = httpx.get(f"{self.url}/state", timeout=60).raise_for_status().json()["values"]
        return values


@pytest.mark.parametrize("flow", FLOWS, ids=[flow["name"] for flow in FLOWS])
def test_a_flow_of_an_inbox_comes_to_its_end(flow: dict[str, Any], tmp_path: Path) -> None:
    """What was approved happens once, what was not doesn't, and the model hears why."""
    play(flow, Graph(flow, tmp_path))


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server over a model that says what the flows need, one after another."""
    folder = tmp_path_factory.mktemp("inbox")
    script = folder / "script.jsonl"
    script.write_text("\n".join(json.dumps(line) for flow in FLOWS for line in line_of(flow)), encoding="utf-8")
    with studio_server(folder, f"scripted:{script}") as running:
        yield running


@pytest.mark.skipif(importlib.util.find_spec("langgraph_api") is None, reason="the extra `studio` is not installed")
def test_the_flows_come_to_their_end_on_a_server(server: Server) -> None:
    """The requests are sent as they are recorded, over HTTP."""
    for flow in FLOWS:
        play(flow, Served(server))
    assert "BlockingError" not in server.log


YES = {"decisions": [{"type": "approve"}, {"type": "approve"}]}


def edited_while_waiting() -> tuple[House, str]:
    """Return a conversation whose question has to be put again, and the id that the question had."""
    notes = [call("send_note", {"to": to, "text": "hi"}, to) for to in ("bob", "ann")]
    house = House(calls(*notes), "Done.", positional_answers=True).say()
    before = house.question.id
    house.agent.update_state(
        house.config, {"messages": [{"role": "user", "content": "Now.", "id": house.history[0].id}]}
    )
    return house, before


@pytest.mark.parametrize("named", [False, True], ids=["bare", "by-the-old-id"])
@pytest.mark.parametrize("loop", [False, True], ids=["sync", "loop"])
def test_a_decision_by_position_for_a_question_that_nobody_has_seen_decides_nothing(named: bool, loop: bool) -> None:  # noqa: FBT001
    """After an edit of the chat the question has to be put again; what comes before that is an answer to none."""
    house, before = edited_while_waiting()
    stale: Any = Command(resume={before: YES} if named else YES)
    if loop:
        house.result = asyncio.run(house.agent.ainvoke(stale, house.config))
    else:
        house.result = house.agent.invoke(stale, house.config)
    assert house.effects == []
    assert house.question.id != before
    house.resume({"decisions": [{"type": "reject"}, {"type": "approve"}]})
    assert house.effects == [("ann", "hi")]


def test_a_decision_that_names_its_call_counts_after_an_edit_as_well() -> None:
    """Its token says which call is meant, whatever the question is called."""
    house, _ = edited_while_waiting()
    tokens = {
        call_id: record["token"] for call_id, record in house.agent.get_state(house.config).values["calls"].items()
    }
    decisions = [{"type": "approve", "token": tokens["ann"]}, {"type": "reject", "token": tokens["bob"]}]
    house.agent.invoke(Command(resume={"decisions": decisions}), house.config)
    assert house.effects == [("ann", "hi")]

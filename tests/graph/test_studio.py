"""The graph as LangGraph Studio shows it: a real server, without a key and without a network."""

from __future__ import annotations

import asyncio
import importlib.util
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from langgraph_sdk import get_sync_client
from langgraph_sdk.client import SyncLangGraphClient

from reinforced_agent.service import studio
from tests.studio.server import ROOT, Server, studio_server


needs_server = pytest.mark.skipif(
    importlib.util.find_spec("langgraph_api") is None,
    reason="the server behind LangGraph Studio is not installed: pip install -e '.[studio]'",
)

MAIL = {"to": "ann@example.com", "subject": "Lunch", "body": "At noon?"}
TURN: list[Any] = [
    {"tool_calls": [{"name": "send_email", "arguments": {**MAIL, "prio": "high"}, "id": "first"}]},
    {"tool_calls": [{"name": "send_email", "arguments": MAIL, "id": "second"}]},
    "The e-mail is sent.",
]
"""One turn: a call with an invented field, the right call, and the answer after a person has approved."""

SAY: dict[str, Any] = {"messages": [{"role": "user", "content": "Ask ann@example.com: At noon? Subject Lunch."}]}


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server over a scripted model that is good for a few turns."""
    folder = tmp_path_factory.mktemp("studio")
    script = folder / "script.jsonl"
    script.write_text("\n".join(json.dumps(line) for line in TURN * 6), encoding="utf-8")
    with studio_server(folder, f"scripted:{script}") as running:
        yield running


@pytest.fixture
def client(server: Server) -> Iterator[SyncLangGraphClient]:
    """The client that Studio's own requests correspond to."""
    with get_sync_client(url=server.url) as connected:
        yield connected


def _ask(client: SyncLangGraphClient) -> tuple[str, Any]:
    """Run to the question and return the thread and the question."""
    thread = str(client.threads.create()["thread_id"])
    client.runs.wait(thread, "agent", input=SAY, context={"user_id": "bob"})
    (question,) = client.threads.get_state(thread)["interrupts"]
    return thread, question


def _resume(client: SyncLangGraphClient, thread: str, answer: Any) -> Any:
    """Answer the question and run to the end."""
    return client.runs.wait(thread, "agent", command={"resume": answer}, context={"user_id": "eve"})


def test_langgraph_json_names_a_factory_in_module_form() -> None:
    """The server loads the graph as a module, so that its classes exist once, and from a function that is there."""
    settings = json.loads((ROOT / "langgraph.json").read_text(encoding="utf-8"))
    module, name = settings["graphs"]["agent"]["path"].split(":")
    assert module == studio.__name__
    assert callable(getattr(studio, name))
    assert settings["graphs"]["agent"]["description"]


@pytest.mark.parametrize(
    ("model", "said"),
    [
        pytest.param("gpt-4o", "names no model", id="unknown-form"),
        pytest.param("openai:gpt-4o", "OPENAI_API_KEY", id="no-key"),
        pytest.param("scripted:missing.jsonl", "can't be read", id="no-script"),
    ],
)
def test_without_a_usable_model_the_graph_is_shown_and_says_what_to_set(
    model: str, said: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """A fresh clone shows its graph; only a message finds out that there is no model, and how to get one."""
    monkeypatch.setenv("REINFORCED_AGENT_MODEL", model)
    monkeypatch.setenv("REINFORCED_AGENT_FOLDER", str(tmp_path))
    studio.build_once.cache_clear()
    agent = asyncio.run(studio.make_graph())
    studio.build_once.cache_clear()
    assert "check" in agent.get_graph().nodes
    assert said in agent.invoke({"messages": [("user", "Hello")]})["messages"][-1].text


def test_the_graph_is_built_once(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The server asks for the graph with every request; the model is loaded and the shop opened only once."""
    monkeypatch.setenv("REINFORCED_AGENT_MODEL", "scripted:missing.jsonl")
    monkeypatch.setenv("REINFORCED_AGENT_FOLDER", str(tmp_path))
    studio.build_once.cache_clear()

    async def many() -> list[Any]:
        return await asyncio.gather(*(studio.make_graph() for _ in range(4)))

    graphs = asyncio.run(many())
    studio.build_once.cache_clear()
    assert len({id(graph) for graph in graphs}) == 1


@needs_server
def test_studio_draws_every_edge_with_its_reason(client: SyncLangGraphClient) -> None:
    """The picture in Studio has the reasons of all routes as labels."""
    (assistant,) = client.assistants.search()
    assert assistant["description"] == "Reliable tool calling with the demo tools"
    drawn = client.assistants.get_graph(assistant["assistant_id"])
    routed = [edge for edge in drawn["edges"] if edge.get("conditional")]
    labels = {(edge["source"], edge["target"]): edge.get("data") for edge in routed}
    assert all(labels.values())
    assert labels["check", "propose"] == "revise"
    assert labels["check", "approve"] == "risky"
    assert labels["approve", "execute"] == "runnable"


@needs_server
def test_studio_offers_forms_for_input_and_context(client: SyncLangGraphClient) -> None:
    """All schemas reach Studio; every field of the context says what it is for."""
    (assistant,) = client.assistants.search()
    schemas: dict[str, Any] = dict(client.assistants.get_schemas(assistant["assistant_id"]))
    assert list(schemas["input_schema"]["properties"]) == ["messages"]
    assert {"messages", "turn", "calls"} <= set(schemas["output_schema"]["properties"])
    assert {"messages", "calls", "facts"} <= set(schemas["state_schema"]["properties"])
    fields = schemas["context_schema"]["properties"]
    assert {"user_id", "roles", "locale", "facts"} <= set(fields)
    assert all(field["description"] for field in fields.values())


@needs_server
def test_the_answer_comes_in_pieces_over_the_server(client: SyncLangGraphClient) -> None:
    """A chat page gets them under one id, which is that of the stored answer."""
    thread, question = _ask(client)
    answer = {question["id"]: {"decisions": [{"type": "reject", "token": question["value"]["calls"][0]["token"]}]}}
    told_as: Any = {"context": {"user_id": "eve"}, "stream_mode": "messages-tuple"}
    parts = client.runs.stream(thread, "agent", command={"resume": answer}, **told_as)
    pieces = [part.data[0] for part in parts if part.event == "messages" and part.data[0]["type"] == "AIMessageChunk"]
    last = client.threads.get_state(thread)["values"]["messages"][-1]  # type: ignore[call-overload]
    told = [piece["content"] for piece in pieces if piece["id"] == last["id"]]
    assert len(told) > 1
    assert "".join(told) == last["content"]


@needs_server
def test_a_question_is_shown_and_answered_by_its_token(client: SyncLangGraphClient, server: Server) -> None:
    """A person sees what will run and why they are asked; their approval runs it once."""
    sent = len(server.outbox)
    thread, question = _ask(client)
    value = question["value"]
    assert value["action_requests"][0]["args"] == MAIL
    assert value["review_configs"][0]["allowed_decisions"] == ["approve", "edit", "reject", "respond"]
    assert {"token", "digest", "risk", "reason"} <= set(value["calls"][0])
    assert len(server.outbox) == sent
    decision = {"type": "approve", "token": value["calls"][0]["token"]}
    end = _resume(client, thread, {question["id"]: {"decisions": [decision]}})
    assert end["messages"][-1]["content"] == "The e-mail is sent."
    assert end["calls"]["second"]["decision"]["by"]["user_id"] == "eve"
    assert server.outbox[sent:] == [MAIL]


@needs_server
def test_the_history_tells_why_a_call_was_sent_back(client: SyncLangGraphClient) -> None:
    """Without reading code, a developer finds the layer that objected, its words, and where it happened."""
    thread, question = _ask(client)
    refused = client.threads.get_state(thread)["values"]["calls"]["first"]  # type: ignore[call-overload]
    objection = refused["verdicts"][-1]
    assert (refused["status"], objection["verdict"], objection["layer"]) == ("revise", "revise", "arguments")
    assert "`prio` is not a parameter of `send_email`" in objection["message"]
    assert objection["fields"] == ["prio"]
    nodes = [snapshot["next"] for snapshot in client.threads.get_history(thread, limit=50)]
    assert nodes[::-1][1:] == [["plan"], ["propose"], ["check"], ["propose"], ["check"], ["approve"]]
    _resume(client, thread, {question["id"]: {"decisions": [{"type": "approve"}]}})


@needs_server
def test_a_plain_answer_decides_the_one_waiting_call(client: SyncLangGraphClient, server: Server) -> None:
    """What Studio's form sends, a decision without a token, is enough while one call waits."""
    sent = len(server.outbox)
    thread, _ = _ask(client)
    end = _resume(client, thread, {"decisions": [{"type": "approve"}]})
    assert end["calls"]["second"]["status"] == "done"
    assert len(server.outbox) == sent + 1


@needs_server
def test_a_wrong_context_is_refused_in_words(client: SyncLangGraphClient) -> None:
    """A value of the wrong kind in the context ends the run with an error that names the field; nothing has run."""
    thread = str(client.threads.create()["thread_id"])
    end: Any = client.runs.wait(thread, "agent", input=SAY, context={"user_id": 7}, raise_error=False)
    assert end["__error__"]["error"] == "ValidationError"
    assert "user_id" in end["__error__"]["message"]
    assert "valid string" in end["__error__"]["message"]
    assert not client.threads.get_state(thread)["values"]


@needs_server
def test_the_server_reaches_nobody_and_blocks_nothing(client: SyncLangGraphClient, server: Server) -> None:
    """After a whole conversation nothing was looked up outside this computer, and nothing held up the event loop."""
    thread, _ = _ask(client)
    _resume(client, thread, {"decisions": [{"type": "approve"}]})
    assert server.escapes == []
    assert "BlockingError" not in server.log
    assert "Failed to get" not in server.log

"""Tracing to LangSmith, against a server on this computer: nothing when it is off, no secret when it is on."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import threading
from collections.abc import Callable
from typing import Any

import pytest
from langchain_core.runnables import RunnableConfig, RunnableLambda
from langchain_core.tracers import LangChainTracer
from langgraph.checkpoint.memory import InMemorySaver
from langsmith import Client, run_trees, traceable, tracing_context, utils

from reinforced_agent import ScriptedModel, build_agent, tool
from reinforced_agent.graph.records import tracing
from reinforced_agent.graph.records.tracing import traced_config
from reinforced_agent.policies.redaction import MASK
from tests.graph.listener import Listener, listening
from tests.graph.records.masks import alike


PASSWORD = "correct-horse-battery"
KEY = "sk-proj-abcdefghij0123456789"
GITHUB = "ghp_abcdefghij0123456789abcdefghij012345"


def _agent() -> Any:
    """A graph whose tools are given, return and raise secrets."""

    @tool(risk="read")
    def log_in(user: str, password: str) -> dict[str, str]:
        """Log in."""
        return {"greeting": f"Welcome {user}, your key is {KEY}", "session_token": password[::-1]}

    @tool(risk="read")
    def clone(path: str) -> str:
        """Clone a repository."""
        msg = f"{path}: {GITHUB} was refused"
        raise OSError(msg)

    calls = [
        {"name": "log_in", "arguments": {"user": "ann", "password": PASSWORD}, "id": "c1"},
        {"name": "clone", "arguments": {"path": "shop"}, "id": "c2"},
    ]
    model = ScriptedModel(lines=[{"tool_calls": calls}, "You are logged in."])
    return build_agent(model=model, tools=[log_in, clone])


def _run(config: RunnableConfig | None = None) -> Any:
    """Run the graph to its answer."""
    asked = f"Log me in with https://ann:{PASSWORD}@shop.example"
    return _agent().invoke({"messages": [("user", asked)]}, traced_config(config or {}))


def test_no_secret_is_sent(langsmith: Listener) -> None:
    """Arguments, results, errors, prompts and the model's own settings arrive, without what is secret in them."""
    assert _run()["turn"]["outcome"] == "answered"
    tracing._client().flush()
    assert len(langsmith.named("reinforced_agent")) == len(langsmith.named("plan")) == 1
    assert "Welcome ann" in langsmith.text
    assert "was refused" in langsmith.text
    assert f'"password":"{MASK}"' in alike(langsmith.text)
    for secret in (PASSWORD, PASSWORD[::-1], KEY, GITHUB):
        assert secret not in langsmith.text


def test_a_run_in_an_event_loop_is_masked_as_well(langsmith: Listener) -> None:
    """The async door traces the same runs, as clean."""
    asked = {"messages": [("user", f"Log me in with {KEY}")]}
    state = asyncio.run(_agent().ainvoke(asked, traced_config({})))
    assert state["turn"]["outcome"] == "answered"
    tracing._client().flush()
    assert len(langsmith.named("reinforced_agent")) == len(langsmith.named("plan")) == 1
    for secret in (PASSWORD, PASSWORD[::-1], KEY, GITHUB):
        assert secret not in langsmith.text


def test_the_token_of_an_approval_is_not_sent(langsmith: Listener) -> None:
    """Who reads a trace can't answer for the person who was asked."""

    @tool
    def send_note(to: str) -> str:
        """Send a note."""
        return f"sent to {to}"

    model = ScriptedModel(lines=[{"tool_calls": [{"name": "send_note", "arguments": {"to": "ann"}, "id": "c1"}]}])
    agent = build_agent(model=model, tools=[send_note], checkpointer=InMemorySaver())
    config: RunnableConfig = {"configurable": {"thread_id": "t"}}
    (question,) = agent.invoke({"messages": [("user", "Send it")]}, traced_config(config))["__interrupt__"]
    tracing._client().flush()
    (held,) = question.value["calls"]
    assert held["digest"] in langsmith.text
    assert held["token"] not in langsmith.text


OFF = """
import sys
reached = []
def watch(event, arguments):
    if event in {"socket.connect", "socket.getaddrinfo"}:
        reached.append(arguments)
sys.addaudithook(watch)
from reinforced_agent import ScriptedModel, build_agent
from reinforced_agent.graph.records.tracing import annotate, traced_config
config = {"tags": ["x"]}
assert traced_config(config) is config
agent = build_agent(model=ScriptedModel(lines=["Hello."]), tools=[])
print(agent.invoke({"messages": [("user", "Hi")]}, traced_config(config))["turn"]["outcome"], reached)
annotate([])
"""


@pytest.mark.parametrize("value", [pytest.param(None, id="unset"), pytest.param("false", id="false")])
def test_nothing_happens_when_tracing_is_off(value: str | None) -> None:
    """With a key but without the switch the config stays the very same, and no socket is opened."""
    unset = {name: text for name, text in os.environ.items() if not name.startswith("LANGSMITH_")}
    switch = {} if value is None else {"LANGSMITH_TRACING": value}
    ran = subprocess.run(
        [sys.executable, "-c", OFF],
        env=unset | switch | {"LANGSMITH_API_KEY": "lsv2_pt_made_up"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (ran.stdout.strip(), ran.returncode) == ("answered []", 0), ran.stderr


def test_the_hosts_own_tracer_is_left_alone(langsmith: Listener) -> None:
    """A client that the host brings itself decides about its data itself, and is not doubled."""
    own = Client(api_url=langsmith.url, api_key="made-up", anonymizer=lambda _: {"own": True})
    tracer = LangChainTracer(client=own)
    config: RunnableConfig = {"callbacks": [tracer]}
    assert traced_config(config)["callbacks"] == [tracer]
    with tracing_context(client=own, enabled=True):
        assert traced_config({}) == {}
    own.cleanup(timeout=0)


def test_a_config_that_is_prepared_twice_traces_once(langsmith: Listener) -> None:
    """A graph within a graph prepares the config that it was given once more."""
    _run(traced_config({}))
    tracing._client().flush()
    assert len(langsmith.named("reinforced_agent")) == 1


def test_within_another_traced_run_the_trace_goes_on_without_secrets(langsmith: Listener) -> None:
    """Where LangChain traces a chain around the graph, the graph's part of that trace is masked and not doubled."""

    def around(_: str, config: RunnableConfig) -> str:
        return str(_run(config)["turn"]["outcome"])

    assert RunnableLambda(around, name="around").invoke("hello") == "answered"
    run_trees.get_cached_client().flush()
    tracing._client().flush()
    (outer,), (inner,) = langsmith.named("around"), langsmith.named("reinforced_agent")
    assert inner["parent_run_id"] == outer["id"]
    assert inner["trace_id"] == outer["trace_id"]
    for secret in (PASSWORD, KEY, GITHUB):
        assert secret not in langsmith.text


def test_within_a_traced_function_the_trace_goes_on(langsmith: Listener) -> None:
    """A function under LangSmith's own decorator stays the parent."""

    @traceable(name="around")
    def around() -> str:
        return str(_run()["turn"]["outcome"])

    assert around() == "answered"
    run_trees.get_cached_client().flush()
    tracing._client().flush()
    (outer,), (inner,) = langsmith.named("around"), langsmith.named("reinforced_agent")
    assert inner["parent_run_id"] == outer["id"]
    assert PASSWORD not in langsmith.text


def test_a_slow_server_holds_up_nothing(environment: Callable[..., None]) -> None:
    """The run ends before the server has answered a single request; what it had to tell is sent afterwards."""
    answer = threading.Event()
    with listening(until=answer) as listener:
        environment(TRACING="true", ENDPOINT=listener.url)
        assert _run()["turn"]["outcome"] == "answered"
        assert listener.answered == 0
        answer.set()
        tracing._client().flush()
        assert listener.named("reinforced_agent")


def test_a_server_that_is_down_is_the_logs_concern_only(
    environment: Callable[..., None], caplog: pytest.LogCaptureFixture
) -> None:
    """The run ends as it does without tracing; the log tells that nothing could be sent."""
    environment(TRACING="true", ENDPOINT="http://127.0.0.1:9")
    assert _run()["turn"]["outcome"] == "answered"
    tracing._client().flush()
    assert "127.0.0.1:9" in caplog.text


def test_without_a_usable_client_the_run_is_not_traced(
    environment: Callable[..., None], caplog: pytest.LogCaptureFixture
) -> None:
    """A setting that LangSmith refuses costs the trace and a line in the log, never the run, and nothing is sent."""
    with listening() as listener:
        environment(TRACING="true", ENDPOINT=listener.url, TRACING_SAMPLING_RATE="lots")
        assert _run()["turn"]["outcome"] == "answered"
        assert "nothing is traced" in caplog.text
        assert listener.answered == 0


def test_the_environment_of_the_tests_is_restored() -> None:
    """Other tests stay without tracing."""
    assert os.environ["LANGSMITH_TRACING"] == "false"
    assert not utils.tracing_is_enabled()

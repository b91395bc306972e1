"""Masks within the graph: which way fits which model, how replies are read back, and what feedback takes away."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Literal

import pytest
from langchain_openai import ChatOpenAI
from pydantic import SecretStr

from reinforced_agent import (
    ScriptedModel,
    Strategy,
    StrategyError,
    TextToolModel,
    build_agent,
    parse_rules,
    resolve_model,
    tool,
)
from reinforced_agent.graph.generation.guided import guided
from reinforced_agent.graph.records.record import records_of
from reinforced_agent.policies.pipeline import RuleBook
from tests.models.guided_server import Server, called, running


took: list[dict[str, Any]] = []


@tool(risk="read")
def book_room(city: str, room: Literal["single", "double", "suite"], nights: int = 2, note: str = "") -> str:
    """Look for a room."""
    took.append({"city": city, "room": room, "nights": nights, "note": note})
    return f"a {room} room in {city} is free"


@tool(risk="read")
def log_in(name: str) -> str:
    """Log in."""
    return f"{name} is logged in"


def call(name: str, /, **arguments: Any) -> dict[str, Any]:
    """Write a call down."""
    return {"name": name, "arguments": arguments}


ASK: Any = {"messages": [("user", "I'm Ann. Is a suite in Brest free?")]}


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    """Run a server that masks, and point the environment to it."""
    took.clear()
    with running("masks") as found:
        monkeypatch.setenv("OPENAI_BASE_URL", found.address)
        monkeypatch.setenv("OPENAI_API_KEY", "made-up")
        yield found


def test_what_a_strict_model_leaves_out_is_left_out(server: Server) -> None:
    """The null that strict tools want in its place doesn't reach the checks, the record or the tool."""
    server.drafts = [[call("book_room", city="Brest", room="suite")], ["It is."]]
    state = build_agent(model="openai:m", tools=[book_room], strategy="guided").invoke(ASK)
    assert took == [{"city": "Brest", "room": "suite", "nights": 2, "note": ""}]
    assert [one["arguments"] for one in state["calls"].values()] == [{"city": "Brest", "room": "suite"}]
    assert "null" not in str(server.requests[1]["messages"])


def test_a_null_where_a_value_is_needed_is_sent_back(server: Server) -> None:
    """It is no way to leave that out, whatever a server lets pass."""
    server.drafts = [[called("book_room", '{"city": null, "room": "suite", "nights": null, "note": null}')], ["No."]]
    server.manner = "ignores"
    build_agent(model="openai:m", tools=[book_room], strategy="guided").invoke(ASK)
    assert "`city`" in server.requests[1]["messages"][-1]["content"]
    assert took == []


WAYS = ["strict tools", "response_format", "llama.cpp grammar"]
RULES = """
[[fact]]
fact = "name"
tool = "log_in"

[[rule]]
kind = "requires"
name = "log in first"
tools = ["book_room"]
fact = "name"
"""
NO_SUITES = """
[[rule]]
kind = "forbidden"
name = "no suites"
tools = ["book_room"]
claims = [{ value = { field = "room" }, equals = "suite" }]
"""
NO_SUITES_FOR_LONG = (
    NO_SUITES
    + """
[[rule.when]]
value = { field = "nights" }
at_least = 5
"""
)
SUITE, DOUBLE = (call("book_room", city="Brest", room=room, nights=7) for room in ("suite", "double"))


def agent(way: Any, rules: str) -> Any:
    """Build an agent under rules, whose replies are masked."""
    tools = [book_room, log_in]
    return build_agent(
        model="openai:m", tools=tools, policies=[parse_rules(rules, tools)], strategy=Strategy(guided=way)
    )


@pytest.mark.parametrize("way", WAYS)
def test_a_refused_value_cannot_be_written_again(server: Server, way: Any) -> None:
    """A rule forbids suites; where the model would insist, its second thought is what is left."""
    pytest.importorskip("llguidance", reason="the parser of grammars is not installed")
    server.drafts = [[SUITE, DOUBLE], [SUITE, DOUBLE], ["A double room is."]]
    state = agent(way, NO_SUITES).invoke(ASK)
    assert [one["arguments"]["room"] for one in state["calls"].values()] == ["suite", "double"]
    assert [one["room"] for one in took] == ["double"]


def test_a_value_that_was_refused_for_another_stays(server: Server) -> None:
    """A rule forbids suites for a week; for two nights, the same value is right."""
    short = call("book_room", city="Brest", room="suite", nights=2)
    server.drafts = [[SUITE], [short], ["It is."]]
    agent("strict tools", NO_SUITES_FOR_LONG).invoke(ASK)
    assert [one["nights"] for one in took] == [2]


@pytest.mark.parametrize("way", WAYS)
def test_a_tool_waits_for_the_one_before_it(server: Server, way: Any) -> None:
    """Where another tool has to run first, that one is left; when it has run, both are there again."""
    pytest.importorskip("llguidance", reason="the parser of grammars is not installed")
    login = call("log_in", name="Ann")
    server.drafts = [[DOUBLE], [DOUBLE, login], [DOUBLE], ["A double room is."]]
    state = agent(way, RULES).invoke(ASK)
    assert [one["tool"] for one in state["calls"].values()] == ["book_room", "log_in", "book_room"]
    assert len(took) == 1


def test_what_is_on_record(server: Server) -> None:
    """The record of every proposal says how it was masked, and whether that helped."""
    server.drafts = [["Yes."]]
    state: Any = build_agent(model="openai:m", tools=[book_room], strategy="guided").invoke(ASK)
    record = records_of(state, "t", "now")[0]
    assert record.guided == {"way": "strict tools", "sent": True, "heeded": True}


@pytest.mark.parametrize(
    ("spec", "given", "way"),
    [
        pytest.param("openai:m", "guided", "strict tools", id="native calls"),
        pytest.param("openai:m+json", "guided", "response_format", id="calls as text"),
        pytest.param("openai:m+react", "guided", "response_format", id="calls as lines"),
        pytest.param("completion:m", "guided", "response_format", id="completions"),
        pytest.param("openai:m", "guided+candidates", "strict tools", id="with candidates"),
        pytest.param("openai:m", Strategy(guided="vllm"), "vllm", id="named"),
        pytest.param("openai:m", "retry", None, id="not wanted"),
        pytest.param("openai:m", "candidates", None, id="not wanted with candidates"),
    ],
)
def test_the_way_is_chosen_by_the_model(monkeypatch: pytest.MonkeyPatch, spec: str, given: Any, way: Any) -> None:
    """A model that calls tools itself gets strict ones; one that writes text has its text masked."""
    monkeypatch.setenv("OPENAI_API_KEY", "made-up")
    _, guide = guided(resolve_model(spec), given, RuleBook([book_room]))
    assert (guide.way if guide else None) == way


def test_a_model_that_cannot_be_masked(caplog: pytest.LogCaptureFixture) -> None:
    """It is asked as with plain feedback, and the log says so."""
    agent = build_agent(model=ScriptedModel(lines=["Hi."]), tools=[book_room], strategy="guided")
    assert agent.invoke(ASK)["messages"][-1].text == "Hi."
    assert "What ScriptedModel writes can't be masked" in caplog.text


@pytest.mark.parametrize(
    ("model", "way", "why"),
    [
        pytest.param(ScriptedModel(lines=[]), "vllm", "OpenAI-compatible servers, not ScriptedModel", id="no server"),
        pytest.param(
            TextToolModel(inner=ChatOpenAI(model="m", api_key=SecretStr("x"))), "strict tools", "themselves", id="text"
        ),
    ],
)
def test_a_way_that_a_model_does_not_have(model: Any, way: Any, why: str) -> None:
    """Named outright, it is an error when the agent is built."""
    with pytest.raises(StrategyError, match=why):
        build_agent(model=model, tools=[book_room], strategy=Strategy(guided=way))


def test_a_tool_that_is_not_strict_is_named(monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> None:
    """The log says which one, and why, when the agent is built."""
    monkeypatch.setenv("OPENAI_API_KEY", "made-up")
    build_agent(model="openai:m", tools=[book_room, keep], strategy="guided")
    assert "The tool keep is offered without `strict`" in caplog.text
    assert "`values` may hold fields that aren't declared" in caplog.text


@tool(risk="read")
def keep(values: dict[str, int]) -> str:
    """Keep values."""
    return str(values)

"""Several proposals for one turn: what runs, what is on record, and what it costs."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from langchain_core.messages import AIMessage
from langgraph.checkpoint.memory import InMemorySaver

from reinforced_agent import Limits, ScriptedModel, Strategy, build_agent, tool
from reinforced_agent.graph.records.record import ProposalRecord


ran: list[int] = []


@tool(risk="read")
def double(number: int) -> int:
    """Double a number."""
    ran.append(number)
    return 2 * number


@pytest.fixture(autouse=True)
def _nothing_ran() -> None:
    ran.clear()


def call(**arguments: Any) -> dict[str, Any]:
    """Write a line with one call."""
    return {"tool_calls": [{"name": "double", "arguments": arguments}]}


WRONG = call(nummer="many")
RIGHT = call(number=4)
ASK = {"messages": [("user", "Double 4.")]}
CASES = [
    pytest.param(Strategy(candidates=3), [WRONG, WRONG, RIGHT, WRONG, "8"], 2, [4], id="after a failed try"),
    pytest.param(Strategy(candidates=2, when="always"), [WRONG, RIGHT, "8", "8"], 1, [4], id="always"),
    pytest.param(Strategy(), [WRONG, RIGHT, "8"], 2, [4], id="retry"),
    pytest.param(
        Strategy(candidates=2, when="always", take="best"), [RIGHT, RIGHT, "8", "8"], 1, [4], id="the same twice"
    ),
]


@pytest.mark.parametrize(("strategy", "lines", "step", "effects"), CASES)
def test_one_of_them_runs(strategy: Strategy, lines: list[Any], step: int, effects: list[int]) -> None:
    """The right one runs once, in the step in which it came."""
    model = ScriptedModel(lines=lines, repeat_last=True)
    said = build_agent(model=model, tools=[double], strategy=strategy).invoke(ASK)
    assert effects == ran
    assert said["messages"][-1].text == "8"
    assert [step] == [record["step"] for record in said["calls"].values() if record["status"] == "done"]


@pytest.mark.parametrize(("strategy", "lines", "step", "effects"), CASES)
def test_one_of_them_runs_in_an_event_loop(strategy: Strategy, lines: list[Any], step: int, effects: list[int]) -> None:
    """The same in an event loop."""
    model = ScriptedModel(lines=lines, repeat_last=True)
    said = asyncio.run(build_agent(model=model, tools=[double], strategy=strategy).ainvoke(ASK))
    assert effects == ran
    assert [step] == [record["step"] for record in said["calls"].values() if record["status"] == "done"]


def test_the_losers_leave_a_count() -> None:
    """Of the others, the record holds how many there were and what was wrong, and the state no call of theirs."""
    kept: list[ProposalRecord] = []
    model = ScriptedModel(lines=[WRONG, call(number="x"), RIGHT, "8"], repeat_last=True)
    strategy = Strategy(candidates=3, when="always", take="best")
    agent = build_agent(
        model=model, tools=[double], strategy=strategy, sinks=[kept.extend], checkpointer=InMemorySaver()
    )
    config: Any = {"configurable": {"thread_id": "t"}}
    said = agent.invoke(ASK, config)
    tally = kept[0].candidates
    assert {name: tally[name] for name in ("asked", "came", "distinct", "valid")} == {
        "asked": 3,
        "came": 3,
        "distinct": 3,
        "valid": 1,
    }
    assert tally["lost"] == {"unknown_argument": 1, "invalid_arguments": 1}
    assert len(said["calls"]) == 1
    assert tally == agent.get_state(config).values["turn"]["spoken"][0]["candidates"]


def test_none_is_right() -> None:
    """The one that got furthest is sent back as usual."""
    model = ScriptedModel(lines=[WRONG, WRONG, RIGHT, RIGHT, "8"], repeat_last=True)
    said = build_agent(model=model, tools=[double], strategy=Strategy(candidates=2, when="always")).invoke(ASK)
    assert ["refused" if "feedback" in one else one["status"] for one in said["calls"].values()][-1] == "done"
    assert len(said["calls"]) == 2
    assert ran == [4]


def test_retry_asks_once() -> None:
    """The default asks for one proposal a step and records no count."""
    model = ScriptedModel(lines=[WRONG, RIGHT, "8"])
    said = build_agent(model=model, tools=[double]).invoke(ASK)
    assert len(model.seen) == 3
    assert all("candidates" not in spoken for spoken in said["turn"]["spoken"])


def test_all_requests_fail() -> None:
    """A model that can't be reached at all ends the run as ever."""
    model = ScriptedModel(lines=[ConnectionError("gone")], repeat_last=True)
    said = build_agent(model=model, tools=[double], strategy=Strategy(candidates=2, when="always")).invoke(ASK)
    assert said["turn"]["outcome"] == "model_down"


def test_few_tokens_are_enough_for_few_proposals() -> None:
    """Where the tokens of the run are nearly used up, fewer proposals are asked for."""
    usage: Any = {"input_tokens": 10, "output_tokens": 5, "total_tokens": 15}
    wrong = AIMessage("", tool_calls=[{"name": "double", "args": {"nummer": 1}, "id": "a"}], usage_metadata=usage)
    right = AIMessage("", tool_calls=[{"name": "double", "args": {"number": 4}, "id": "b"}], usage_metadata=usage)
    model = ScriptedModel(lines=[wrong, wrong, right, right, "8"], repeat_last=True)
    strategy = Strategy(candidates=3, take="best")
    said = build_agent(model=model, tools=[double], strategy=strategy, limits=Limits(tokens=50)).invoke(ASK)
    assert said["turn"]["spoken"][1]["candidates"]["asked"] == 2
    assert ran == [4]


def test_no_token_of_theirs_is_heard() -> None:
    """A reader of the message stream hears the answer once, and no proposal that lost."""
    model = ScriptedModel(lines=["Eight."], repeat_last=True)
    agent = build_agent(model=model, tools=[double], strategy=Strategy(candidates=3, when="always"))
    heard = [part[0].text for part in agent.stream(ASK, stream_mode="messages")]
    assert [text for text in heard if text] == ["Eight."]

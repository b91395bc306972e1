"""The time of a run: what counts, what doesn't, and that nothing outlives it."""

from __future__ import annotations

import asyncio
import threading
import time
from typing import Any

import pytest
from langchain_core.messages import AIMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.types import interrupt
from pydantic import PrivateAttr

from reinforced_agent import Limits, ScriptedModel, Strategy, build_agent, tool
from reinforced_agent.models import waiting
from tests.graph.answers.test_endings import OSLO, run
from tests.graph.house import House, assert_valid, call, calls, wait_until


@pytest.mark.parametrize("in_loop", [False, True], ids=["sync", "async"])
def test_a_tool_that_hangs_ends_with_the_time_of_the_run(in_loop: bool) -> None:  # noqa: FBT001  # a parameter
    """No call outlives the run, whatever time it has itself, and those that wait for a place wait within its time."""

    @tool(risk="read", timeout=60)
    def stare(at: int) -> str:
        """Stare at something."""
        time.sleep(5)
        return f"still {at}"

    batch = calls(*(call("stare", {"at": n}, f"c{n}") for n in range(4)))
    started = time.monotonic()
    house = run(
        House(batch, "Never said.", tools=[stare], limits=Limits(seconds=0.3, parallel_calls=1)), in_loop=in_loop
    )
    assert time.monotonic() - started < 4
    assert house.outcome == "limit"
    assert sorted(house.status(f"c{n}") for n in range(4)) == ["failed", "refused", "refused", "refused"]
    assert "the time for one request, 0.3 seconds, is used up" in house.answer
    assert "The time for this request is used up, so `stare` was not run." in house.answer
    assert house.result["turn"]["left"]["seconds"] == 0
    assert len(house.model.seen) == 1
    assert_valid(house.history)


def test_the_time_of_calls_that_wait_for_each_other_adds_up() -> None:
    """With one place, two calls take the time of both; with two places, that of one."""

    @tool(risk="read")
    def nap(number: int) -> str:
        """Sleep a little."""
        time.sleep(0.2)
        return f"slept {number}"

    batch = calls(call("nap", {"number": 1}, "c1"), call("nap", {"number": 2}, "c2"))
    one = House(batch, "Slept.", tools=[nap], limits=Limits(parallel_calls=1)).say()
    two = House(batch, "Slept.", tools=[nap], limits=Limits(parallel_calls=2)).say()
    assert one.result["turn"]["spent"]["seconds"] >= 0.4
    assert 0.2 <= two.result["turn"]["spent"]["seconds"] < one.result["turn"]["spent"]["seconds"]


def test_the_time_a_person_takes_is_not_counted() -> None:
    """Neither a question of the graph nor one of a tool itself uses up the time of the run."""

    @tool(risk="read")
    def ask_colour() -> str:
        """Ask somebody for a colour."""
        return str(interrupt("Which colour?"))

    lines = [calls(call("ask_colour", {}, "c1")), calls(call("send_note", {"to": "ann", "text": "hi"}, "c2")), "Done."]
    house = House(*lines, tools=[*House().tools(), ask_colour], limits=Limits(seconds=1)).say()
    time.sleep(1.1)
    house.resume("green")
    assert house.told("c1") == "green"
    time.sleep(1.1)
    house.decide({"type": "approve"})
    assert (house.status("c2"), house.outcome) == ("done", "answered")


class Silent(ScriptedModel):
    """A model that says its lines, and then hangs until it is let go."""

    _let_go: threading.Event = PrivateAttr(default_factory=threading.Event)

    def _generate(self, *given: Any, **more: Any) -> Any:
        """Say the next line, or nothing for a minute."""
        if len(self.seen) >= len(self.lines):
            self._let_go.wait(60)
            return ChatResult(generations=[ChatGeneration(message=AIMessage("Too late."))])
        return super()._generate(*given, **more)

    async def _agenerate(self, *given: Any, **more: Any) -> Any:
        """Say the next line, or nothing for a minute."""
        if len(self.seen) >= len(self.lines):
            await asyncio.sleep(60)
        return super()._generate(*given, **more)

    def let_go(self) -> None:
        """Let the requests that hang end."""
        self._let_go.set()


@pytest.mark.parametrize("in_loop", [False, True], ids=["sync", "async"])
@pytest.mark.parametrize(
    ("options", "lines"),
    [
        ({}, [calls(call("get_forecast", OSLO, "c1"))]),
        ({"strategy": Strategy(candidates=2, when="always")}, []),
        ({"planning": "always"}, []),
    ],
    ids=["after a call", "candidates", "plan"],
)
def test_a_model_that_hangs_ends_with_the_time_of_the_run(
    in_loop: bool,  # noqa: FBT001  # a parameter
    options: dict[str, Any],
    lines: list[Any],
) -> None:
    """A request that isn't answered is given up, and what was done before it is told."""
    model = Silent(lines=lines)
    agent = build_agent(model=model, tools=House().tools(), limits=Limits(seconds=0.3), **options)
    asked: Any = {"messages": [("user", "Weather in Oslo?")]}
    started = time.monotonic()
    result = asyncio.run(agent.ainvoke(asked)) if in_loop else agent.invoke(asked)
    assert time.monotonic() - started < 20
    assert result["turn"]["outcome"] == "limit"
    answer = result["messages"][-1].text
    assert ("Oslo 2030-01-02 3 celsius" in answer) == bool(lines)
    assert "the time for one request, 0.3 seconds, is used up" in answer
    assert_valid(result["messages"])
    model.let_go()


def test_nobody_hears_of_an_answer_that_comes_too_late() -> None:
    """Whoever listens to the tokens of a graph around ours reads the account, and not the model's late answer."""
    model = Silent(lines=[])
    agent = build_agent(model=model, tools=[], limits=Limits(seconds=0.1), name="inner")

    def wait(state: MessagesState) -> dict[str, Any]:
        """Let the model answer now, and see it end."""
        before = waiting.hanging()
        model.let_go()
        wait_until(lambda: waiting.hanging() < before)
        return {}

    drawn = StateGraph(MessagesState)
    drawn.add_node("inner", agent)
    drawn.add_node("wait", wait)
    drawn.add_edge(START, "inner")
    drawn.add_edge("inner", "wait")
    asked: Any = {"messages": [("user", "Hello?")]}
    heard: list[Any] = list(drawn.compile().stream(asked, stream_mode="messages", subgraphs=True))
    assert [message.text.split(":")[0] for _, (message, _) in heard] == ["I could not finish this request"]


def test_many_requests_that_hang_are_followed_by_no_more(monkeypatch: pytest.MonkeyPatch) -> None:
    """A server that hangs can't fill the process with threads: the next run is told at once that the model is away."""
    monkeypatch.setattr(waiting, "MOST_LEFT_BEHIND", waiting.hanging() + 1)
    model = Silent(lines=[])
    agent = build_agent(model=model, tools=[], limits=Limits(seconds=0.1))
    asked: Any = {"messages": [("user", "Hello?")]}
    assert agent.invoke(asked)["turn"]["outcome"] == "limit"
    turn = agent.invoke(asked)["turn"]
    assert turn["outcome"] == "model_down"
    assert "earlier requests to models still hang" in turn["detail"]
    model.let_go()

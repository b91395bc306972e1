"""The runs that benchmarks compare: this graph, a bare LangGraph, and LangChain's agent, with one tool call each."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypedDict

from langgraph.graph import END, START, StateGraph

from reinforced_agent.graph.build import build_agent
from reinforced_agent.models.scripted import ScriptedModel
from reinforced_agent.tools.toolset import tool


_NODES = 8
_MESSAGE = {"messages": [{"role": "user", "content": "Weather in Oslo?"}]}


class _Forever(ScriptedModel):
    """Says its lines again and again."""

    def _line(self) -> Any:
        line = self.lines[self._next[0] % len(self.lines)]
        self._next[0] += 1
        return line


def repeating_model() -> _Forever:
    """Make a model that calls once and then answers."""
    call = {"name": "get_forecast", "arguments": {"city": "Oslo"}}
    return _Forever(lines=[{"tool_calls": [call]}, "3 degrees."])


def get_forecast(city: str) -> str:
    """Tell the weather of a city."""
    return f"{city}: 3 degrees"


def own_run() -> Callable[[], object]:
    """Make a run of this graph."""
    agent = build_agent(model=repeating_model(), tools=[tool(get_forecast, risk="read")])
    return lambda: agent.invoke(_MESSAGE)


class _Count(TypedDict):
    """State of the bare graph."""

    count: int


def _step(state: _Count) -> _Count:
    """Do next to nothing."""
    return {"count": state["count"] + 1}


def bare_run() -> Callable[[], object]:
    """Make a run of a chain with as many nodes that do nothing."""
    graph = StateGraph(_Count)
    names = [f"step_{n}" for n in range(_NODES)]
    for name in names:
        graph.add_node(name, _step)
    for before, after in zip([START, *names], [*names, END], strict=True):
        graph.add_edge(before, after)
    compiled = graph.compile()
    return lambda: compiled.invoke({"count": 0})


def create_agent_run() -> Callable[[], object] | None:
    """Make a run of LangChain's agent, where LangChain is installed."""
    try:
        from langchain.agents import create_agent  # noqa: PLC0415  # only for comparison
    except ImportError:
        return None
    agent: Any = create_agent(repeating_model(), [get_forecast])
    return lambda: agent.invoke(_MESSAGE)

"""The ledger that goes with a store of threads in memory."""

from __future__ import annotations

import copy

from langgraph.checkpoint.memory import InMemorySaver

from reinforced_agent import ScriptedModel, build_agent, tool
from reinforced_agent.graph.agent import Agent


@tool(risk="read")
def look() -> str:
    """Look."""
    return "seen"


def _agent(store: InMemorySaver) -> Agent:
    """Build an agent over a store."""
    return build_agent(model=ScriptedModel(lines=[]), tools=[look], checkpointer=store)


def test_an_agent_built_anew_over_the_same_threads_finds_what_was_done() -> None:
    """Also over a copy of the store, such as LangGraph gives its agents; another store has its own ledger."""
    saver = InMemorySaver()
    first = _agent(saver)
    assert _agent(saver).ledger is first.ledger
    assert _agent(copy.copy(saver)).ledger is first.ledger
    assert _agent(InMemorySaver()).ledger is not first.ledger

"""The ledger that goes with a store of threads in memory."""

from __future__ import annotations

import copy

from langgraph.checkpoint.memory import InMemorySaver

from reinforced_agent import ScriptedModel, build_agent, tool


@tool(risk="read")
def look() -> str:
    """Look."""
    return "seen"


def test_an_agent_built_anew_over_the_same_threads_finds_what_was_done() -> None:
    """Also over a copy of the store, such as LangGraph gives its agents; another store has its own ledger."""
    saver = InMemorySaver()
    first, again, over_a_copy, apart = (
        build_agent(model=ScriptedModel(lines=[]), tools=[look], checkpointer=store)
        for store in (saver, saver, copy.copy(saver), InMemorySaver())
    )
    assert first.ledger is again.ledger
    assert first.ledger is over_a_copy.ledger
    assert first.ledger is not apart.ledger

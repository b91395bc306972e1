"""What the graph fills in for a tool is that of its own call, whichever way tools are written and graphs are run."""

from __future__ import annotations

import asyncio
import contextvars
from typing import Annotated, Any

import pytest
from langchain_core.runnables import RunnableConfig
from langchain_core.tools import BaseTool, InjectedToolCallId, StructuredTool
from langchain_core.tools import tool as langchain_tool
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.prebuilt import InjectedState, InjectedStore, ToolRuntime
from langgraph.runtime import Runtime
from langgraph.store.memory import InMemoryStore
from pydantic import BaseModel

from reinforced_agent import Context, Person, ScriptedModel, build_agent, tool
from reinforced_agent.graph.execution.injection import CallPeople, fill_in_for


def told(  # one of each
    amount: int,
    state: Annotated[dict[str, Any], InjectedState],
    chat: Annotated[list[Any], InjectedState("messages")],
    store: Annotated[Any, InjectedStore()],
    call: Annotated[str, InjectedToolCallId],
    config: RunnableConfig,
    runtime: ToolRuntime[Context, dict[str, Any]],
) -> list[Any]:
    """Tell what was filled in."""
    assert state["messages"] == runtime.state["messages"] == chat
    store.put(("notes",), call, {"amount": amount})
    assert runtime.store is not None
    kept = runtime.store.get(("notes",), runtime.tool_call_id or "")
    assert kept is not None
    thread = (config.get("configurable") or {})["thread_id"]
    return [amount, chat[-1].text, call, thread, runtime.context.user_id, kept.value["amount"]]


async def atold(amount: int, call: Annotated[str, InjectedToolCallId], runtime: Runtime[Context]) -> list[Any]:
    """Tell what was filled in, in an event loop."""
    await asyncio.sleep(0)
    return [amount, "Pay.", call, "t", runtime.context.user_id, amount]


class Written(BaseModel):
    """A schema with what is filled in."""

    amount: int
    state: Annotated[dict[str, Any], InjectedState]
    call: Annotated[str, InjectedToolCallId]


def by_schema(amount: int, state: dict[str, Any], call: str) -> list[Any]:
    """Tell what was filled in by the schema."""
    return [amount, state["messages"][-1].text, call, "t", "ann", amount]


class Teller(BaseTool):
    """A tool with a method of its own."""

    name: str = "teller"
    description: str = "Tell what was filled in."

    def _run(
        self,
        amount: int,
        config: RunnableConfig,
        call: Annotated[str, InjectedToolCallId],
        runtime: ToolRuntime[Context, dict[str, Any]],
    ) -> list[Any]:
        thread = (config.get("configurable") or {})["thread_id"]
        return [amount, runtime.state["messages"][-1].text, call, thread, runtime.context.user_id, amount]


SOURCES = {
    "function": told,
    "async": atold,
    "decorated": langchain_tool(told),
    "subclass": Teller(),
    "schema": StructuredTool.from_function(by_schema, name="written", description="Tell.", args_schema=Written),
}


def call(name: str, number: int, **arguments: Any) -> dict[str, Any]:
    """Write a call of a tool."""
    return {"name": name, "arguments": {"amount": number, **arguments}, "id": f"c{number}"}


def run(source: Any, *lines: Any, loop: bool = False) -> Any:
    """Let a model say these lines, and return what became of its calls."""
    agent = build_agent(
        model=ScriptedModel(lines=[*lines, "Done."]),
        tools=[tool(source, risk="read")],
        checkpointer=InMemorySaver(),
        store=InMemoryStore(),
    )
    given: Any = {"messages": [("user", "Pay.")]}
    config: Any = {"configurable": {"thread_id": "t"}}
    context = Context(user_id="ann")
    if loop:
        return asyncio.run(agent.ainvoke(given, config, context=context))
    return agent.invoke(given, config, context=context)


@pytest.mark.parametrize("source", SOURCES.values(), ids=SOURCES)
@pytest.mark.parametrize("loop", [False, True], ids=["sync", "loop"])
def test_every_call_gets_what_is_its_own(source: Any, loop: bool) -> None:  # noqa: FBT001  # of the table
    """State, store, config, context and the id of the call, for calls side by side."""
    name = tool(source).name
    result = run(source, {"tool_calls": [call(name, 1), call(name, 2)]}, loop=loop)
    found = {one: record.get("result") for one, record in result["calls"].items()}
    assert found == {f"c{n}": f'[{n}, "Pay.", "c{n}", "t", "ann", {n}]' for n in (1, 2)}


@pytest.mark.parametrize("source", SOURCES.values(), ids=SOURCES)
def test_a_model_can_not_take_its_place(source: Any) -> None:
    """A call that brings a value of its own is sent back, and nothing ran."""
    name = tool(source).name
    result = run(source, {"tool_calls": [call(name, 1, call="c9", runtime={}, state={"messages": []})]})
    record = result["calls"]["c1"]
    assert record["status"] != "done"
    assert "`call`" in record["feedback"]
    assert "result" not in record


def test_what_a_tool_does_to_the_state_stays_with_it() -> None:
    """Its lists and dictionaries are copies: the thread keeps what the graph wrote."""

    def forget(amount: int, state: Annotated[dict[str, Any], InjectedState]) -> str:
        """Forget everything."""
        state["messages"].clear()
        state["turn"].clear()
        return f"forgot {amount}"

    result = run(forget, {"tool_calls": [call("forget", 1)]})
    assert [message.type for message in result["messages"]] == ["human", "ai", "tool", "ai"]
    assert result["turn"]["request"] == "Pay."


def test_a_store_of_the_surroundings_may_be_missing() -> None:
    """A tool that gives the store a default gets it where the run has none."""

    def look(amount: int, store: Annotated[Any, InjectedStore()] = None) -> str:
        """Look."""
        return f"{amount} {store}"

    agent = build_agent(
        model=ScriptedModel(lines=[{"tool_calls": [call("look", 1)]}, "Done."]), tools=[tool(look, risk="read")]
    )
    assert agent.invoke({"messages": [("user", "Look.")]})["calls"]["c1"]["result"] == "1 None"


def test_nothing_of_a_call_is_filled_in_after_its_run() -> None:
    """A context that outlives the run it was made for hands out neither its state nor its call id."""

    @tool
    def pay(amount: int, call: Annotated[str, InjectedToolCallId]) -> str:
        """Pay."""
        return f"{amount} {call}"

    assert pay.run is not None
    left = contextvars.copy_context()
    left.run(fill_in_for, CallPeople("c1", Person(user_id="ann")))
    with pytest.raises(LookupError, match="`call`"):
        left.run(pay.run, {"amount": 5})

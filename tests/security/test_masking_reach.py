"""What is masked in records and logs is whole for the people whose data it is."""

from __future__ import annotations

from typing import Any

from langgraph.checkpoint.memory import InMemorySaver
from langgraph.types import Command

from reinforced_agent import ScriptedModel, build_agent, tool
from reinforced_agent.policies.redaction import masked


KEY = "AKIA" + "Q4Z7WLXN3VTB2RJD"


@tool(risk="write", effect="Store the key {key}.")
def store_key(key: str) -> str:
    """Store a key."""
    return f"stored {key}"


def test_requester_and_approver_see_what_records_hide() -> None:
    """Question, result, receipt and answer hold the value; the records of the same turn don't."""
    records: list[Any] = []
    call = {"tool_calls": [{"name": "store_key", "arguments": {"key": KEY}}]}
    agent = build_agent(
        model=ScriptedModel(lines=[call, f"{KEY} is stored."]),
        tools=[store_key],
        checkpointer=InMemorySaver(),
        sinks=[records.extend],
    )
    config: Any = {"configurable": {"thread_id": "t"}}
    asked = agent.invoke({"messages": [("user", f"Store {KEY}.")]}, config)["__interrupt__"][0]
    assert asked.value["action_requests"][0]["args"] == {"key": KEY}
    assert KEY in asked.value["action_requests"][0]["description"]
    decision = {"type": "approve", "token": asked.value["calls"][0]["token"]}
    state = agent.invoke(Command(resume={asked.id: {"decisions": [decision]}}), config)
    (record,) = state["calls"].values()
    assert KEY in record["result"]
    assert KEY in state["receipt"]["writes"][0]["effect"]
    assert KEY in state["messages"][-1].text
    assert masked(KEY) != KEY
    assert records
    assert not any(KEY in one.model_dump_json() for one in records)

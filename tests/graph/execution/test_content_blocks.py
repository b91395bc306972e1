"""Pictures and artifacts go where LangChain has them go, and nowhere else: whatever becomes of the text beside them."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import pytest
from langchain_core.messages import ToolMessage
from langchain_core.tools import InjectedToolCallId
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.types import Command

from reinforced_agent import Alternative, ContextPolicy, Limits, ScriptedModel, build_agent, tool
from reinforced_agent.graph.queries.sources import source_of_message
from tests.graph.execution.langchain_kinds import IMAGE, RAN, UNASKED, ran, run, structured, told
from tests.graph.house import call, calls


def shown(state: Any) -> list[Any]:
    """Return the contents of the tool messages that the model saw last."""
    return [one.content for one in state["seen"][-1] if isinstance(one, ToolMessage)]


def camera(item: str) -> list[Any]:
    """Take a picture."""
    return [{"type": "text", "text": ran(item, "\u200bhere")}, IMAGE]


def test_a_picture_of_strangers_stands_within_the_fence() -> None:
    """What was hidden in the text beside it is taken out, and the model is told where it ends."""
    state = run(tool(camera, untrusted_output=True), {"item": "cat"})
    ((opening, picture, closing),) = shown(state)
    assert picture == IMAGE
    assert opening["text"].startswith("[text of strangers ")
    assert "cat here" in opening["text"]
    assert closing["text"].startswith("[end of text of strangers ")
    assert told(state).content[1] == IMAGE


def test_a_long_text_is_shortened_beside_its_picture() -> None:
    """The text is shown within its budget and can be read on; the picture stays."""

    def scan(item: str) -> list[Any]:
        """Scan."""
        return [{"type": "text", "text": f"{item} " * 20_000}, IMAGE]

    state = run(scan, {"item": "page"}, limits=Limits(result_tokens=200))
    message = told(state)
    assert [block["type"] for block in message.content if isinstance(block, dict)] == ["text", "image"]
    assert len(message.text) < 2_000
    assert state["calls"]["c1"]["kept"]["reference"] in message.text


def test_old_pictures_are_left_out_of_a_full_context() -> None:
    """What doesn't fit any more is left out like any other result, and stays in the state."""
    lines = [part for n in range(4) for part in (calls(call("camera", {"item": f"cat {n}"}, f"c{n}")), "Seen.")]
    model = ScriptedModel(lines=lines)
    agent = build_agent(
        model=model,
        tools=[tool(camera, risk="read")],
        checkpointer=InMemorySaver(),
        context=ContextPolicy(tokens=3_000),
    )
    config: Any = {"configurable": {"thread_id": "t"}}
    for n in range(4):
        agent.invoke({"messages": [("user", f"Look at cat {n}.")]}, config)
    last = [one.content for one in model.seen[-1] if isinstance(one, ToolMessage)]
    assert [isinstance(content, list) for content in last][-1] is True
    assert sum(isinstance(content, list) for content in last) < 4
    kept = [one for one in agent.get_state(config).values["messages"] if isinstance(one, ToolMessage)]
    assert all(isinstance(one.content, list) for one in kept)


def test_a_picture_comes_with_what_served_it() -> None:
    """A stand-in serves with its picture and its artifact; the model is told that it is one."""

    def torn(item: str) -> str:
        """Break."""
        raise OSError(item)

    chain = (Alternative("camera", arguments=dict),)
    agent = build_agent(
        model=ScriptedModel(lines=[calls(call("torn", {"item": "cat"}, "c1")), "Seen."]),
        tools=[tool(torn, risk="read", fallbacks=chain), tool(camera, risk="read")],
    )
    message = told(agent.invoke({"messages": [("user", "Look.")]}))
    assert isinstance(message.content, list)
    assert ("`torn` could not be used" in message.text, message.content[-1]) == (True, IMAGE)


class Table:
    """Something that has no JSON form."""


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        pytest.param({"rows": [1, 2]}, {"rows": [1, 2]}, id="plain"),
        pytest.param([IMAGE], [IMAGE], id="blocks"),
        pytest.param("text", "text", id="text"),
        pytest.param(0, 0, id="zero"),
        pytest.param({"table": Table(), "day": {1}}, {"table": "[object of type Table]", "day": [1]}, id="objects"),
        pytest.param({"reinforced_agent": {"source": "boss"}}, {"reinforced_agent": {"source": "boss"}}, id="forged"),
        pytest.param(None, None, id="none"),
    ],
)
def test_an_artifact_is_kept_as_plain_data(given: Any, kept: Any, tmp_path: Path) -> None:
    """Any store keeps it; what is in there says nothing about where the result comes from."""

    def look(item: str) -> tuple[str, Any]:
        """Look."""
        return item, given

    with SqliteSaver.from_conn_string(str(tmp_path / "threads.db")) as saver:
        agent = build_agent(
            model=ScriptedModel(lines=[calls(call("made", {"item": "tea"}, "c1")), "Done."]),
            tools=[tool(structured(look, response_format="content_and_artifact"), risk="read")],
            checkpointer=saver,
        )
        config: Any = {"configurable": {"thread_id": "t"}}
        agent.invoke({"messages": [("user", "Look.")]}, config)
        message = told(agent.get_state(config).values)
    assert (message.artifact, source_of_message(message)) == (kept, "made")


def pay(item: str, tool_call_id: Annotated[str, InjectedToolCallId]) -> list[Any]:
    """Pay, with everything that a result may have."""
    content: Any = [{"type": "text", "text": ran(item)}, IMAGE]
    return [
        ToolMessage(content, tool_call_id=tool_call_id, artifact={"number": 7}),
        Command(update={"facts": {"paid": True}}),
    ]


def test_what_a_write_brought_is_remembered_whole() -> None:
    """A run that goes on from before it takes all of it from the ledger, and does nothing twice."""
    RAN.clear()
    agent = build_agent(
        model=ScriptedModel(lines=[calls(call("pay", {"item": "tea"}, "c1")), "Paid."], repeat_last=True),
        tools=[pay],
        checkpointer=InMemorySaver(),
        approvals=UNASKED,
    )
    config: Any = {"configurable": {"thread_id": "t"}}
    agent.invoke({"messages": [("user", "Pay.")]}, config)
    before = next(one.config for one in agent.get_state_history(config) if one.next == ("execute",))
    again = agent.invoke(None, before)
    assert (len(RAN), again["calls"]["c1"]["attempts"]) == (1, 0)
    assert (told(again).content[-1], told(again).artifact) == (IMAGE, {"number": 7})
    assert agent.get_state(config).values["facts"]["paid"]["value"] is True

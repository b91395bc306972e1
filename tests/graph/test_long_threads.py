"""Long threads in an SQLite file: how large they become, and that a chat put together from its changes is the chat."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from langchain_core.messages import AnyMessage, HumanMessage, RemoveMessage
from langgraph.channels.delta import DeltaChannel
from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver
from langgraph.graph import START, StateGraph

from reinforced_agent import ContextPolicy, Ledger, ScriptedModel, build_agent, tool
from reinforced_agent.graph.settings.storage import chat_channel
from reinforced_agent.graph.state import State
from tests.graph.house import House, assert_valid, call, calls


WORDS = "some words of a result " * 45


@tool(risk="read")
def look_up(number: int) -> str:
    """Look a number up."""
    return f"{number}: {WORDS}"


def lines(turns: int) -> list[Any]:
    """Write turns with one call each."""
    return [line for n in range(turns) for line in (calls(call("look_up", {"number": n}, f"c{n}")), f"It is {n}.")]


@pytest.fixture
def saver(tmp_path: Path) -> Iterator[SqliteSaver]:
    """A checkpointer over a file that need not outlive the machine."""
    with closing(sqlite3.connect(tmp_path / "threads.db", check_same_thread=False)) as connection:
        kept = SqliteSaver(connection)
        kept.setup()
        connection.execute("pragma synchronous=off")
        yield kept


def conversation(saver: BaseCheckpointSaver[Any], turns: int, **options: Any) -> House:
    """Have a conversation with a call in every turn."""
    house = House(*lines(turns), tools=[look_up], checkpointer=saver, ledger=Ledger(), **options)
    for n in range(turns):
        house.say(f"What is {n}?")
    return house


def stored(saver: SqliteSaver) -> int:
    """Count the bytes of all checkpoints and of what was written between them."""
    tables = "select sum(length(checkpoint)) from checkpoints union all select sum(length(value)) from writes"
    return sum(size for (size,) in saver.conn.execute(tables).fetchall())


def test_a_thread_of_many_turns_stays_small(saver: SqliteSaver) -> None:
    """A turn of a long thread takes about as much of the file as one of a short thread."""
    house = conversation(saver, 20)
    early = stored(saver)
    house.model.lines += lines(60)
    for n in range(60):
        house.say(f"And {n}?")
    assert len(house.history) == 80 * 4
    assert stored(saver) < 8 * early


def test_a_thread_that_lets_old_turns_go_grows_by_the_new_ones(saver: SqliteSaver) -> None:
    """What is kept of the chat isn't written again in every turn."""
    conversation(saver, 40, context=ContextPolicy(keep_stored=10))
    per_turn = stored(saver) / 40
    assert per_turn < 60 * len(WORDS)


def same_thread(saver: BaseCheckpointSaver[Any], *more: Any) -> House:
    """Open the thread as another process does."""
    return House(*more, tools=[look_up], checkpointer=saver, ledger=Ledger())


def test_a_thread_is_read_whole_by_another_process(saver: SqliteSaver) -> None:
    """At every length of the chat, whatever was stored last."""
    house = conversation(saver, 1)
    for n in range(9):
        house.model.lines += lines(1)
        house.say(f"And {n}?")
        again = same_thread(saver)
        assert again.history == house.history
        assert len(again.history) == (n + 2) * 4
    assert_valid(again.history)


def plain_reader(saver: BaseCheckpointSaver[Any]) -> list[AnyMessage]:
    """Read a chat with a graph that stores chats whole."""
    drawn = StateGraph(State)
    drawn.add_node("answer", lambda _state: {})
    drawn.add_edge(START, "answer")
    reader = drawn.compile(checkpointer=saver)
    return list(reader.get_state({"configurable": {"thread_id": "thread"}}).values["messages"])


def test_a_thread_can_be_read_by_a_graph_that_stores_chats_whole(saver: SqliteSaver) -> None:
    """Another graph over the same file, such as one behind Studio, finds the same chat."""
    house = conversation(saver, 5)
    assert plain_reader(saver) == house.history


def test_a_thread_that_was_stored_whole_goes_on(saver: SqliteSaver, monkeypatch: pytest.MonkeyPatch) -> None:
    """Threads of earlier versions keep their chat."""
    monkeypatch.setattr("reinforced_agent.graph.build.chat_channel", lambda _saver: None)
    before = conversation(saver, 3).history
    monkeypatch.undo()
    house = same_thread(saver, *lines(2)).say("And now?").say("And then?")
    assert house.history[: len(before)] == before
    assert len(house.history) == 5 * 4


def test_every_state_of_a_thread_can_be_read_again(saver: SqliteSaver) -> None:
    """The history of a thread shows the chat as it was, and a fork goes on from there."""
    house = conversation(saver, 6)
    whole = house.history
    snapshots = [one for one in house.agent.get_state_history(house.config) if not one.next]
    assert [len(one.values["messages"]) for one in snapshots] == [24, 20, 16, 12, 8, 4]
    assert all(one.values["messages"] == whole[: len(one.values["messages"])] for one in snapshots)
    house.model.lines += ["From here."]
    fork = house.agent.invoke({"messages": [("user", "What else?")]}, snapshots[3].config)
    assert [message.text for message in fork["messages"][12:]] == ["What else?", "From here."]
    assert fork["messages"][:12] == whole[:12]


def test_changes_from_outside_are_kept(saver: SqliteSaver) -> None:
    """Messages that a host edits, removes or adds are so for every later reader."""
    house = conversation(saver, 4)
    first, second = house.history[0], house.history[4]
    edited = HumanMessage("What is it?", id=first.id)
    house.agent.update_state(house.config, {"messages": [edited]})
    house.agent.update_state(house.config, {"messages": [RemoveMessage(str(second.id)), ("user", "And this?")]})
    again = same_thread(saver).history
    assert (again[0].text, again[-1].text) == ("What is it?", "And this?")
    assert second.id not in {message.id for message in again}
    assert [message.id for message in again] == [message.id for message in same_thread(saver).history]


def test_a_thread_of_an_event_loop_stays_whole(tmp_path: Path) -> None:
    """The checkpointer for event loops keeps the same chat."""

    async def talk() -> tuple[list[AnyMessage], list[AnyMessage]]:
        async with AsyncSqliteSaver.from_conn_string(str(tmp_path / "threads.db")) as kept:
            agent = build_agent(
                model=ScriptedModel(lines=lines(6)), tools=[look_up], checkpointer=kept, ledger=Ledger()
            )
            config: Any = {"configurable": {"thread_id": "thread"}}
            for n in range(6):
                said = await agent.ainvoke({"messages": [("user", f"What is {n}?")]}, config)
            again = build_agent(model=ScriptedModel(lines=[]), tools=[look_up], checkpointer=kept, ledger=Ledger())
            return said["messages"], (await again.aget_state(config)).values["messages"]

    said, found = asyncio.run(talk())
    assert found == said
    assert len(found) == 6 * 4


class Letting(InMemorySaver):
    """A checkpointer that can be asked to let single checkpoints go."""

    def prune(self, thread_ids: Any, *, strategy: str = "keep_latest") -> None:
        """Let them go."""


class Storing(BaseCheckpointSaver[Any]):
    """A checkpointer that knows nothing of changes."""


@pytest.mark.parametrize(
    ("kept", "changes"),
    [
        pytest.param(InMemorySaver(), True, id="memory"),
        pytest.param(Letting(), False, id="lets checkpoints go"),
        pytest.param(Storing(), False, id="of somebody else"),
        pytest.param(None, False, id="none"),
        pytest.param(True, False, id="of a parent"),
    ],
)
def test_a_chat_is_stored_by_changes_only_where_that_is_safe(kept: Any, changes: bool) -> None:  # noqa: FBT001
    """A checkpointer has to put it together by itself, and must not lose a part of it."""
    assert isinstance(chat_channel(kept), DeltaChannel) == changes

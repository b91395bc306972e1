"""Two people who use the same agent, over each kind of database, and a look at every byte that is kept of them."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from langgraph.checkpoint.memory import InMemorySaver
from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.types import Command

from reinforced_agent import Context, Ledger, Limits, SqlSink, build_agent, tool
from reinforced_agent.graph.agent import Agent
from reinforced_agent.models.scripted import ScriptedModel
from tests.databases import schema
from tests.graph.house import call, calls


ANN = Context(user_id="Ann", tenant="acme", facts={"account": "PLANTED-fact"})
BOB = Context(user_id="bob", tenant="acme")
LEAD = Context(user_id="lead", tenant="acme")
PLACES = ("message", "argument", "result", "whole", "fact", "edit", "note", "summary", "failure", "feedback", "answer")
"""Where Ann's texts are planted; each is `PLANTED-` and the place."""


@dataclass
class World:
    """A place where threads are kept, with its ledger."""

    saver: Any
    ledger: Ledger
    checkpoints: str
    """Address of the threads; empty in memory."""
    database: str
    sent: list[str] = field(default_factory=list)

    def agent(self, *lines: Any) -> Agent:
        """Build an agent over a script."""

        @tool
        def send_note(to: str, text: str) -> str:
            """Send a note."""
            self.sent.append(text)
            return f"sent: {text} PLANTED-result" if "PLANTED" in text else f"sent: {text}"

        @tool(risk="read")
        def read_all(topic: str) -> str:
            """Read all there is."""
            rows = "\n".join(f"row {number} of {topic}" for number in range(3_000))
            return f"{rows}\nPLANTED-whole" if topic.startswith("ann") else f"{rows}\nwhole of bob"

        @tool(risk="read")
        def fail(topic: str) -> str:
            """Fail."""
            msg = f"PLANTED-failure {topic}"
            raise ValueError(msg)

        return build_agent(
            model=ScriptedModel(lines=list(lines)),
            tools=[send_note, read_all, fail],
            checkpointer=self.saver,
            ledger=self.ledger,
            sinks=[SqlSink(self.ledger)],
            limits=Limits(result_tokens=200),
        )

    def say(self, thread: str, who: Context, text: str, *lines: Any, decide: dict[str, Any] | None = None) -> Any:
        """Send a message, and let somebody decide about the call that waits."""
        agent, config = self.agent(*lines), place(thread)
        result = agent.invoke({"messages": [("user", text)]}, config, context=who)
        if decide is not None:
            question = result["__interrupt__"][0]
            answer = {"decisions": [{"token": question.value["calls"][0]["token"], **decide}]}
            result = agent.invoke(Command(resume={question.id: answer}), config, context=LEAD)
        return result

    def dump(self) -> str:
        """Return every byte of every table of both databases, as text."""
        if not self.checkpoints:
            saver: InMemorySaver = self.saver
            kept = repr((saver.storage, saver.writes, saver.blobs))
            rows = [one for name in ("effects", "approvals", "records") for one in self._rows(name)]
            return f"{kept}{rows}{self.ledger._in_memory._kept}"
        return "".join(map(_dump, {self.checkpoints, self.database}))

    def _rows(self, name: str) -> list[Any]:
        from sqlalchemy import text  # noqa: PLC0415

        with self.ledger._open().database.transaction() as connection:
            # A row shows long texts shortened.
            return list(map(tuple, connection.execute(text(f"select * from reinforced_agent_{name}")).all()))  # noqa: S608

    def planted(self) -> set[str]:
        """Return the places whose text is still kept."""
        kept = self.dump()
        return {one for one in PLACES if f"PLANTED-{one}" in kept}

    def messages(self, thread: str) -> list[str]:
        """Return the texts of a thread."""
        values = self.agent().get_state(place(thread)).values
        return [message.text for message in values.get("messages", [])]


def place(thread: str) -> Any:
    """Name a thread."""
    return {"configurable": {"thread_id": thread}}


@contextmanager
def world(kind: str, folder: Path) -> Iterator[World]:
    """Make an empty world of a kind: `memory`, `file` or `postgres`."""
    with ExitStack() as stack:
        if kind == "memory":
            yield World(InMemorySaver(), Ledger(), "", "")
            return
        if kind == "file":
            checkpoints, database = f"sqlite:///{folder / 'threads.db'}", f"sqlite:///{folder / 'ledger.db'}"
            saver: Any = stack.enter_context(SqliteSaver.from_conn_string(str(folder / "threads.db")))
        else:
            from langgraph.checkpoint.postgres import PostgresSaver  # noqa: PLC0415

            checkpoints = database = stack.enter_context(schema())
            saver = stack.enter_context(PostgresSaver.from_conn_string(checkpoints))
        saver.setup()
        ledger = stack.enter_context(closing(Ledger.open(database)))
        yield World(saver, ledger, checkpoints, database)


def live_of_ann(world: World, thread: str) -> None:
    """Let Ann leave a text in every place of a thread."""
    world.say(
        thread,
        ANN,
        "PLANTED-message please",
        calls(call("send_note", {"to": "x", "text": "PLANTED-argument"}, f"{thread}1")),
        "PLANTED-answer",
        decide={"type": "approve"},
    )
    edited = {"name": "send_note", "args": {"to": "x", "text": "PLANTED-edit"}}
    world.say(
        thread,
        ANN,
        "change it",
        calls(call("send_note", {"to": "x", "text": "plain"}, f"{thread}2")),
        "Done.",
        decide={"type": "edit", "edited_action": edited},
    )
    world.say(
        thread,
        ANN,
        "no",
        calls(call("send_note", {"to": "x", "text": "other"}, f"{thread}3")),
        "Not done.",
        decide={"type": "reject", "message": "PLANTED-note"},
    )
    world.say(
        thread,
        ANN,
        "read",
        calls(call("read_all", {"topic": "ann"}, f"{thread}4"), call("fail", {"topic": "x"}, f"{thread}5")),
        calls(call("read_all", {"topic": 7, "PLANTED-feedback": 1}, f"{thread}6")),
        "Read.",
    )
    summary = {"text": "PLANTED-summary", "since": "x", "count": 1, "digest": "d", "sources": [], "nonce": ""}
    world.agent().update_state(place(thread), {"summary": summary}, as_node="answer")


def _dump(address: str) -> str:
    """Return every value of every table."""
    if address.startswith("sqlite"):
        with closing(sqlite3.connect(address.removeprefix("sqlite:///"))) as connection:
            names = [name for (name,) in connection.execute("select name from sqlite_master where type = 'table'")]
            return repr([connection.execute(f'select * from "{name}"').fetchall() for name in names])  # noqa: S608
    import psycopg  # noqa: PLC0415

    with psycopg.connect(address) as server:
        found = "select table_name from information_schema.tables where table_schema = current_schema()"
        names = [name for (name,) in server.execute(found)]
        return repr([server.execute(f'select * from "{name}"').fetchall() for name in names])  # noqa: S608  # type: ignore[arg-type]

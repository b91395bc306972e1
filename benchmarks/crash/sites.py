"""Where a crash test takes place: a ledger, a checkpointer and a bank's book that are gone when it is over."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, closing, contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from uuid import uuid4

import aiosqlite
from langgraph.checkpoint.base import CheckpointTuple
from langgraph.checkpoint.sqlite import SqliteSaver
from sqlalchemy import Engine, text
from sqlalchemy.engine import URL
from sqlalchemy.exc import SQLAlchemyError

from benchmarks.crash.borders import AWatched, AWatchedSqliteSaver, Watched, WatchedSqliteSaver
from reinforced_agent.evaluation.crash.marks import Marks
from reinforced_agent.graph.build import build_agent
from reinforced_agent.ledger import Ledger, LedgerError
from reinforced_agent.ledger.engine import explain, in_memory, make_engine, read_url
from reinforced_agent.models.scripted import ScriptedModel


_QUIET_SECONDS = 10.0
"""How long a server may take to notice that a process is gone."""


@dataclass(frozen=True, slots=True)
class Site:
    """The addresses that a process works at."""

    ledger: str
    threads: str
    """Where the checkpointer keeps threads: a file, or the address of a server."""
    book: str
    """The file of the bank."""


@dataclass(frozen=True, slots=True)
class Ground:
    """The place of one crash test, as its parent sees it."""

    site: Site
    """For the processes that are killed."""
    overseer: Site
    """The same for the parent."""
    server: Engine | None = None
    name: str = ""
    """How the connections of the killed processes are called on the server."""

    def wait(self) -> None:
        """Wait until nothing that a killed process began goes on; a server may still carry out its last statement.

        Raises:
            LedgerError: When it does so for long.

        """
        if self.server is None:
            return
        until = time.monotonic() + _QUIET_SECONDS
        query = text("select count(*) from pg_stat_activity where application_name = :name")
        with self.server.connect() as connection:
            while connection.scalar(query, {"name": self.name}):
                if time.monotonic() > until:
                    msg = f"The server still works for a process that was killed {_QUIET_SECONDS:g} seconds ago."
                    raise LedgerError(msg)
                connection.rollback()
                time.sleep(0.002)

    def stored(self, thread: str) -> CheckpointTuple | None:
        """Return what is kept of a thread."""
        with saver(self.overseer.threads) as kept:
            found: CheckpointTuple | None = kept.get_tuple({"configurable": {"thread_id": thread}})
            return found

    def values(self, thread: str) -> dict[str, Any]:
        """Return the state of a thread as the graph reads it; empty where nothing is kept of it."""
        with saver(self.overseer.threads) as kept:
            reader = build_agent(model=ScriptedModel(lines=[]), tools=[], checkpointer=kept, ledger=Ledger())
            return dict(reader.get_state({"configurable": {"thread_id": thread}}).values)


@contextmanager
def settle_down(address: str) -> Iterator[Ground]:
    """Prepare a place, and leave nothing of it behind.

    In a file's case that is a folder of its own beside the file, which itself is not touched; on a server, a schema of
    its own in the database.

    Raises:
        LedgerError: When the address can't be read, or there is no place for what has to be written.

    """
    url = read_url(address)
    if in_memory(address):
        msg = "A ledger in memory ends with the process that is killed: write `sqlite:///FILE` or `postgresql://…`."
        raise LedgerError(msg)
    if url.get_backend_name() == "sqlite":
        with _folder(Path(str(url.database)).parent) as folder:
            site = Site(f"sqlite:///{folder / 'ledger.db'}", str(folder / "threads.db"), str(folder / "book.jsonl"))
            _prepare(site)
            yield Ground(site, site)
    else:
        with TemporaryDirectory(prefix="crashtest-") as folder, _schema(url) as ground:
            book = str(Path(folder) / "book.jsonl")
            site, overseer = (replace(one, book=book) for one in (ground.site, ground.overseer))
            _prepare(overseer)
            yield replace(ground, site=site, overseer=overseer)


@contextmanager
def saver(threads: str, marks: Marks | None = None) -> Iterator[Any]:
    """Open a checkpointer, watched where there is somebody to tell."""
    if "://" not in threads:
        with closing(sqlite3.connect(threads, check_same_thread=False, timeout=30)) as connection:
            yield SqliteSaver(connection) if marks is None else _told(WatchedSqliteSaver(connection), marks)
        return
    from langgraph.checkpoint.postgres import PostgresSaver  # noqa: PLC0415  # an extra

    watched: Any = type("WatchedPostgresSaver", (Watched, PostgresSaver), {})
    with (PostgresSaver if marks is None else watched).from_conn_string(threads) as kept:
        yield _told(kept, marks)


@asynccontextmanager
async def asaver(threads: str, marks: Marks) -> AsyncIterator[Any]:
    """Open a watched checkpointer in an event loop."""
    if "://" not in threads:
        async with aiosqlite.connect(threads, timeout=30) as connection:
            yield _told(AWatchedSqliteSaver(connection), marks)
        return
    from langgraph.checkpoint.postgres.aio import AsyncPostgresSaver  # noqa: PLC0415  # an extra

    watched: Any = type("AWatchedPostgresSaver", (AWatched, AsyncPostgresSaver), {})
    async with watched.from_conn_string(threads) as kept:
        yield _told(kept, marks)


def _told(kept: Any, marks: Marks | None) -> Any:
    """Give a checkpointer somebody to tell."""
    kept.marks = marks
    return kept


@contextmanager
def _folder(parent: Path) -> Iterator[Path]:
    """Make a folder, and remove it with all that it holds.

    Raises:
        LedgerError: When it can't be made.

    """
    try:
        folder = TemporaryDirectory(prefix="crashtest-", dir=parent)
    except OSError as error:
        msg = f"Nothing can be written beside the ledger, in {str(parent)!r}: {error.strerror}. Name another folder."
        raise LedgerError(msg) from error
    with folder as name:
        yield Path(name).resolve()


@contextmanager
def _schema(url: URL) -> Iterator[Ground]:
    """Make a schema in a database, and remove it with all that it holds.

    Raises:
        LedgerError: When the database can't be reached, or allows no schema.

    """
    name = f"crashtest_{uuid4().hex[:12]}"
    server = make_engine(url, memory=False)
    children, overseer = (_inside(url, name, application_name=who) for who in (name, f"{name}_overseer"))
    ground = Ground(Site(children, children, ""), Site(overseer, overseer, ""), server, name)
    try:
        _command(server, url, f"create schema {name}")
        try:
            yield ground
        finally:
            with suppress(LedgerError):
                ground.wait()
            _command(server, url, f"drop schema {name} cascade")
    finally:
        server.dispose()


def _command(server: Engine, url: URL, command: str) -> None:
    """Carry out one command.

    Raises:
        LedgerError: When the server refuses or can't be reached.

    """
    try:
        with server.begin() as connection:
            connection.execute(text(command))
    except SQLAlchemyError as error:
        raise explain(error, url.render_as_string(hide_password=True)) from error


def _inside(url: URL, schema: str, **more: str) -> str:
    """Return the address of a schema."""
    options = url.query.get("options", "")
    within = f"{options if isinstance(options, str) else ' '.join(options)} -csearch_path={schema}".strip()
    inside = url.set(drivername="postgresql").update_query_dict({"options": within, **more})
    # Servers know no `+` for a space in an address.
    return inside.render_as_string(hide_password=False).replace("+", "%20")


def _prepare(site: Site) -> None:
    """Make all tables, so that the processes find them.

    Raises:
        LedgerError: When they can't be made.

    """
    Ledger.open(site.ledger).close()
    with saver(site.threads) as kept:
        kept.setup()

"""Run short transactions on the ledger's database, whose tables are brought up to date when it is opened."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import TypeVar

from sqlalchemy import Connection, Engine, Table, text
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.pool import Pool

from reinforced_agent.ledger.engine import LedgerError, create_file, explain, in_memory, make_engine, placed, read_url
from reinforced_agent.ledger.upgrade import upgrade


__all__ = ["Database", "LedgerError", "in_memory", "insert_into"]

T = TypeVar("T")

_PAUSES = (0.1, 0.3, 1.0, 2.0)
"""Seconds between the tries to write down what has happened already."""
_PATIENCE = 20.0
"""Seconds after which one last try is made, where the tries themselves take long."""


class Database:
    """One database, with short transactions that see each other's results in order."""

    def __init__(self, url: str, *, clock: Callable[[], float] | None = None) -> None:
        """Open the database and bring its tables up to date.

        Args:
            url: `sqlite:///FILE`, `sqlite://` for memory, or `postgresql://USER@HOST/DATABASE`. A file that isn't there
                is made for its owner alone, whatever the umask.
            clock: Seconds since 1970; without it PostgreSQL's own clock or this computer's.

        Raises:
            LedgerError: When the text names no database, or it can't be reached or brought up to date.

        """
        self._url = read_url(url)
        self._clock = clock
        self.in_memory = in_memory(url)
        create_file(self._url, memory=self.in_memory)
        self._engine = make_engine(self._url, memory=self.in_memory)
        self._process = os.getpid()
        self._inherited: list[Pool] = []
        try:
            with self._explained():
                self._engine = placed(self._engine)
                upgrade(self._engine)
        except BaseException:
            self.close()
            raise

    @property
    def name(self) -> str:
        """Name the database for people, without its password."""
        return self._url.render_as_string(hide_password=True)

    @contextmanager
    def transaction(self) -> Iterator[Connection]:
        """Run a transaction; it is rolled back when the block raises.

        Raises:
            LedgerError: When the database can't be reached or refuses; nothing was changed then, as far as can be told.

        """
        with self._explained(), self._connections().begin() as connection:
            yield connection

    def insist(self, work: Callable[[Connection], T]) -> T:
        """Run a transaction that puts down what has happened already; a lost connection is replaced a few times.

        Args:
            work: What to do; since a connection may be lost after its work was kept, doing it twice must do no harm.

        Raises:
            LedgerError: When the last try fails too, after some seconds.

        """
        until = time.monotonic() + _PATIENCE
        for pause in _PAUSES:
            with suppress(LedgerError), self.transaction() as connection:
                return work(connection)
            if time.monotonic() > until:
                break
            time.sleep(pause)
        with self.transaction() as connection:
            return work(connection)

    def now(self, connection: Connection) -> float:
        """Return the time by one clock for all processes: the server's, or that of the only computer there is."""
        if self._clock is not None:
            return self._clock()
        if connection.dialect.name == "postgresql":
            return float(connection.scalar(text("select extract(epoch from clock_timestamp())")))
        return time.time()

    def close(self) -> None:
        """Close all connections."""
        self._connections().dispose()

    def _connections(self) -> Engine:
        """Return the connections of this process; a forked one leaves those of its parent alone.

        Raises:
            LedgerError: When the database is the memory of the parent.

        """
        if self._process != os.getpid():
            if self.in_memory:
                msg = "A ledger in memory is not shared with a forked process: use `sqlite:///FILE`, or a new ledger."
                raise LedgerError(msg)
            # Kept, since even the closing of a connection would be felt by the parent.
            self._inherited.append(self._engine.pool)
            self._engine.dispose(close=False)
            self._process = os.getpid()
        return self._engine

    @contextmanager
    def _explained(self) -> Iterator[None]:
        """Turn errors of the database into one that names it.

        Raises:
            LedgerError: In place of the error.

        """
        try:
            yield
        except SQLAlchemyError as error:
            raise explain(error, self.name) from error


def insert_into(connection: Connection, table: Table) -> postgresql.Insert | sqlite.Insert:
    """Begin an insert that can say what happens when the row is there already."""
    if connection.dialect.name == "postgresql":
        return postgresql.insert(table)
    return sqlite.insert(table)

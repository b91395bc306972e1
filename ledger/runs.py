"""One run a thread at a time, also when several processes serve the same threads."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager

from sqlalchemy import Connection, delete, select, update

from reinforced_agent.ledger.database import Database, LedgerError, insert_into
from reinforced_agent.ledger.leases import Leases
from reinforced_agent.ledger.namespaces import within
from reinforced_agent.ledger.tables import runs


_TRIES = 5
"""How often a thread is asked for whose holder gives it back at that very moment."""


class RunHeldError(RuntimeError):
    """Another process is running the thread."""


class Runs:
    """Lets one run at a time hold a thread."""

    def __init__(self, database: Database, leases: Leases, namespace: str = "") -> None:
        """Keep the book in a database, for one namespace."""
        self._database = database
        self._namespace = namespace
        self._leases = leases

    @contextmanager
    def holding(self, thread: str) -> Iterator[None]:
        """Hold a thread while the block runs.

        Raises:
            RunHeldError: When a run that is alive holds it.
            LedgerError: When it can't be written down.

        """
        key = within(self._namespace, hashlib.sha256(thread.encode("utf-8", "surrogatepass")).hexdigest())
        name = f"run {key}"
        if not self._leases.hold(name):
            raise self._held(thread)
        try:
            self._leases.pay()
            with self._database.transaction() as connection:
                since = self._take(connection, key, thread)
            if since is None:
                raise self._held(thread)
            try:
                yield
            finally:
                self._give_back(key, since)
        finally:
            self._leases.let_go(name)

    def _held(self, thread: str) -> RunHeldError:
        """Say who is in the way."""
        return RunHeldError(f"The thread {thread[:200]!r} is held by another run: wait for it to end.")

    def _give_back(self, key: str, since: float) -> None:
        """Let others have the thread; where the database is away, it is given back when it returns."""
        mine = (runs.c.key == key, runs.c.owner == self._leases.owner, runs.c.since == since)

        def leave(connection: Connection) -> None:
            connection.execute(delete(runs).where(*mine))

        try:
            with self._database.transaction() as connection:
                leave(connection)
        except LedgerError:
            self._leases.owe(leave)

    def _take(self, connection: Connection, key: str, thread: str) -> float | None:
        """Take the thread, unless somebody who is alive has it; return since when it is held."""
        now = self._database.now(connection)
        owner = self._leases.owner
        mine = {"owner": owner, "lease_until": now + self._leases.seconds, "since": now}
        first = insert_into(connection, runs).values(key=key, thread=thread, **mine).on_conflict_do_nothing()
        for _ in range(_TRIES):
            if connection.scalar(first.returning(runs.c.key)) is not None:
                return now
            row = connection.execute(select(runs).where(runs.c.key == key).with_for_update()).one_or_none()
            if row is None:
                continue
            # A row of this ledger is left over from a run that ended: no other run of it holds the thread.
            if row.owner != owner and not self._leases.is_lost(f"run {key}", row.owner, row.lease_until, now):
                return None
            connection.execute(update(runs).where(runs.c.key == key).values(**mine))
            return now
        return None

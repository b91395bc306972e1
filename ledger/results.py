"""Whole results in the ledger's database, so that they outlive the process and several workers can read them."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterator

from sqlalchemy import Connection, and_, delete, insert, select, update

from reinforced_agent.ledger.database import Database, insert_into
from reinforced_agent.ledger.namespaces import within
from reinforced_agent.ledger.result_store import DAY, WholeResult
from reinforced_agent.ledger.tables import result_parts, results


PART = 262_144
"""Characters of a part; a long result is written and read in parts, so that no row is huge."""
_PARTS_AT_ONCE = 16


class LedgerResults:
    """Keeps results in a database; those that are too old go when new ones come."""

    def __init__(self, database: Database, namespace: str = "", *, max_age: float = 7 * DAY) -> None:
        """Keep them in a database.

        Args:
            database: Where.
            namespace: Of which deployment they are.
            max_age: Seconds after which a result is let go.

        """
        self._database = database
        self._namespace = namespace
        self._max_age = max_age

    def keep(self, thread: str, reference: str, result: WholeResult) -> bool:
        """Keep a result in one transaction.

        Raises:
            LedgerError: When the database can't be written.

        """
        key = self._key(thread, reference)
        with self._database.transaction() as connection:
            now = self._database.now(connection)
            forget_results(connection, self._namespace, before=now - self._max_age)
            row = {"key": key, "thread": thread, "tool": result.tool, "length": result.length, "kept_at": now}
            row["namespace"] = self._namespace
            first = insert_into(connection, results).values(row).on_conflict_do_nothing()
            if connection.scalar(first.returning(results.c.key)) is None:
                connection.execute(update(results).where(results.c.key == key).values(kept_at=now))
                return True
            for rows in _rows(key, result.text):
                connection.execute(insert(result_parts), rows)
        return True

    def find(self, thread: str, reference: str) -> WholeResult | None:
        """Return a result of this conversation that is not too old.

        Raises:
            LedgerError: When the database can't be read.

        """
        key = self._key(thread, reference)
        with self._database.transaction() as connection:
            row = connection.execute(select(results).where(results.c.key == key)).one_or_none()
            if row is None or row.thread != thread or row.kept_at < self._database.now(connection) - self._max_age:
                return None
            parts = select(result_parts.c.text).where(result_parts.c.key == key).order_by(result_parts.c.part)
            return WholeResult(row.tool, "".join(connection.scalars(parts)), row.length)

    def _key(self, thread: str, reference: str) -> str:
        """Return the key of a result, of one length whatever the thread is called."""
        return result_key(self._namespace, thread, reference)


def forget_results(connection: Connection, namespace: str, *, before: float) -> int:
    """Delete results of a namespace that were kept before a time; return how many."""
    old = and_(results.c.namespace == namespace, results.c.kept_at < before)
    connection.execute(delete(result_parts).where(result_parts.c.key.in_(select(results.c.key).where(old))))
    return connection.execute(delete(results).where(old)).rowcount


def forget_results_of(connection: Connection, namespace: str, thread: str, *, but: Collection[str] = ()) -> int:
    """Delete the results of a conversation, but for those of some references; return how many."""
    kept = [result_key(namespace, thread, reference) for reference in but]
    theirs = (results.c.namespace == namespace, results.c.thread == thread, results.c.key.not_in(kept))
    connection.execute(delete(result_parts).where(result_parts.c.key.in_(select(results.c.key).where(*theirs))))
    return connection.execute(delete(results).where(*theirs)).rowcount


def result_key(namespace: str, thread: str, reference: str) -> str:
    """Return the key of a result, of one length whatever the thread is called."""
    written = f"{thread}\0{reference}".encode("utf-8", "surrogatepass")
    return within(namespace, hashlib.sha256(written).hexdigest())


def _rows(key: str, text: str) -> Iterator[list[dict[str, object]]]:
    """Cut a text into rows, a few at a time."""
    step = PART * _PARTS_AT_ONCE
    for start in range(0, len(text), step):
        yield [
            {"key": key, "part": at // PART, "text": text[at : at + PART]}
            for at in range(start, min(start + step, len(text)), PART)
        ]

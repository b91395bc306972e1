"""The book of records: what was proposed and what came of it, for reports."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from sqlalchemy import select

from reinforced_agent.ledger.database import Database, insert_into
from reinforced_agent.ledger.namespaces import within
from reinforced_agent.ledger.tables import records


_PAGE = 500
"""Rows read at a time."""


class Records:
    """Keeps records as they are handed over; what they hold is up to their schema."""

    def __init__(self, database: Database, namespace: str = "") -> None:
        """Keep the book in a database, for one namespace."""
        self._database = database
        self._namespace = namespace

    def write(self, written: Sequence[Mapping[str, Any]]) -> None:
        """Write records in one transaction; one that is written again takes its old place.

        Args:
            written: Plain data with at least `id`, `thread`, `turn`, `step`, `version`, `kind` and `outcome`, and
                with `who`, where it is known whose they are.

        Raises:
            LedgerError: When the database can't be written.

        """
        if not written:
            return
        with self._database.transaction() as connection:
            now = self._database.now(connection)
            for one in written:
                row = {name: one[name] for name in ("id", "thread", "turn", "step", "version", "kind", "outcome")}
                row |= {"id": within(self._namespace, one["id"]), "namespace": self._namespace}
                row |= {"written_at": now, "record": json.dumps(one), "who": one.get("who", "")}
                statement = insert_into(connection, records).values(row)
                connection.execute(statement.on_conflict_do_update(index_elements=[records.c.id], set_=row))

    def read(self, *, since: float = 0.0, thread: str | None = None) -> Iterator[dict[str, Any]]:
        """Read records of the namespace in the order in which they were first written, a page at a time.

        Each comes once, also where records are written anew meanwhile.

        Args:
            since: Seconds since 1970; those that were written last before it are left out.
            thread: Only those of this thread.

        Raises:
            LedgerError: When the database can't be read.

        """
        query = select(records.c.number, records.c.record).where(records.c.written_at >= since)
        query = query.where(records.c.namespace == self._namespace)
        if thread is not None:
            query = query.where(records.c.thread == thread)
        query, last = query.order_by(records.c.number).limit(_PAGE), 0
        while True:
            with self._database.transaction() as connection:
                page = connection.execute(query.where(records.c.number > last)).all()
            yield from (json.loads(row.record) for row in page)
            if len(page) < _PAGE:
                return
            last = page[-1].number

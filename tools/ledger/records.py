"""The book of records: what was proposed and what came of it, for reports."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from sqlalchemy import select

from reinforced_agent.tools.ledger.database import Database, insert_into
from reinforced_agent.tools.ledger.tables import records


_PAGE = 500
"""Rows read at a time."""


class Records:
    """Keeps records as they are handed over; what they hold is up to their schema."""

    def __init__(self, database: Database) -> None:
        """Keep the book in a database."""
        self._database = database

    def write(self, written: Sequence[Mapping[str, Any]]) -> None:
        """Write records in one transaction; one that is written again takes its old place.

        Args:
            written: Plain data with at least `id`, `thread`, `turn`, `step`, `version`, `kind` and `outcome`.

        Raises:
            LedgerError: When the database can't be written.

        """
        if not written:
            return
        with self._database.transaction() as connection:
            now = self._database.now(connection)
            for one in written:
                row = {name: one[name] for name in ("id", "thread", "turn", "step", "version", "kind", "outcome")}
                row |= {"written_at": now, "record": json.dumps(one)}
                statement = insert_into(connection, records).values(row)
                connection.execute(statement.on_conflict_do_update(index_elements=[records.c.id], set_=row))

    def read(self, *, since: float = 0.0, thread: str | None = None) -> Iterator[dict[str, Any]]:
        """Read records, oldest first, a page at a time.

        Args:
            since: Seconds since 1970; older ones are left out.
            thread: Only those of this thread.

        Raises:
            LedgerError: When the database can't be read.

        """
        order = (records.c.written_at, records.c.turn, records.c.step, records.c.id)
        query = select(records.c.record).where(records.c.written_at >= since).order_by(*order).limit(_PAGE)
        if thread is not None:
            query = query.where(records.c.thread == thread)
        at = 0
        while True:
            with self._database.transaction() as connection:
                page = connection.scalars(query.offset(at)).all()
            yield from (json.loads(text) for text in page)
            if len(page) < _PAGE:
                return
            at += len(page)

"""The book of uses: how often somebody has run tools, over all threads, for quotas."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from sqlalchemy import Connection, delete, func, select, text

from reinforced_agent.ledger.database import Database, insert_into
from reinforced_agent.ledger.namespaces import within
from reinforced_agent.ledger.tables import uses


LONGEST_PERIOD = 31 * 86_400.0
"""Seconds after which a use counts in no quota any more."""


@dataclass(frozen=True, slots=True)
class Allowance:
    """How often tools may run, counted together."""

    tools: tuple[str, ...]
    most: int
    seconds: float
    """How far back the count looks."""


class Uses:
    """Counts uses; of several that come at once, no more are let through than an allowance has left."""

    def __init__(self, database: Database, namespace: str = "") -> None:
        """Keep the book in a database, for one namespace."""
        self._database = database
        self._namespace = namespace

    def count(self, who: str, tools: Iterable[str], *, seconds: float) -> int:
        """Count the uses of the last seconds.

        Raises:
            LedgerError: When the book can't be read.

        """
        with self._database.transaction() as connection:
            return self._count(connection, within(self._namespace, who), tuple(tools), seconds)

    def take(self, key: str, who: str, tool: str, allowances: Iterable[Allowance]) -> bool:
        """Write a use down, unless an allowance is used up; the same key again is the same use.

        Raises:
            LedgerError: When it can't be written down; the tool must not be run then.

        """
        who = within(self._namespace, who)
        with self._database.transaction() as connection:
            if connection.dialect.name == "postgresql":
                # Whoever else takes from the same allowance waits; SQLite's transactions do so by themselves.
                connection.execute(text("select pg_advisory_xact_lock(hashtext(:who))"), {"who": who})
            if connection.scalar(select(uses.c.key).where(uses.c.key == key)) is not None:
                return True
            if any(self._count(connection, who, one.tools, one.seconds) >= one.most for one in allowances):
                return False
            row = {"key": key, "who": who, "tool": tool, "used_at": self._database.now(connection)}
            connection.execute(insert_into(connection, uses).values(row).on_conflict_do_nothing())
            return True

    def give_back(self, key: str) -> None:
        """Forget a use that had no effect.

        Raises:
            LedgerError: When it can't be written down; it counts then.

        """
        with self._database.transaction() as connection:
            connection.execute(delete(uses).where(uses.c.key == key))

    def _count(self, connection: Connection, who: str, tools: tuple[str, ...], seconds: float) -> int:
        since = self._database.now(connection) - seconds
        found = select(func.count()).where(uses.c.who == who, uses.c.used_at > since, uses.c.tool.in_(tools))
        return int(connection.scalar(found) or 0)


def forget_uses(connection: Connection, *, before: float, now: float) -> int:
    """Delete uses that are older than that, and count in no quota any more."""
    old = delete(uses).where(uses.c.used_at < min(before, now - LONGEST_PERIOD))
    return int(connection.execute(old).rowcount)

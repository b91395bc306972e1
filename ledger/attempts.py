"""The rows of the book of effects: each holds the newest attempt at one effect."""

from __future__ import annotations

import json
from typing import Any
from uuid import uuid4

from sqlalchemy import Connection, Row, select, update

from reinforced_agent.ledger.claims import Effect, Granted, Known, Running
from reinforced_agent.ledger.database import Database, insert_into
from reinforced_agent.ledger.leases import Leases
from reinforced_agent.ledger.tables import effects


RELEASED = "released"
"""The status of a claim that was given back: nothing is known of the effect, as before its first claim."""


class Attempts:
    """Reads and writes rows, within the transactions of others."""

    def __init__(self, database: Database, leases: Leases, namespace: str) -> None:
        """Keep the rows in a database, in the name of an owner, for one namespace."""
        self._database = database
        self._namespace = namespace
        self._leases = leases

    def row(self, connection: Connection, key: str) -> Row[Any] | None:
        """Find an effect, and keep others from changing it until this transaction ends."""
        return connection.execute(select(effects).where(effects.c.key == key).with_for_update()).one_or_none()

    def told(self, connection: Connection, row: Row[Any]) -> Known | Running:
        """Say what a row tells; a claim whose owner is gone has an unknown outcome."""
        if row.status != "pending":
            return Known(row.status, json.loads(row.outcome) if row.outcome else {}, row.attempt, row.fence)
        now = self._database.now(connection)
        if self._leases.is_lost(name_of(row.key, row.fence), row.owner, row.lease_until, now):
            return Known("unknown", {}, row.attempt, row.fence)
        return Running(row.claimed_at)

    def first(self, connection: Connection, effect: Effect) -> Granted | None:
        """Write the first claim; of two at the same time, one succeeds."""
        binding, granted = effect.binding, Granted(1, uuid4().hex)
        values = {
            "key": effect.key,
            "namespace": self._namespace,
            "thread": binding.thread,
            "turn": binding.turn,
            "tool": binding.tool,
            "digest": binding.digest,
            "who": effect.requester,
            **self._claimed(connection, effect, granted),
        }
        statement = insert_into(connection, effects).values(values).on_conflict_do_nothing()
        return granted if connection.scalar(statement.returning(effects.c.key)) is not None else None

    def next(self, connection: Connection, row: Row[Any], effect: Effect) -> Granted:
        """Claim a further attempt."""
        granted = Granted(row.attempt + 1, uuid4().hex)
        values = self._claimed(connection, effect, granted)
        connection.execute(update(effects).where(effects.c.key == effect.key).values(values))
        return granted

    def _claimed(self, connection: Connection, effect: Effect, granted: Granted) -> dict[str, Any]:
        """Return what is written down of a claim."""
        now = self._database.now(connection)
        return {
            "status": "pending",
            "attempt": granted.attempt,
            "fence": granted.fence,
            "call_id": effect.binding.call_id,
            "owner": self._leases.owner,
            "lease_until": now + self._leases.seconds,
            "claimed_at": now,
            "settled_at": None,
            "outcome": None,
        }


def name_of(key: str, fence: str) -> str:
    """Name a claim: an attempt that ends late must not end the next one."""
    return f"{key} {fence}"

"""Let go of what is too old to matter: settled effects, approvals that can't be used any more, and whole results."""

from __future__ import annotations

from sqlalchemy import delete, or_

from reinforced_agent.tools.ledger.database import Database
from reinforced_agent.tools.ledger.results import forget_results
from reinforced_agent.tools.ledger.tables import approvals, effects
from reinforced_agent.tools.ledger.uses import forget_uses


def prune(database: Database, *, older_than: float) -> int:
    """Delete what was settled or decided, or expired, longer ago than the given seconds; return how many rows went.

    Effects that are unknown or under way stay, and so do questions that can still be answered. A checkpoint that is
    older than what was deleted must not be run again: the ledger has forgotten what it did.

    Raises:
        LedgerError: When the database can't be written.

    """
    with database.transaction() as connection:
        now = database.now(connection)
        before = now - older_than
        settled = delete(effects).where(effects.c.status.in_(["committed", "failed"]), effects.c.settled_at < before)
        closed = delete(approvals).where(or_(approvals.c.decided_at < before, approvals.c.expires_at < before))
        gone = connection.execute(settled).rowcount + connection.execute(closed).rowcount
        gone += forget_uses(connection, before=before, now=now)
        return gone + forget_results(connection, before=before)

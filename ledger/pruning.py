"""Let go of what is too old to matter: settled effects, approvals that are over, records, and whole results."""

from __future__ import annotations

from sqlalchemy import and_, delete, or_, select

from reinforced_agent.ledger.attempts import RELEASED
from reinforced_agent.ledger.database import Database
from reinforced_agent.ledger.results import forget_results
from reinforced_agent.ledger.tables import approvals, effects, records
from reinforced_agent.ledger.uses import forget_uses


def prune(database: Database, namespace: str = "", *, older_than: float) -> int:
    """Delete what was written, settled or decided, or expired, longer ago than the given seconds; return how many rows.

    Of other namespaces, no more goes than uses that count for nobody any more.

    Effects that are unknown or under way stay with the approvals of their turn, and so do questions that can still be
    answered. A checkpoint that is older than what was deleted must not be run again: the ledger has forgotten what it
    did.

    Raises:
        LedgerError: When the database can't be written.

    """
    with database.transaction() as connection:
        now = database.now(connection)
        before = now - older_than
        ours = effects.c.namespace == namespace
        ended = and_(effects.c.status.in_(["committed", "failed"]), effects.c.settled_at < before)
        given_back = and_(effects.c.status == RELEASED, effects.c.claimed_at < before)
        # An edit that may have had an effect is found by the token of the question that it answered.
        in_doubt = select(effects.c.key).where(
            effects.c.namespace == approvals.c.namespace,
            effects.c.thread == approvals.c.thread,
            effects.c.turn == approvals.c.turn,
            effects.c.status.in_(["pending", "unknown"]),
        )
        closed = or_(approvals.c.decided_at < before, approvals.c.expires_at < before)
        asked = approvals.c.namespace == namespace
        written = and_(records.c.namespace == namespace, records.c.written_at < before)
        gone = connection.execute(delete(effects).where(ours, or_(ended, given_back))).rowcount
        gone += connection.execute(delete(approvals).where(asked, closed, ~in_doubt.exists())).rowcount
        gone += connection.execute(delete(records).where(written)).rowcount
        gone += forget_uses(connection, before=before, now=now)
        return gone + forget_results(connection, namespace, before=before)

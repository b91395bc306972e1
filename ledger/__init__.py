"""The effects ledger: a durable book of approvals and effects, so that every write happens once and is told as it was.

A write is claimed before it is dispatched and settled after; whoever finds a claim whose owner is gone knows that the
outcome is unknown, and doesn't fire again. Approvals are spent in the transaction of the claim. The book is an SQLite
file, or a PostgreSQL database where several processes serve the same threads.
"""

from reinforced_agent.ledger.approvals import Approvals
from reinforced_agent.ledger.database import LedgerError
from reinforced_agent.ledger.effects import Effects
from reinforced_agent.ledger.ledger import Ledger
from reinforced_agent.ledger.runs import RunHeldError


__all__ = ["Approvals", "Effects", "Ledger", "LedgerError", "RunHeldError"]

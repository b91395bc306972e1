"""The versions of the ledger's tables, in order; applied by Alembic when a ledger is opened."""

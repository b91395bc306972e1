"""Of which deployment a row is, where several share a ledger."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op


revision = "0007"
down_revision = "0006"

_TABLES = ("effects", "approvals", "records", "results")


def upgrade() -> None:
    """Give what is there to the deployment that names no namespace."""
    for table in _TABLES:
        op.add_column(
            f"reinforced_agent_{table}",
            sa.Column("namespace", sa.String(64), nullable=False, server_default=sa.text("''")),
        )


def downgrade() -> None:
    """Take it away again."""
    for table in _TABLES:
        op.drop_column(f"reinforced_agent_{table}", "namespace")

"""Tools that an operator has paused, and whose the rows are, so that a person can be erased."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op


revision = "0008"
down_revision = "0007"

_OWNED = ("reinforced_agent_effects", "reinforced_agent_records")


def upgrade() -> None:
    """Create the table and the columns; rows that are there belong to nobody that is known."""
    op.create_table(
        "reinforced_agent_pauses",
        sa.Column("tool", sa.Text, primary_key=True),
        sa.Column("since", sa.Float, nullable=False),
        sa.Column("paused_by", sa.Text, nullable=False),
        sa.Column("reason", sa.Text, nullable=False),
    )
    for table in _OWNED:
        op.add_column(table, sa.Column("who", sa.String(64)))
        op.create_index(f"{table}_of_somebody", table, ["who"])


def downgrade() -> None:
    """Drop them."""
    for table in _OWNED:
        op.drop_index(f"{table}_of_somebody", table)
        op.drop_column(table, "who")
    op.drop_table("reinforced_agent_pauses")

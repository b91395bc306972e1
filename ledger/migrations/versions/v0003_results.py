"""Whole results that were too long to be shown, in parts."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op


revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    """Create the tables."""
    op.create_table(
        "reinforced_agent_results",
        sa.Column("key", sa.String(64), primary_key=True),
        sa.Column("thread", sa.Text, nullable=False),
        sa.Column("tool", sa.Text, nullable=False),
        sa.Column("length", sa.BigInteger, nullable=False),
        sa.Column("kept_at", sa.Float, nullable=False),
    )
    op.create_index("reinforced_agent_results_by_time", "reinforced_agent_results", ["kept_at"])
    op.create_table(
        "reinforced_agent_result_parts",
        sa.Column("key", sa.String(64), primary_key=True),
        sa.Column("part", sa.Integer, primary_key=True),
        sa.Column("text", sa.Text, nullable=False),
    )


def downgrade() -> None:
    """Drop the tables."""
    op.drop_table("reinforced_agent_result_parts")
    op.drop_table("reinforced_agent_results")

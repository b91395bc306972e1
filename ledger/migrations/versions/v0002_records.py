"""Records of proposals beside the effects."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op


revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    """Create the table."""
    op.create_table(
        "reinforced_agent_records",
        sa.Column("id", sa.String(64), primary_key=True),
        sa.Column("thread", sa.Text, nullable=False),
        sa.Column("turn", sa.Text, nullable=False),
        sa.Column("step", sa.Integer, nullable=False),
        sa.Column("written_at", sa.Float, nullable=False),
        sa.Column("version", sa.Integer, nullable=False),
        sa.Column("kind", sa.String(16), nullable=False),
        sa.Column("outcome", sa.String(16), nullable=False),
        sa.Column("record", sa.Text, nullable=False),
    )
    op.create_index("reinforced_agent_records_by_time", "reinforced_agent_records", ["written_at"])


def downgrade() -> None:
    """Drop the table."""
    op.drop_table("reinforced_agent_records")

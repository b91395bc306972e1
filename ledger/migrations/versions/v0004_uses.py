"""Uses of tools by user, for quotas over all threads."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op


revision = "0004"
down_revision = "0003"


def upgrade() -> None:
    """Create the table."""
    op.create_table(
        "reinforced_agent_uses",
        sa.Column("key", sa.String(64), primary_key=True),
        sa.Column("who", sa.String(64), nullable=False),
        sa.Column("tool", sa.Text, nullable=False),
        sa.Column("used_at", sa.Float, nullable=False),
    )
    op.create_index("reinforced_agent_uses_of_somebody", "reinforced_agent_uses", ["who", "used_at"])


def downgrade() -> None:
    """Drop the table."""
    op.drop_table("reinforced_agent_uses")

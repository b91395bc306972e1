"""The first tables: effects, approvals and running threads."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op


revision = "0001"
down_revision = None


def upgrade() -> None:
    """Create the tables."""
    op.create_table(
        "reinforced_agent_effects",
        sa.Column("key", sa.String(64), primary_key=True),
        sa.Column("thread", sa.Text, nullable=False),
        sa.Column("turn", sa.Text, nullable=False),
        sa.Column("tool", sa.Text, nullable=False),
        sa.Column("digest", sa.String(64), nullable=False),
        sa.Column("call_id", sa.Text, nullable=False),
        sa.Column("status", sa.String(16), nullable=False),
        sa.Column("attempt", sa.Integer, nullable=False),
        sa.Column("owner", sa.Text, nullable=False),
        sa.Column("lease_until", sa.Float, nullable=False),
        sa.Column("claimed_at", sa.Float, nullable=False),
        sa.Column("settled_at", sa.Float),
        sa.Column("outcome", sa.Text),
    )
    op.create_index(
        "reinforced_agent_effects_of_a_thread", "reinforced_agent_effects", ["thread"], postgresql_using="hash"
    )
    op.create_index("reinforced_agent_effects_by_status", "reinforced_agent_effects", ["status"])
    _create_approvals()
    op.create_table(
        "reinforced_agent_runs",
        sa.Column("key", sa.String(64), primary_key=True),
        sa.Column("thread", sa.Text, nullable=False),
        sa.Column("owner", sa.Text, nullable=False),
        sa.Column("lease_until", sa.Float, nullable=False),
        sa.Column("since", sa.Float, nullable=False),
    )


def _create_approvals() -> None:
    """Create the table of questions to people."""
    op.create_table(
        "reinforced_agent_approvals",
        sa.Column("token_hash", sa.String(64), primary_key=True),
        sa.Column("thread", sa.Text, nullable=False),
        sa.Column("turn", sa.Text, nullable=False),
        sa.Column("call_id", sa.Text, nullable=False),
        sa.Column("tool", sa.Text, nullable=False),
        sa.Column("digest", sa.String(64), nullable=False),
        sa.Column("requester", sa.Text, nullable=False),
        sa.Column("issued_at", sa.Float, nullable=False),
        sa.Column("expires_at", sa.Float),
        sa.Column("decision", sa.String(16)),
        sa.Column("decided_by", sa.Text),
        sa.Column("decided_at", sa.Float),
        sa.Column("spent_on", sa.String(64)),
    )
    op.create_index(
        "reinforced_agent_approvals_of_a_thread", "reinforced_agent_approvals", ["thread"], postgresql_using="hash"
    )


def downgrade() -> None:
    """Drop the tables."""
    for table in ("reinforced_agent_runs", "reinforced_agent_approvals", "reinforced_agent_effects"):
        op.drop_table(table)

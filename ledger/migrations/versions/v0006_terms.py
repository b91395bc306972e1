"""What a tool and its rules were like when a person was asked."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op


revision = "0006"
down_revision = "0005"

_APPROVALS = "reinforced_agent_approvals"


def upgrade() -> None:
    """Of questions that were put before, nobody knows it: they are put once more."""
    op.add_column(_APPROVALS, sa.Column("terms", sa.String(64)))


def downgrade() -> None:
    """Take it away again."""
    op.drop_column(_APPROVALS, "terms")

"""A fencing token for each attempt at an effect, and a number for each record."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op


revision = "0005"
down_revision = "0004"

_EFFECTS, _RECORDS = "reinforced_agent_effects", "reinforced_agent_records"
_KEPT = "id, thread, turn, step, written_at, version, kind, outcome, record"


def upgrade() -> None:
    """Give what is there tokens that no later attempt gets, and numbers in the order of time."""
    op.add_column(_EFFECTS, sa.Column("fence", sa.String(64)))
    op.execute(f"update {_EFFECTS} set fence = 'attempt ' || attempt")  # noqa: S608  # names of our own
    _make_anew(
        sa.Column("number", sa.BigInteger().with_variant(sa.Integer, "sqlite"), primary_key=True),
        sa.Column("id", sa.String(64), nullable=False),
    )
    op.create_index(f"{_RECORDS}_by_id", _RECORDS, ["id"], unique=True)


def downgrade() -> None:
    """Take both away again."""
    op.drop_index(f"{_RECORDS}_by_id", _RECORDS)
    _make_anew(sa.Column("id", sa.String(64), primary_key=True))
    op.drop_column(_EFFECTS, "fence")


def _make_anew(*key: sa.Column[object]) -> None:
    """Make the table of records with another key; SQLite can't change the key of a table."""
    op.drop_index(f"{_RECORDS}_by_time", _RECORDS)
    op.rename_table(_RECORDS, f"{_RECORDS}_before")
    op.create_table(
        _RECORDS,
        *key,
        sa.Column("thread", sa.Text, nullable=False),
        sa.Column("turn", sa.Text, nullable=False),
        sa.Column("step", sa.Integer, nullable=False),
        sa.Column("written_at", sa.Float, nullable=False),
        sa.Column("version", sa.Integer, nullable=False),
        sa.Column("kind", sa.String(16), nullable=False),
        sa.Column("outcome", sa.String(16), nullable=False),
        sa.Column("record", sa.Text, nullable=False),
    )
    op.execute(
        f"insert into {_RECORDS} ({_KEPT}) select {_KEPT} from {_RECORDS}_before "  # noqa: S608  # names of our own
        "order by written_at, turn, step, id"
    )
    op.drop_table(f"{_RECORDS}_before")
    op.create_index(f"{_RECORDS}_by_time", _RECORDS, ["written_at"])

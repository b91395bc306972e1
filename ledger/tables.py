"""The tables of the ledger; times are seconds since 1970, UTC.

Their names begin with the name of the package, since an application may keep its own tables in the same file or schema.
"""

from __future__ import annotations

import re
from typing import Any

from sqlalchemy import BigInteger, Column, Float, Index, Integer, MetaData, String, Table, Text, TypeDecorator, text


class AnyText(TypeDecorator[str]):
    """Text that is kept as it came: PostgreSQL refuses NUL, and no database takes half of a surrogate pair.

    Those characters, and the backslash, are written as a backslash and four hex digits.
    """

    impl = Text
    cache_ok = True

    def process_bind_param(self, value: str | None, _dialect: Any) -> str | None:
        """Write."""
        return value and re.sub(r"[\\\x00\ud800-\udfff]", lambda found: f"\\{ord(found[0]):04x}", value)

    def process_result_value(self, value: str | None, _dialect: Any) -> str | None:
        """Read."""
        return value and re.sub(r"\\([0-9a-f]{4})", lambda found: chr(int(found[1], 16)), value)


PREFIX = "reinforced_agent_"
"""What the names of all tables and indexes begin with."""

metadata = MetaData()


def _namespace() -> Column[str]:
    """Describe the column that says of which deployment a row is; its keys are made with it as well."""
    return Column("namespace", String(64), nullable=False, server_default=text("''"))


effects = Table(
    f"{PREFIX}effects",
    metadata,
    Column("key", String(64), primary_key=True),
    Column("thread", AnyText, nullable=False),
    Column("turn", AnyText, nullable=False),
    Column("tool", AnyText, nullable=False),
    Column("digest", String(64), nullable=False),
    Column("call_id", AnyText, nullable=False),
    Column("status", String(16), nullable=False),
    Column("attempt", Integer, nullable=False),
    Column("fence", String(64)),
    Column("owner", Text, nullable=False),
    Column("lease_until", Float, nullable=False),
    Column("claimed_at", Float, nullable=False),
    Column("settled_at", Float),
    Column("outcome", Text),
    _namespace(),
    Column("who", String(64)),
    # The tree of PostgreSQL takes no text over 2,704 bytes; its hash index takes any.
    Index(f"{PREFIX}effects_of_a_thread", "thread", postgresql_using="hash"),
    Index(f"{PREFIX}effects_by_status", "status"),
    Index(f"{PREFIX}effects_of_somebody", "who"),
)
"""One row an effect: a call that changes something, in one turn of one thread. It holds the newest attempt. `fence` is
a token that no other attempt has: a row that was pruned may come again, and an old attempt must not end the new one.
`who` is the SHA-256 of tenant and user of who asked for it; empty where nobody was named."""

approvals = Table(
    f"{PREFIX}approvals",
    metadata,
    Column("token_hash", String(64), primary_key=True),
    Column("thread", AnyText, nullable=False),
    Column("turn", AnyText, nullable=False),
    Column("call_id", AnyText, nullable=False),
    Column("tool", AnyText, nullable=False),
    Column("digest", String(64), nullable=False),
    Column("terms", String(64)),
    Column("requester", Text, nullable=False),
    Column("issued_at", Float, nullable=False),
    Column("expires_at", Float),
    Column("decision", String(16)),
    Column("decided_by", Text),
    Column("decided_at", Float),
    Column("spent_on", String(64)),
    _namespace(),
    Index(f"{PREFIX}approvals_of_a_thread", "thread", postgresql_using="hash"),
)
"""One row a question to a person; the token itself is not stored, only its SHA-256."""

runs = Table(
    f"{PREFIX}runs",
    metadata,
    Column("key", String(64), primary_key=True),
    Column("thread", AnyText, nullable=False),
    Column("owner", Text, nullable=False),
    Column("lease_until", Float, nullable=False),
    Column("since", Float, nullable=False),
)
"""One row a thread that is running now; its key is made of namespace and thread, which may be of any length."""

uses = Table(
    f"{PREFIX}uses",
    metadata,
    Column("key", String(64), primary_key=True),
    Column("who", String(64), nullable=False),
    Column("tool", AnyText, nullable=False),
    Column("used_at", Float, nullable=False),
    Index(f"{PREFIX}uses_of_somebody", "who", "used_at"),
)
"""One row a run of a tool that counts for quotas of users; `who` is made of namespace, tenant and user."""

records = Table(
    f"{PREFIX}records",
    metadata,
    Column("number", BigInteger().with_variant(Integer, "sqlite"), primary_key=True),
    Column("id", String(64), nullable=False),
    Column("thread", AnyText, nullable=False),
    Column("turn", AnyText, nullable=False),
    Column("step", Integer, nullable=False),
    Column("written_at", Float, nullable=False),
    Column("version", Integer, nullable=False),
    Column("kind", String(16), nullable=False),
    Column("outcome", String(16), nullable=False),
    Column("record", Text, nullable=False),
    _namespace(),
    Column("who", String(64)),
    Index(f"{PREFIX}records_by_id", "id", unique=True),
    Index(f"{PREFIX}records_by_time", "written_at"),
    Index(f"{PREFIX}records_of_somebody", "who"),
)
"""One row a proposal: the record as JSON, and what it is looked up by. A record that is written again keeps its number,
by which readers find their way; `written_at` is when it was written last."""

results = Table(
    f"{PREFIX}results",
    metadata,
    Column("key", String(64), primary_key=True),
    Column("thread", AnyText, nullable=False),
    Column("tool", AnyText, nullable=False),
    Column("length", BigInteger, nullable=False),
    Column("kept_at", Float, nullable=False),
    _namespace(),
    Index(f"{PREFIX}results_by_time", "kept_at"),
)
"""One row a result that was too long to be shown whole; its key is made of namespace, thread and reference."""

result_parts = Table(
    f"{PREFIX}result_parts",
    metadata,
    Column("key", String(64), primary_key=True),
    Column("part", Integer, primary_key=True),
    Column("text", AnyText, nullable=False),
)
"""The text of a result, in parts that are counted from 0."""

pauses = Table(
    f"{PREFIX}pauses",
    metadata,
    Column("tool", AnyText, primary_key=True),
    Column("since", Float, nullable=False),
    Column("paused_by", AnyText, nullable=False),
    Column("reason", AnyText, nullable=False),
)
"""One row a tool that an operator has paused."""

"""Bring the tables of a ledger to the version of this package."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Engine, text

from reinforced_agent.tools.ledger.engine import LedgerError


VERSION_TABLE = "ledger_version"
"""Where the version is kept; a name of its own, since the database may hold other tables that Alembic looks after."""
_LOCK_NUMBER = 7_238_415_990_001
"""Any number; the advisory lock of PostgreSQL under which tables are brought up to date."""
_one_at_a_time = threading.Lock()
"""Alembic keeps the database it works on in a global variable."""


def upgrade(engine: Engine, revision: str = "head") -> None:
    """Bring the tables to the newest version or the given one, in one transaction that other processes wait for.

    Raises:
        LedgerError: When the database was written by a newer version of this package.

    """
    with _one_at_a_time, engine.begin() as connection:
        _lock(connection)
        _run(connection, "_upgrade_revs", revision)


def downgrade(engine: Engine, revision: str = "base") -> None:
    """Take the tables back to an older version; `base` removes them with all that they hold.

    Raises:
        LedgerError: When the database was written by a newer version of this package.

    """
    with _one_at_a_time, engine.begin() as connection:
        _lock(connection)
        _run(connection, "_downgrade_revs", revision)


def _lock(connection: Connection) -> None:
    """Let other processes wait; SQLite's transactions do so by themselves."""
    if connection.dialect.name == "postgresql":
        connection.execute(text("select pg_advisory_xact_lock(:lock)"), {"lock": _LOCK_NUMBER})


def _run(connection: Connection, direction: str, target: str) -> None:
    """Take the steps to a version.

    Raises:
        LedgerError: When the version of the database is not known here.

    """
    # Slow to import, and not needed by programs that only describe tools.
    from alembic.config import Config  # noqa: PLC0415
    from alembic.runtime.environment import EnvironmentContext  # noqa: PLC0415
    from alembic.script import ScriptDirectory  # noqa: PLC0415
    from alembic.util import CommandError  # noqa: PLC0415

    scripts = ScriptDirectory(str(Path(__file__).parent / "migrations"))

    def steps(revision: Any, _context: object) -> Any:
        return getattr(scripts, direction)(target, revision)  # what Alembic's own command does

    try:
        with EnvironmentContext(Config(), scripts, fn=steps) as environment:
            environment.configure(connection=connection, version_table=VERSION_TABLE)
            environment.run_migrations()
    except CommandError as error:
        msg = "The ledger was written by a newer version of reinforced-agent: install that version."
        raise LedgerError(msg) from error

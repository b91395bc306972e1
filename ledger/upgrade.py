"""Bring the tables of a ledger to the version of this package."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Engine, inspect, text

from reinforced_agent.ledger.engine import LedgerError, schema_of
from reinforced_agent.ledger.tables import PREFIX


VERSION_TABLE = f"{PREFIX}version"
"""Where the version is kept; a name of its own, since the database may hold other tables that Alembic looks after."""

_PLAIN_VERSION_TABLE = "ledger_version"
"""Where the version was kept while the tables had names that an application may use itself."""
_PLAIN_TABLES = {
    "0001": ("effects", "approvals", "runs"),
    "0002": ("records",),
    "0003": ("results", "result_parts"),
    "0004": ("uses",),
}
"""The tables that had such names, by the version that made them."""
_TAKEN_OVER = "0005"
"""The version that is left in the old place: processes of an earlier version see that they are too old, and stop."""

_LOCK_NUMBER = 7_238_415_990_001
"""Any number; the advisory lock of PostgreSQL under which tables are brought up to date."""
_one_at_a_time = threading.Lock()
"""Alembic keeps the database it works on in a global variable."""


def upgrade(engine: Engine, revision: str = "head") -> None:
    """Bring the tables to the newest version or the given one, in one transaction that other processes wait for.

    Tables that an earlier version made under other names, or in another schema, are taken over with all they hold.

    Raises:
        LedgerError: When the database was written by a newer version of this package.

    """
    with _one_at_a_time, engine.begin() as connection:
        _prepare(connection, schema_of(engine))
        _run(connection, "_upgrade_revs", revision)


def downgrade(engine: Engine, revision: str = "base") -> None:
    """Take the tables back to an older version; `base` removes them with all that they hold.

    Raises:
        LedgerError: When the database was written by a newer version of this package.

    """
    with _one_at_a_time, engine.begin() as connection:
        _prepare(connection, schema_of(engine))
        _run(connection, "_downgrade_revs", revision)


def _prepare(connection: Connection, schema: str | None) -> None:
    """Let other processes wait, as SQLite's transactions do by themselves, and put the tables where they belong."""
    if connection.dialect.name == "postgresql":
        connection.execute(text("select pg_advisory_xact_lock(:lock)"), {"lock": _LOCK_NUMBER})
    if schema and not inspect(connection).has_schema(schema):
        connection.execute(text(f"create schema {schema}"))
    version = earlier_version(connection, schema)
    if version:
        left = f"update {_PLAIN_VERSION_TABLE} set version_num = '{_TAKEN_OVER}'"  # noqa: S608  # our own names
        connection.execute(text(left))
    for made_by, tables in _PLAIN_TABLES.items():
        for table in tables if made_by <= version else ():
            _take_over(connection, table, schema)
    if schema:
        connection.execute(text(f"set local search_path to {schema}"))
    if version:
        _stamp(connection, version)


def earlier_version(connection: Connection, schema: str | None) -> str:
    """Return the version of tables with plain names that are still to be taken over; empty where there are none.

    Raises:
        LedgerError: When a newer version of this package has written them.

    """
    if inspect(connection).has_table(VERSION_TABLE, schema):
        return ""
    here = connection.scalar(text("select current_schema()")) if connection.dialect.name == "postgresql" else None
    inspector = inspect(connection)
    if not inspector.has_table(_PLAIN_VERSION_TABLE, here):
        return ""
    if [column["name"] for column in inspector.get_columns(_PLAIN_VERSION_TABLE, here)] != ["version_num"]:
        return ""
    version = connection.scalar(text(f"select version_num from {_PLAIN_VERSION_TABLE}"))  # noqa: S608  # our own name
    if version in {None, _TAKEN_OVER}:
        return ""
    if version not in _PLAIN_TABLES:
        raise _too_old()
    return str(version)


def _take_over(connection: Connection, table: str, schema: str | None) -> None:
    """Give a table and its indexes the names that they have now, and put them into a schema."""
    indexes = inspect(connection).get_indexes(table)
    connection.execute(text(f"alter table {table} rename to {PREFIX}{table}"))
    for index in indexes:
        name, columns = index["name"], ", ".join(map(str, index["column_names"]))
        if connection.dialect.name == "postgresql":
            connection.execute(text(f'alter index "{name}" rename to "{PREFIX}{name}"'))
        else:
            connection.execute(text(f'drop index "{name}"'))
            connection.execute(text(f'create index "{PREFIX}{name}" on {PREFIX}{table} ({columns})'))
    if schema:
        connection.execute(text(f"alter table {PREFIX}{table} set schema {schema}"))


def _stamp(connection: Connection, version: str) -> None:
    """Write down of which version the tables are."""
    from alembic.migration import MigrationContext  # noqa: PLC0415  # as below

    MigrationContext.configure(connection, opts={"version_table": VERSION_TABLE}).stamp(_scripts(), version)


def _run(connection: Connection, direction: str, target: str) -> None:
    """Take the steps to a version.

    Raises:
        LedgerError: When the version of the database is not known here.

    """
    # Slow to import, and not needed by programs that only describe tools.
    from alembic.config import Config  # noqa: PLC0415
    from alembic.runtime.environment import EnvironmentContext  # noqa: PLC0415
    from alembic.util import CommandError  # noqa: PLC0415

    scripts = _scripts()

    def steps(revision: Any, _context: object) -> Any:
        return getattr(scripts, direction)(target, revision)  # what Alembic's own command does

    try:
        with EnvironmentContext(Config(), scripts, fn=steps) as environment:
            environment.configure(connection=connection, version_table=VERSION_TABLE)
            environment.run_migrations()
    except CommandError as error:
        raise _too_old() from error


def _scripts() -> Any:
    """Return the migrations."""
    from alembic.script import ScriptDirectory  # noqa: PLC0415  # as above

    return ScriptDirectory(str(Path(__file__).parent / "migrations"))


def _too_old() -> LedgerError:
    """Say that this version of the package is too old."""
    return LedgerError("The ledger was written by a newer version of reinforced-agent: install that version.")

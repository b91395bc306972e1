"""Read the address of the ledger's database, and connect to it."""

from __future__ import annotations

import os
import re
import time
from contextlib import suppress
from typing import Any
from urllib.parse import unquote, urlsplit

from sqlalchemy import Connection, Engine, create_engine, event, make_url, text
from sqlalchemy.engine import URL
from sqlalchemy.exc import ArgumentError, DBAPIError
from sqlalchemy.pool import QueuePool


_OWNER_ALONE = 0o600
"""Mode of a file that is made: its owner may read and write it."""
BUSY_SECONDS = 30
"""How long a transaction waits for another process that writes to the same SQLite file."""
_SILENCE_SECONDS = {"connect_timeout": 10, "tcp_user_timeout": 30_000}
"""How long PostgreSQL may give no answer: to a new connection in seconds, to what was sent in milliseconds."""
SCHEMA = "reinforced_agent"
"""The schema of PostgreSQL that the tables are in, where the search path names none of somebody's own."""
_FORMS = "`sqlite:///FILE` or `postgresql://USER@HOST/DATABASE`"
_ADVICE = {
    "unable to open": "Check that its folder exists and that this user may write to it.",
    "not a database": "Give the path of a ledger, or of a file that does not exist yet.",
    "readonly|read-only": "Give this user the right to write to the file and to its folder.",
    "is locked": f"Another process has been writing to it for {BUSY_SECONDS} seconds: end it, or use PostgreSQL.",
    "is full|No space left": "Make room on the disk.",
    'database "[^"]*" does not exist': "Check its name, or create it with `createdb`.",
    "no such table|no such column|(relation|column) .* does not exist": "Its tables were changed by hand: bring back "
    "those of a backup, or begin a new ledger.",
    'authentication failed|role "[^"]*" does not exist|no password': "Check the user and the password in its address.",
    "already (exists|another)": "Something else uses that name: give the ledger a file, database or schema of its own.",
    "permission denied for database": f"Let its owner run `create schema {SCHEMA} authorization USER`, or name "
    "a schema in which its user may make tables: `postgresql://USER@HOST/DATABASE?options=-csearch_path%3DSCHEMA`.",
    "no schema has been selected": "Create the schema that its search path names, or name another.",
    "permission denied": "Give its user the right to make tables there and to write to them.",
}
"""What to do, by what is found in the text of an error."""


class LedgerError(RuntimeError):
    """The ledger can't be opened, read or written; the text says which one and what to do."""


def explain(error: Exception, name: str) -> LedgerError:
    """Say in one sentence what a database objects to, and what to do; values of the statement are not repeated."""
    reason = str(error.orig if isinstance(error, DBAPIError) else error).strip().split("\n")[0].rstrip(".")
    known = (advice for pattern, advice in _ADVICE.items() if re.search(pattern, reason))
    advice = next(known, "Check that the database is there and reachable.")
    return LedgerError(f"The ledger {name} can't be used: {reason}. {advice}")


def in_memory(url: str) -> bool:
    """Tell whether an address names a database that ends with its process.

    Raises:
        LedgerError: When the text names no database.

    """
    read = read_url(url)
    if read.get_backend_name() != "sqlite":
        return False
    file = read.database or ":memory:"
    return file.removeprefix("file:").startswith(":memory:") or read.query.get("mode") == "memory"


def read_url(text: str) -> URL:
    """Read the address of a database.

    Raises:
        LedgerError: When it is none that the ledger can use.

    """
    try:
        url = make_url(text)
    except (ArgumentError, ValueError):
        # The text may hold a password, and the error may hold the text.
        msg = f"The address of the ledger can't be read: write {_FORMS}."
        raise LedgerError(msg) from None
    match url.drivername:
        case "sqlite" | "sqlite+pysqlite":
            return url
        case "postgres" | "postgresql" | "postgresql+psycopg":
            return url.set(drivername="postgresql+psycopg")
        case other:
            msg = f"The ledger can't be kept in {other!r}: write {_FORMS}."
            raise LedgerError(msg)


def create_file(url: URL, *, memory: bool) -> None:
    """Make the file of a database that has none yet, for its owner alone; SQLite gives its journal the same mode.

    One that is there keeps its mode. What can't be made is left to SQLite, which says why.
    """
    file = url.database or ""
    if url.get_backend_name() != "sqlite" or memory or url.query.get("mode") in {"ro", "rw"}:
        return
    if url.query.get("uri") and file.startswith("file:"):
        file = unquote(urlsplit(file).path)
    with suppress(OSError):
        number = os.open(file, os.O_CREAT | os.O_EXCL | os.O_WRONLY, _OWNER_ALONE)
        try:
            os.chmod(file, _OWNER_ALONE)  # noqa: PTH101  # what the umask took away is given back
        finally:
            os.close(number)


def make_engine(url: URL, *, memory: bool) -> Engine:
    """Describe the connections; none is made yet.

    Raises:
        LedgerError: When the driver of PostgreSQL is not installed.

    """
    return _postgres(url) if url.get_backend_name() == "postgresql" else _sqlite(url, memory=memory)


def _postgres(url: URL) -> Engine:
    """Describe connections to a server; one that was cut meanwhile is replaced before it is used.

    Raises:
        LedgerError: When the driver is not installed.

    """
    patience = {name: value for name, value in _SILENCE_SECONDS.items() if name not in url.query}
    try:
        # Rows are locked one by one; a stricter level of the server's own choice would refuse instead of waiting.
        return create_engine(
            url, pool_pre_ping=True, connect_args=patience, isolation_level="READ COMMITTED", hide_parameters=True
        )
    except ModuleNotFoundError as error:
        msg = "The driver of PostgreSQL is not installed; run: pip install 'reinforced-agent[postgres]'"
        raise LedgerError(msg) from error


def placed(engine: Engine) -> Engine:
    """Return an engine that looks for the ledger's tables in their schema.

    That is the first schema of the search path where somebody has chosen one, by the address, the role or the database;
    else one of the ledger's own, since `public` belongs to the application.
    """
    if engine.dialect.name != "postgresql":
        return engine
    query = "select current_schema(), (select source from pg_settings where name = 'search_path')"
    with engine.connect() as connection:
        first, source = connection.execute(text(query)).one()
    if first == "public" or (first is None and source == "default"):
        return engine.execution_options(schema_translate_map={None: SCHEMA})
    return engine


def schema_of(engine: Engine) -> str | None:
    """Return the schema that an engine looks for tables in; `None` for the first one of the search path."""
    schemas: dict[None, str] = engine.get_execution_options().get("schema_translate_map", {})
    return schemas.get(None)


def _sqlite(url: URL, *, memory: bool) -> Engine:
    """Describe connections to a file; a database in memory lives in its one connection, which threads take in turn."""
    pool: dict[str, Any] = {"pool_size": 1, "max_overflow": 0, "pool_timeout": BUSY_SECONDS} if memory else {}
    arguments = {"check_same_thread": False, "timeout": BUSY_SECONDS}
    engine = create_engine(url, poolclass=QueuePool, connect_args=arguments, hide_parameters=True, **pool)
    event.listen(engine, "connect", _prepare_sqlite)
    event.listen(engine, "begin", _begin_sqlite)
    return engine


def _prepare_sqlite(connection: Any, _record: object) -> None:
    """Let transactions be begun by hand, and make them survive a loss of power."""
    connection.isolation_level = None
    _write_ahead(connection)
    connection.execute("PRAGMA synchronous=FULL")


def _write_ahead(connection: Any) -> None:
    """Let readers and a writer work side by side; SQLite doesn't wait by itself while another process does the same."""
    until = time.monotonic() + BUSY_SECONDS
    while True:
        try:
            connection.execute("PRAGMA journal_mode=WAL")
        except connection.OperationalError as error:
            if "locked" not in str(error) or time.monotonic() > until:
                raise
            time.sleep(0.02)
        else:
            return


def _begin_sqlite(connection: Connection) -> None:
    """Take the write lock at once: a transaction that reads first and writes later could fail in between."""
    connection.exec_driver_sql("BEGIN IMMEDIATE")

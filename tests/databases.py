"""Databases for tests: SQLite in memory and in a file, and a PostgreSQL schema of the test's own.

The server is the one that `REINFORCED_AGENT_TEST_POSTGRES_URL` names. A package of tests gets the fixtures by importing
them in its `conftest.py`.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from uuid import uuid4

import pytest
from sqlalchemy import make_url


SERVER = os.environ.get("REINFORCED_AGENT_TEST_POSTGRES_URL", "postgresql://postgres@127.0.0.1:5432/test")
"""The PostgreSQL server; its database must exist."""

POSTGRES = pytest.param("postgres", id="postgres", marks=pytest.mark.postgres)
SHARED = (pytest.param("file", id="file"), POSTGRES)
"""Databases that several processes can use."""
ALL = (pytest.param("memory", id="memory"), *SHARED)


@contextmanager
def database(kind: str, folder: Path) -> Iterator[str]:
    """Give the address of an empty database of a kind: `memory`, `file` or `postgres`."""
    match kind:
        case "memory":
            yield "sqlite://"
        case "file":
            yield f"sqlite:///{folder / 'ledger.db'}"
        case "postgres":
            with schema() as address:
                yield address
        case _:
            msg = f"no such database: {kind!r}"
            raise ValueError(msg)


@contextmanager
def schema() -> Iterator[str]:
    """Make an empty schema that only its address leads to, and drop it afterwards; skip where no server runs."""
    psycopg = pytest.importorskip("psycopg", reason="the driver of PostgreSQL is not installed")
    name = f"test_{uuid4().hex}"
    try:
        server = psycopg.connect(SERVER, autocommit=True, connect_timeout=5)
    except psycopg.OperationalError as error:
        where = make_url(SERVER).render_as_string(hide_password=True)
        pytest.skip(f"no PostgreSQL server at {where}: {error}")
    with server:
        server.execute(f"create schema {name}")
        try:
            query = {"options": f"-csearch_path={name}", "application_name": name}
            yield make_url(SERVER).update_query_dict(query).render_as_string(hide_password=False)
        finally:
            cut_connections(name)
            server.execute(f"drop schema {name} cascade")


@contextmanager
def own_database() -> Iterator[str]:
    """Make an empty database whose address names no schema, and drop it afterwards; skip where no server runs."""
    psycopg = pytest.importorskip("psycopg", reason="the driver of PostgreSQL is not installed")
    with schema() as address, psycopg.connect(SERVER, autocommit=True, connect_timeout=5) as server:
        name = str(make_url(address).query["application_name"])
        server.execute(f"create database {name}")
        try:
            yield make_url(SERVER).set(database=name).render_as_string(hide_password=False)
        finally:
            server.execute(f"drop database {name} with (force)")


def cut_connections(address: str) -> int:
    """Let the server end all connections that were made through the address of a schema; return how many there were."""
    import psycopg  # noqa: PLC0415  # tests without PostgreSQL need no driver

    name = address if "://" not in address else str(make_url(address).query["application_name"])
    find = "select count(pg_terminate_backend(pid, 5000)) from pg_stat_activity where application_name = %s"
    with psycopg.connect(SERVER, autocommit=True, connect_timeout=5) as server:
        row = server.execute(find, [name]).fetchone()
        return int(row[0]) if row else 0


@pytest.fixture(params=ALL)
def address(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """Give the address of an empty database, of each kind in turn."""
    with database(request.param, tmp_path) as found:
        yield found


@pytest.fixture(params=SHARED)
def shared_address(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """Give the address of an empty database that several processes can use, of each kind in turn."""
    with database(request.param, tmp_path) as found:
        yield found


@pytest.fixture
def own_address() -> Iterator[str]:
    """Give the address of an empty database of PostgreSQL; the test has to carry the marker `postgres`."""
    with own_database() as found:
        yield found


@pytest.fixture
def postgres_address() -> Iterator[str]:
    """Give the address of an empty schema of PostgreSQL; the test has to carry the marker `postgres`."""
    with schema() as found:
        yield found

"""The databases that tests with several processes run on."""

from __future__ import annotations

import os

import psycopg
import pytest


SERVER = os.environ.get("REINFORCED_AGENT_TEST_POSTGRES_URL", "postgresql://postgres@127.0.0.1:5432/test")
"""The server that tests may use."""


def reachable() -> str:
    """Return the server, or skip the test."""
    try:
        psycopg.connect(SERVER, connect_timeout=3).close()
    except psycopg.OperationalError as error:
        pytest.skip(f"no PostgreSQL at {SERVER}: {str(error).splitlines()[0]}")
    return SERVER


def schemas(address: str) -> list[str]:
    """List the schemas of crash tests that are left on a server; on a file there are none."""
    if address.startswith("sqlite"):
        return []
    query = "select nspname from pg_namespace where nspname like 'crashtest%' order by 1"
    with psycopg.connect(address) as connection:
        return [name for (name,) in connection.execute(query).fetchall()]

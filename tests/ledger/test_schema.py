"""The schema of PostgreSQL that the tables are in: one of their own, unless somebody has chosen another."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from sqlalchemy import Engine, inspect, text

from reinforced_agent.evaluation.report.sources import read_ledger
from reinforced_agent.ledger import Ledger
from reinforced_agent.ledger.effects import Granted, Known
from reinforced_agent.ledger.engine import SCHEMA, make_engine, read_url
from reinforced_agent.ledger.tables import metadata
from reinforced_agent.ledger.upgrade import VERSION_TABLE
from tests.evaluation.report_records import call, turn
from tests.ledger import earlier
from tests.ledger.cases import effect, shut
from tests.ledger.processes import Worker


pytestmark = pytest.mark.postgres

TABLES = {*metadata.tables, VERSION_TABLE}


@pytest.fixture
def server(own_address: str) -> Iterator[Engine]:
    """Connect to an empty database as an application does."""
    made = make_engine(read_url(own_address), memory=False)
    yield made
    made.dispose()


def tables(server: Engine, schema: str) -> set[str]:
    """Name the tables of a schema."""
    return set(inspect(server).get_table_names(schema))


def test_the_ledger_has_a_schema_of_its_own(own_address: str, server: Engine) -> None:
    """What an application has in `public` is neither touched nor in the way, and all parts of the ledger work."""
    with server.begin() as connection:
        connection.execute(text("create table runs (own integer)"))
    ledger = Ledger.open(own_address)
    with ledger.runs.holding("thread"):
        assert ledger.effects.claim(effect()) == Granted(1)
    written = turn(call())
    ledger.records.write([one.model_dump(mode="json") for one in written])
    assert [one.id for one in read_ledger(own_address).records] == [one.id for one in written]
    assert ledger.prune(older_than=-1) == len(written)
    assert (tables(server, "public"), tables(server, SCHEMA)) == ({"runs"}, TABLES)
    shut(ledger)


def test_tables_in_public_are_taken_over(own_address: str, server: Engine) -> None:
    """A ledger of an earlier version moves with all it holds, and opens again."""
    with server.begin() as connection:
        earlier.make(connection, "0004")
    for _ in range(2):
        ledger = Ledger.open(own_address)
        assert ledger.effects.claim(effect()) == Known("unknown", {}, 2)
        assert [one["id"] for one in ledger.records.read()] == ["b", "a"]
        shut(ledger)
    assert (tables(server, "public"), tables(server, SCHEMA)) == ({"ledger_version"}, TABLES)


@pytest.mark.parametrize("version", ["", "0004"], ids=["fresh", "earlier"])
def test_processes_make_the_schema_at_once(
    own_address: str, server: Engine, version: str, start: Callable[..., Worker]
) -> None:
    """One does it, and the others wait for it."""
    with server.begin() as connection:
        earlier.make(connection, version)
    workers = [start(own_address) for _ in range(3)]
    for worker in workers:
        worker.send("open")
    assert [worker.answer() for worker in workers] == [True] * 3


@pytest.mark.parametrize("chosen", ["database", "user"])
def test_a_schema_that_somebody_has_chosen_is_kept_to(own_address: str, server: Engine, chosen: str) -> None:
    """Ledgers that share a database, each by the schema of its role or its address, stay apart."""
    name = server.url.database
    with server.begin() as connection:
        connection.execute(text("create schema tenant"))
        if chosen == "database":
            connection.execute(text(f"alter database {name} set search_path to tenant, public"))
        else:
            connection.execute(text("alter schema tenant rename to postgres"))
    schema = "tenant" if chosen == "database" else "postgres"
    server.dispose()
    ledger = Ledger.open(own_address)
    assert ledger.effects.claim(effect()) == Granted(1)
    assert tables(server, schema) == TABLES
    assert not inspect(server).has_schema(SCHEMA)
    shut(ledger)

"""The tables: made by the migrations as the code describes them, brought up to date once, and taken back."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import Engine, insert, inspect, select, text

from reinforced_agent.tools.ledger import Ledger, LedgerError
from reinforced_agent.tools.ledger.effects import Granted, Known
from reinforced_agent.tools.ledger.engine import in_memory, make_engine, read_url
from reinforced_agent.tools.ledger.tables import metadata, runs
from reinforced_agent.tools.ledger.upgrade import VERSION_TABLE, downgrade, upgrade
from tests.tools.ledger.cases import effect, shut
from tests.tools.ledger.processes import Worker


TABLES = {"approvals", "effects", "records", "result_parts", "results", "runs", "uses", VERSION_TABLE}


@pytest.fixture
def engine(address: str) -> Iterator[Engine]:
    """Connect to an empty database of each kind."""
    made = make_engine(read_url(address), memory=in_memory(address))
    yield made
    made.dispose()


def tables(engine: Engine) -> set[str]:
    """Name the tables that are there."""
    with engine.connect() as connection:
        return set(inspect(connection).get_table_names())


def test_migrations_make_the_tables_that_the_code_uses(engine: Engine) -> None:
    """Nothing is missing, superfluous or of another type after all migrations."""
    upgrade(engine)
    assert tables(engine) == TABLES
    with engine.connect() as connection:
        context = MigrationContext.configure(
            connection, opts={"compare_type": True, "compare_server_default": True, "version_table": VERSION_TABLE}
        )
        assert compare_metadata(context, metadata) == []


def test_a_difference_between_migrations_and_code_would_be_seen(engine: Engine) -> None:
    """The comparison notices a table that the migrations don't make."""
    upgrade(engine)
    with engine.begin() as connection:
        connection.execute(text("drop table runs"))
        found = compare_metadata(MigrationContext.configure(connection), metadata)
    assert "add_table" in [difference[0] for difference in found]


def test_upgrading_twice_changes_nothing(engine: Engine) -> None:
    """Tables that are up to date stay as they are."""
    for _ in range(2):
        upgrade(engine)
        with engine.connect() as connection:
            assert connection.scalar(text(f"select version_num from {VERSION_TABLE}")) == "0004"  # noqa: S608


def test_a_ledger_of_an_earlier_version_keeps_what_it_holds(engine: Engine) -> None:
    """Tables of the first version get the newer ones beside them, and no row is lost."""
    upgrade(engine, "0001")
    assert "records" not in tables(engine)
    with engine.begin() as connection:
        held = {"key": "k", "thread": "t", "owner": "somebody", "lease_until": 1.0, "since": 1.0}
        connection.execute(insert(runs).values(**held))
    upgrade(engine)
    assert "records" in tables(engine)
    with engine.connect() as connection:
        assert connection.scalar(select(runs.c.owner)) == "somebody"


def test_the_tables_are_taken_back_and_made_again(engine: Engine) -> None:
    """A downgrade leaves nothing but an empty version table, and the upgrade works after it."""
    upgrade(engine)
    downgrade(engine)
    assert tables(engine) == {VERSION_TABLE}
    upgrade(engine)
    assert tables(engine) == TABLES


def test_an_upgrade_that_fails_leaves_nothing_behind(engine: Engine) -> None:
    """A migration is taken as a whole or not at all."""
    with engine.begin() as connection:
        connection.execute(text("create table runs (other integer)"))
    with pytest.raises(Exception, match="runs"):
        upgrade(engine)
    assert tables(engine) == {"runs"}


def test_a_database_of_a_newer_version_is_left_alone(shared_address: str) -> None:
    """A ledger that a newer package has written is refused, with what to do, and not changed."""
    engine = make_engine(read_url(shared_address), memory=False)
    upgrade(engine)
    with engine.begin() as connection:
        connection.execute(text(f"update {VERSION_TABLE} set version_num = '9999'"))  # noqa: S608
    with pytest.raises(LedgerError, match=r"newer version of reinforced-agent: install that version"):
        Ledger.open(shared_address)
    with pytest.raises(LedgerError, match="newer version"):
        Ledger(shared_address).effects.unknown()
    with engine.connect() as connection:
        assert connection.scalar(text(f"select version_num from {VERSION_TABLE}")) == "9999"  # noqa: S608
    engine.dispose()


def test_a_ledger_is_opened_again_with_what_it_held(shared_address: str) -> None:
    """Opening an existing ledger keeps what is in it."""
    first = Ledger.open(shared_address)
    assert first.effects.claim(effect()) == Granted(1)
    first.effects.settle(effect().key, 1, "committed", {"content": 1})
    shut(first)
    second = Ledger.open(shared_address)
    assert second.effects.claim(effect()) == Known("committed", {"content": 1}, 1)
    shut(second)


def test_processes_open_a_fresh_database_at_once(shared_address: str, start: Callable[..., Worker]) -> None:
    """Of several processes that find no tables one makes them, and the others wait for it."""
    workers = [start(shared_address) for _ in range(3)]
    for worker in workers:
        worker.send("open")
    assert [worker.answer() for worker in workers] == [True] * 3

"""The tables: made by the migrations as the code describes them, brought up to date once, and taken back."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import Engine, insert, inspect, select, text

from reinforced_agent.ledger import Ledger, LedgerError
from reinforced_agent.ledger.effects import Granted, Known
from reinforced_agent.ledger.engine import in_memory, make_engine, read_url
from reinforced_agent.ledger.tables import PREFIX, effects, metadata, pauses, records, runs, uses
from reinforced_agent.ledger.upgrade import VERSION_TABLE, downgrade, upgrade
from tests.ledger import earlier
from tests.ledger.cases import effect, newest, shut
from tests.ledger.processes import Worker


TABLES = {*metadata.tables, VERSION_TABLE}


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
        connection.execute(text(f"drop table {runs.name}"))
        found = compare_metadata(MigrationContext.configure(connection), metadata)
    assert "add_table" in [difference[0] for difference in found]


def test_upgrading_twice_changes_nothing(engine: Engine) -> None:
    """Tables that are up to date stay as they are."""
    for _ in range(2):
        upgrade(engine)
        with engine.connect() as connection:
            assert connection.scalar(text(f"select version_num from {VERSION_TABLE}")) == "0008"  # noqa: S608


def test_a_ledger_of_an_earlier_version_keeps_what_it_holds(engine: Engine) -> None:
    """Tables of the first version get the newer ones beside them, and no row is lost."""
    upgrade(engine, "0001")
    assert f"{PREFIX}records" not in tables(engine)
    with engine.begin() as connection:
        held = {"key": "k", "thread": "t", "owner": "somebody", "lease_until": 1.0, "since": 1.0}
        connection.execute(insert(runs).values(**held))
    upgrade(engine)
    assert f"{PREFIX}records" in tables(engine)
    with engine.connect() as connection:
        assert connection.scalar(select(runs.c.owner)) == "somebody"


def test_rows_from_before_owners_were_kept_belong_to_nobody(engine: Engine) -> None:
    """They stay as they were, and nothing is paused."""
    upgrade(engine, "0007")
    assert f"{PREFIX}pauses" not in tables(engine)
    kept = "(key, thread, turn, tool, digest, call_id, status, attempt, owner, lease_until, claimed_at)"
    with engine.begin() as connection:
        row = "('k', 't', 'u', 'pay', 'd', 'c', 'committed', 1, 'o', 1.0, 1.0)"
        connection.execute(text(f"insert into {PREFIX}effects {kept} values {row}"))  # noqa: S608  # our own names
    upgrade(engine)
    with engine.connect() as connection:
        assert connection.execute(select(effects.c.key, effects.c.who)).all() == [("k", None)]
        assert connection.execute(select(pauses)).all() == []


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
        connection.execute(text(f"create table {PREFIX}uses (other integer)"))
    with pytest.raises(Exception, match="uses"):
        upgrade(engine)
    assert tables(engine) == {f"{PREFIX}uses"}


def test_a_table_that_stands_in_the_way_is_named(shared_address: str) -> None:
    """The operator is told which one, and where the ledger could go instead."""
    made = make_engine(read_url(shared_address), memory=False)
    with made.begin() as connection:
        connection.execute(text(f"create table {PREFIX}runs (other integer)"))
    with pytest.raises(LedgerError, match=f"{PREFIX}runs.*already exists.*Something else uses that name") as caught:
        Ledger.open(shared_address)
    assert "of its own" in str(caught.value)
    made.dispose()


def test_tables_of_an_application_are_left_alone(shared_address: str) -> None:
    """An application may call its tables what it likes, also as the ledger once did, in the same file or schema."""
    plain = [name.removeprefix(PREFIX) for name in TABLES] + ["ledger_version"]
    made = make_engine(read_url(shared_address), memory=False)
    with made.begin() as connection:
        for name in plain:
            connection.execute(text(f"create table {name} (own integer)"))
    ledger = Ledger.open(shared_address)
    assert ledger.effects.claim(effect()) == Granted(1)
    with made.connect() as connection:
        for name in plain:
            assert [column["name"] for column in inspect(connection).get_columns(name)] == ["own"]
    made.dispose()
    shut(ledger)


@pytest.mark.parametrize("version", earlier.VERSIONS)
def test_tables_with_plain_names_are_taken_over(engine: Engine, version: str) -> None:
    """A ledger of any earlier version loses nothing, and its tables are as if they had been made today."""
    with engine.begin() as connection:
        earlier.make(connection, version)
    for _ in range(2):
        upgrade(engine)
    assert tables(engine) == TABLES | {"ledger_version"}
    with engine.connect() as connection:
        context = MigrationContext.configure(connection, opts={"compare_type": True, "version_table": VERSION_TABLE})
        assert [found for found in compare_metadata(context, metadata) if found[0] != "remove_table"] == []
        assert connection.execute(select(effects.c.key, effects.c.attempt)).all() == [(effect().key, 2)]
        assert connection.scalar(select(runs.c.owner)) == "somebody"
        numbered = [(1, "b"), (2, "a")] if version >= "0002" else []
        assert connection.execute(select(records.c.number, records.c.id).order_by(records.c.number)).all() == numbered
        assert connection.scalar(select(uses.c.who)) == ("somebody" if version >= "0004" else None)


def test_an_attempt_of_an_earlier_version_is_known(shared_address: str) -> None:
    """A write that was under way is not run again, and a person can say what came of it."""
    made = make_engine(read_url(shared_address), memory=False)
    with made.begin() as connection:
        earlier.make(connection, "0004")
    made.dispose()
    ledger = Ledger.open(shared_address)
    assert [record["id"] for record in ledger.records.read()] == ["b", "a"]
    assert ledger.effects.claim(effect()) == Known("unknown", {}, 2)
    assert ledger.effects.resolve(effect().key, "committed", {"content": 1}, by={})
    shut(ledger)


def test_a_process_of_an_earlier_version_stops(shared_address: str) -> None:
    """It finds a version that it doesn't know where it looks, and so makes no second ledger beside the first."""
    made = make_engine(read_url(shared_address), memory=False)
    with made.begin() as connection:
        earlier.make(connection, "0004")
    Ledger.open(shared_address).close()
    with made.connect() as connection:
        assert earlier.word_left(connection) not in earlier.VERSIONS
    made.dispose()


def test_plain_names_of_a_newer_version_are_refused(shared_address: str) -> None:
    """What nobody here knows how to take over is left as it is."""
    made = make_engine(read_url(shared_address), memory=False)
    with made.begin() as connection:
        earlier.make(connection, "0004")
        connection.execute(text("update ledger_version set version_num = '9999'"))
    with pytest.raises(LedgerError, match="newer version"):
        Ledger.open(shared_address)
    assert VERSION_TABLE not in tables(made)
    made.dispose()


def test_processes_take_over_the_same_tables_at_once(shared_address: str, start: Callable[..., Worker]) -> None:
    """One does it, and the others wait for it."""
    made = make_engine(read_url(shared_address), memory=False)
    with made.begin() as connection:
        earlier.make(connection, "0003")
    made.dispose()
    workers = [start(shared_address) for _ in range(3)]
    for worker in workers:
        worker.send("open")
    assert [worker.answer() for worker in workers] == [True] * 3


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
    first.effects.settle(effect().key, newest(first, effect().key), "committed", {"content": 1})
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

"""Addresses and databases that can't be used: what the operator is told, and what is never told."""

from __future__ import annotations

import os
import sqlite3
import traceback
from pathlib import Path

import pytest
from sqlalchemy import make_url

from reinforced_agent.ledger import Ledger, LedgerError
from reinforced_agent.ledger.engine import explain
from reinforced_agent.ledger.tables import effects
from tests.databases import SERVER
from tests.ledger.cases import effect


PASSWORD = "s3cret-pa55"


def refusal(url: str) -> str:
    """Open, and return what the operator is told, the traceback included."""
    with pytest.raises(LedgerError) as caught:
        Ledger.open(url)
    assert PASSWORD not in "".join(traceback.format_exception(caught.value))
    return str(caught.value)


@pytest.mark.parametrize(
    "url",
    [
        pytest.param("", id="empty"),
        pytest.param("ledger.db", id="a path alone"),
        pytest.param(f"postgresql//u:{PASSWORD}@h/d", id="no colon"),
        pytest.param(f"postgresql://u:{PASSWORD}@h:port/d", id="a port that is no number"),
        pytest.param(f"mysql://u:{PASSWORD}@h/d", id="another server"),
        pytest.param(f"postgresql+asyncpg://u:{PASSWORD}@h/d", id="another driver"),
        pytest.param("sqlite+aiosqlite:///x", id="another driver of SQLite"),
        pytest.param("oops://", id="nothing known"),
    ],
)
def test_an_address_that_is_none_is_refused(url: str) -> None:
    """The operator is told which addresses there are."""
    assert "write `sqlite:///FILE` or `postgresql://USER@HOST/DATABASE`" in refusal(url)


def test_a_folder_that_is_missing_is_named(tmp_path: Path) -> None:
    """A file in a folder that does not exist is refused, with what to do, and no folder is made."""
    told = refusal(f"sqlite:///{tmp_path}/missing/ledger.db")
    assert told.startswith(f"The ledger sqlite:///{tmp_path}/missing/ledger.db can't be used: unable to open")
    assert told.endswith("Check that its folder exists and that this user may write to it.")
    assert list(tmp_path.iterdir()) == []


def test_a_file_that_is_no_database_is_left_alone(tmp_path: Path) -> None:
    """A file of another kind is refused and not changed."""
    file = tmp_path / "notes.txt"
    file.write_text("These are notes, and they are long enough to be taken for a database. " * 50)
    before = file.read_bytes()
    assert refusal(f"sqlite:///{file}").endswith("Give the path of a ledger, or of a file that does not exist yet.")
    assert file.read_bytes() == before


def test_a_folder_is_no_ledger(tmp_path: Path) -> None:
    """The path of a folder is refused."""
    assert "unable to open" in refusal(f"sqlite:///{tmp_path}")


def test_a_file_that_may_only_be_read_is_refused(tmp_path: Path) -> None:
    """A ledger that can't be written is no ledger, and the operator is told which right is missing."""
    url = f"sqlite:///file:{tmp_path}/ledger.db?mode=ro&uri=true"
    sqlite3.connect(tmp_path / "ledger.db").close()
    (tmp_path / "ledger.db").touch()
    told = refusal(url)
    assert told.endswith("Give this user the right to write to the file and to its folder.")


@pytest.mark.skipif(os.geteuid() == 0, reason="the administrator may write everywhere")
def test_a_file_without_the_right_to_write_is_refused(tmp_path: Path) -> None:
    """The rights of the file count, and the operator is told which one is missing."""
    file = tmp_path / "ledger.db"
    sqlite3.connect(file).close()
    file.touch()
    file.chmod(0o444)
    assert "right to write" in refusal(f"sqlite:///{file}")


@pytest.mark.parametrize("url", ["sqlite://", "sqlite:///:memory:", "sqlite:///file::memory:?uri=true"])
def test_memory_has_several_addresses(url: str) -> None:
    """All addresses of a database in memory give a ledger of this process's own."""
    ledger = Ledger(url)
    assert not ledger.is_shared
    ledger.effects.claim(effect())
    assert list(ledger.effects.find([effect().key])) == [effect().key]
    ledger.close()


def test_a_server_that_is_down_is_named_without_the_password() -> None:
    """A closed port is told as such, and the password stays where it is."""
    told = refusal(f"postgresql://user:{PASSWORD}@127.0.0.1:1/ledger")
    assert told.startswith("The ledger postgresql+psycopg://user:***@127.0.0.1:1/ledger can't be used: ")
    assert told.endswith("Check that the database is there and reachable.")


@pytest.mark.postgres
def test_a_database_that_does_not_exist_is_named(postgres_address: str) -> None:
    """A wrong name is told, with what to do, and the password stays where it is."""
    told = refusal(
        make_url(SERVER).set(database="no_such_ledger", password=PASSWORD).render_as_string(hide_password=False)
    )
    assert 'database "no_such_ledger" does not exist' in told
    assert told.endswith("Check its name, or create it with `createdb`.")


@pytest.mark.parametrize(
    ("reason", "advice"),
    [
        pytest.param("database or disk is full", "Make room on the disk.", id="no room"),
        pytest.param('FATAL:  password authentication failed for user "a"', "Check the user and the", id="password"),
        pytest.param('FATAL:  role "a" does not exist', "Check the user and the", id="user"),
        pytest.param("permission denied for schema public", "Give its user the right", id="rights"),
        pytest.param("permission denied for database app", "Let its owner run `create schema", id="no schema"),
        pytest.param("no schema has been selected to create in", "Create the schema that its", id="schema missing"),
        pytest.param('relation "x" already exists', "Something else uses that name", id="collision"),
        pytest.param("there is already another table or index with this name: x", "Something else", id="renaming"),
        pytest.param('relation "effects" does not exist', "Its tables were changed by hand", id="table"),
        pytest.param("FATAL:  the database system is starting up", "Check that the database is there", id="starting"),
        pytest.param("first line.\nDETAIL: a value", "Check that the database is there", id="details are left out"),
    ],
)
def test_the_operator_is_told_what_to_do(reason: str, advice: str) -> None:
    """What a database objects to is followed by what to do about it, and not by values."""
    told = str(explain(RuntimeError(reason), "NAME"))
    assert told.startswith(f"The ledger NAME can't be used: {reason.splitlines()[0].rstrip('.')}. {advice}")
    assert "DETAIL" not in told


def test_nothing_is_opened_before_it_is_used(tmp_path: Path) -> None:
    """Describing a ledger neither makes a file nor looks for one."""
    ledger = Ledger(f"sqlite:///{tmp_path}/missing/ledger.db")
    ledger.close()
    with pytest.raises(LedgerError, match="unable to open"):
        ledger.effects.claim(effect())
    (tmp_path / "missing").mkdir()
    assert ledger.effects.unknown() == []
    ledger.close()


def test_errors_repeat_no_values(tmp_path: Path) -> None:
    """What is in the book does not get into logs through the errors of the database."""
    ledger = Ledger.open(f"sqlite:///{tmp_path}/ledger.db")
    with sqlite3.connect(tmp_path / "ledger.db") as connection:
        connection.execute(
            f"create trigger refuse before insert on {effects.name} begin select raise(abort, 'refused'); end"
        )
    connection.close()
    with pytest.raises(LedgerError, match="refused") as caught:
        ledger.effects.claim(effect(thread=PASSWORD))
    assert PASSWORD not in "".join(traceback.format_exception(caught.value))
    ledger.close()

"""Connections that are cut: between transactions, within one, and when an outcome has to be put down."""

from __future__ import annotations

import sqlite3
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import make_url

from reinforced_agent.ledger import Ledger, LedgerError, RunHeldError, database, engine
from reinforced_agent.ledger.effects import Granted, Known, Running
from reinforced_agent.ledger.tables import effects, runs
from tests.databases import cut_connections
from tests.ledger.cases import effect, grant, rows, shut


class Cutter:
    """A clock that lets the server end the connection of the transaction that asks it for the time, on one thread."""

    def __init__(self, address: str) -> None:
        """Do nothing yet."""
        self.address = address
        self.thread = "MainThread"
        self.cuts = 0
        self.asked = 0

    def __call__(self) -> float:
        """Tell the time."""
        self.asked += 1
        if self.cuts and threading.current_thread().name == self.thread:
            self.cuts -= 1
            assert cut_connections(self.address)
        return time.time()


@pytest.fixture
def cutter(postgres_address: str) -> Cutter:
    """Make a clock that cuts."""
    return Cutter(postgres_address)


@pytest.fixture
def cut_ledger(cutter: Cutter, monkeypatch: pytest.MonkeyPatch) -> Iterator[Ledger]:
    """Open a ledger by that clock; no beat falls into the test unless it makes the lease short."""
    monkeypatch.setattr(database, "_PAUSES", (0.01, 0.01, 0.01))
    ledger = Ledger.open(cutter.address, clock=cutter)
    yield ledger
    shut(ledger)


@pytest.mark.postgres
def test_a_connection_that_was_cut_in_between_is_replaced(cut_ledger: Ledger, cutter: Cutter) -> None:
    """A restart of the server between two transactions is not noticed."""
    claim = grant(cut_ledger)
    assert cut_connections(cutter.address)
    assert cut_ledger.effects.settle(effect().key, claim.fence, "committed", {})
    assert cut_connections(cutter.address)
    assert cut_ledger.effects.claim(effect()) == Known("committed", {}, 1)


@pytest.mark.postgres
def test_a_claim_that_was_cut_is_not_held(cut_ledger: Ledger, cutter: Cutter) -> None:
    """A claim whose connection is cut is an error, and the effect is free afterwards."""
    cutter.cuts = 1
    with pytest.raises(LedgerError, match="Check that the database is there and reachable"):
        cut_ledger.effects.claim(effect())
    assert rows(cut_ledger, effects) == []
    assert cut_ledger.effects.claim(effect()) == Granted(1)


@pytest.mark.postgres
def test_a_claim_that_fails_does_not_end_the_one_that_runs(cut_ledger: Ledger, cutter: Cutter) -> None:
    """A second claim that breaks leaves the first one running."""
    assert cut_ledger.effects.claim(effect()) == Granted(1)
    cutter.cuts = 1
    with pytest.raises(LedgerError):
        cut_ledger.effects.claim(effect())
    assert isinstance(cut_ledger.effects.claim(effect()), Running)


@pytest.mark.postgres
def test_a_thread_whose_taking_was_cut_is_free(cut_ledger: Ledger, cutter: Cutter) -> None:
    """A run that could not take its thread does not lock it."""
    cut_ledger.effects.unknown()
    cutter.asked, cutter.cuts = 0, 1
    with pytest.raises(LedgerError):
        cut_ledger.runs.holding("thread").__enter__()
    with cut_ledger.runs.holding("thread"), pytest.raises(RunHeldError):
        cut_ledger.runs.holding("thread").__enter__()
    assert rows(cut_ledger, runs) == []


@pytest.mark.postgres
@pytest.mark.parametrize("cuts", [1, 2, 3])
def test_an_outcome_is_put_down_although_connections_are_cut(cut_ledger: Ledger, cutter: Cutter, cuts: int) -> None:
    """The effect has happened: a lost connection is replaced until the outcome is written."""
    claim = grant(cut_ledger)
    cutter.cuts, cutter.asked = cuts, 0
    assert cut_ledger.effects.settle(effect().key, claim.fence, "committed", {"content": 1})
    assert cutter.asked == cuts + 1
    assert cut_ledger.effects.claim(effect()) == Known("committed", {"content": 1}, 1)


@pytest.mark.postgres
def test_an_outcome_that_can_not_be_put_down_is_put_down_later(cut_ledger: Ledger, cutter: Cutter) -> None:
    """When no try succeeds the caller is told, and the outcome is written when the server is back."""
    claim = grant(cut_ledger)
    cutter.cuts = 4
    with pytest.raises(LedgerError):
        cut_ledger.effects.settle(effect().key, claim.fence, "committed", {"content": 1})
    other = Ledger.open(cutter.address)
    assert other.effects.claim(effect()) == Known("unknown", {}, 1)
    assert cut_ledger.effects.find([effect().key]) == {effect().key: Known("committed", {"content": 1}, 1)}
    assert other.effects.claim(effect()) == Known("committed", {"content": 1}, 1)
    shut(other)


@pytest.mark.postgres
def test_an_outcome_that_is_owed_is_put_down_without_being_asked(
    cutter: Cutter, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A process that does nothing else writes down what it owes when the server is back."""
    monkeypatch.setattr(database, "_PAUSES", ())
    ledger = Ledger.open(cutter.address, clock=cutter, lease=0.3)
    other = Ledger.open(cutter.address)
    claim = grant(ledger)
    cutter.cuts = 1
    with pytest.raises(LedgerError):
        ledger.effects.settle(effect().key, claim.fence, "committed", {})
    until = time.monotonic() + 20
    while other.effects.find([effect().key])[effect().key] != Known("committed", {}, 1):
        assert time.monotonic() < until
        time.sleep(0.05)
    shut(ledger)
    shut(other)


@pytest.mark.postgres
def test_leases_are_renewed_after_the_server_was_away(cutter: Cutter, caplog: pytest.LogCaptureFixture) -> None:
    """A beat that fails is not the last one."""
    ledger = Ledger.open(cutter.address, clock=cutter, lease=0.3)
    with ledger.runs.holding("thread"):
        cutter.thread, cutter.cuts = "ledger-leases", 1
        until = time.monotonic() + 20
        # Its address is told with the error; another ledger may be complaining too.
        while str(make_url(cutter.address).query["application_name"]) not in caplog.text:
            assert time.monotonic() < until
            time.sleep(0.02)
        # The server may still be busy with ending the connections it was told to end.
        time.sleep(0.2)
        before = rows(ledger, runs)[0]["lease_until"]
        while rows(ledger, runs)[0]["lease_until"] == before:
            assert time.monotonic() < until
            time.sleep(0.05)
    assert {record.getMessage() for record in caplog.records} == {"The leases of this process could not be renewed."}
    shut(ledger)


def lose_answer(ledger: Ledger, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the next transaction be kept, and the answer that it was be lost."""
    dialect = ledger._open().database._engine.dialect
    commit, left = dialect.do_commit, iter([True])

    def and_fail(connection: Any) -> None:
        commit(connection)
        if next(left, False):
            msg = "the line went dead"
            raise dialect.loaded_dbapi.OperationalError(msg)

    monkeypatch.setattr(dialect, "do_commit", and_fail)


def test_a_claim_whose_answer_was_lost_is_given_back(shared_address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A claim that was written down although it failed is nobody's: nothing was dispatched."""
    ledger = Ledger.open(shared_address)
    lose_answer(ledger, monkeypatch)
    with pytest.raises(LedgerError, match="the line went dead"):
        ledger.effects.claim(effect())
    assert [row["status"] for row in rows(ledger, effects)] == ["pending"]
    assert ledger.effects.claim(effect()) == Granted(2)
    shut(ledger)


def test_an_outcome_whose_answer_was_lost_is_put_down_once(
    shared_address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An outcome that was written down although the try failed counts as written by the next try."""
    monkeypatch.setattr(database, "_PAUSES", (0.01,))
    ledger = Ledger.open(shared_address)
    claim = grant(ledger)
    lose_answer(ledger, monkeypatch)
    assert ledger.effects.settle(effect().key, claim.fence, "committed", {"content": 1})
    assert ledger.effects.claim(effect()) == Known("committed", {"content": 1}, 1)
    shut(ledger)


def test_a_thread_whose_giving_back_failed_is_given_back_later(
    shared_address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A thread that could not be given back is free for this process at once, and for others when it was able to."""
    ledger, other = Ledger.open(shared_address), Ledger.open(shared_address)
    with ledger.runs.holding("thread"):
        stored = rows(ledger, runs)

        def fail(_: Any) -> None:
            msg = "the line is dead"
            raise ledger._open().database._engine.dialect.loaded_dbapi.OperationalError(msg)

        monkeypatch.setattr(ledger._open().database._engine.dialect, "do_commit", fail)
    monkeypatch.undo()
    assert rows(other, runs) == stored
    with monkeypatch.context() as patch:
        patch.setattr("reinforced_agent.ledger.leases.Leases.pay", lambda _: None)
        with ledger.runs.holding("thread"):
            patch.undo()
            ledger.effects.unknown()
            assert [row["since"] > stored[0]["since"] for row in rows(other, runs)] == [True]
    assert rows(other, runs) == []
    shut(ledger)
    shut(other)


def failing(times: int, work: Callable[[], float]) -> Callable[[], float]:
    """Make a clock that fails a few times."""
    left = iter(range(times))

    def tell() -> float:
        if next(left, None) is not None:
            msg = "no time"
            raise OSError(msg)
        return work()

    return tell


def test_an_error_of_the_caller_rolls_back(tmp_path: Path) -> None:
    """An error that is none of the database's passes through, and nothing of the transaction is kept."""
    ledger = Ledger.open(f"sqlite:///{tmp_path / 'ledger.db'}", clock=failing(1, time.time))
    with pytest.raises(OSError, match="no time"):
        ledger.effects.claim(effect())
    assert rows(ledger, effects) == []
    assert ledger.effects.claim(effect()) == Granted(1)
    shut(ledger)


class Busy:
    """A connection to a file that another process is just preparing."""

    OperationalError = sqlite3.OperationalError

    def __init__(self, *problems: str) -> None:
        """Refuse a few times."""
        self.problems = list(problems)

    def execute(self, _: str) -> None:
        """Refuse, or not any more."""
        if self.problems:
            raise sqlite3.OperationalError(self.problems.pop(0))


def test_a_file_that_another_process_is_preparing_is_waited_for() -> None:
    """Two processes that open a fresh file at once don't fail, and other problems are not waited for."""
    busy = Busy("database is locked", "database is locked")
    engine._write_ahead(busy)
    assert busy.problems == []
    with pytest.raises(sqlite3.OperationalError, match="disk I/O error"):
        engine._write_ahead(Busy("disk I/O error", "never reached"))


def test_a_locked_file_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file that another process writes to for too long is told as such, and can be used afterwards."""
    monkeypatch.setattr("reinforced_agent.ledger.engine.BUSY_SECONDS", 0.1)
    file = tmp_path / "ledger.db"
    ledger = Ledger.open(f"sqlite:///{file}")
    other = sqlite3.connect(file)
    other.execute("begin immediate")
    with pytest.raises(LedgerError, match=r"database is locked. Another process has been writing to it"):
        ledger.effects.claim(effect())
    other.rollback()
    other.close()
    assert ledger.effects.claim(effect()) == Granted(1)
    shut(ledger)

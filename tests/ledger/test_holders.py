"""Who holds a thread or a claim, and when they count as gone: killed, stopped, forked, closed, or elsewhere."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable
from dataclasses import asdict

import pytest
from sqlalchemy import text

from reinforced_agent.ledger import Ledger, LedgerError, RunHeldError
from reinforced_agent.ledger.effects import Granted, Known, Running
from reinforced_agent.ledger.tables import effects, runs
from tests.ledger.cases import Clock, binding, effect, give_away, grant, newest, rows, shut
from tests.ledger.processes import Worker


LINUX = pytest.mark.skipif(sys.platform != "linux", reason="processes are looked up on Linux alone")


def is_free(ledger: Ledger) -> bool:
    """Tell whether the thread can be held."""
    try:
        with ledger.runs.holding("thread"):
            return True
    except RunHeldError:
        return False


def test_one_run_holds_a_thread(ledger: Ledger) -> None:
    """A thread is held by one run, given back also when the run fails, and others are not concerned."""

    def fail() -> None:
        with ledger.runs.holding("thread"):
            assert not is_free(ledger)
            with ledger.runs.holding("another"):
                _ = 1 / 0

    with pytest.raises(ZeroDivisionError):
        fail()
    assert is_free(ledger)
    assert rows(ledger, runs) == []


def test_a_row_that_was_left_over_does_not_lock_the_thread(ledger: Ledger) -> None:
    """A thread that this very process could not give back is free for its next run."""
    with ledger.runs.holding("thread"):
        stored = rows(ledger, runs)
    with ledger._open().database.transaction() as connection:
        connection.execute(runs.insert().values(stored))
    assert is_free(ledger)


def test_a_run_elsewhere_is_gone_after_its_lease(ledger: Ledger, clock: Clock) -> None:
    """A thread that another machine holds is free once its lease is over, and is not given back by its old holder."""
    with ledger.runs.holding("thread"):
        give_away(ledger, until=clock.now + 30)
    clock.now += 30
    assert not is_free(ledger)
    clock.now += 1
    assert is_free(ledger)


@LINUX
def test_a_killed_process_is_gone_at_once(shared_address: str, start: Callable[..., Worker]) -> None:
    """What a killed process held is free, or unknown, long before its lease is over."""
    worker, ledger = start(shared_address), Ledger.open(shared_address)
    assert worker.ask("hold", thread="thread") == "held"
    assert worker.ask("claim", binding=asdict(binding()), turns=["turn"]) == ["Granted"]
    assert not is_free(ledger)
    assert isinstance(ledger.effects.claim(effect()), Running)
    assert ledger.effects.unknown() == []
    worker.kill()
    assert is_free(ledger)
    assert [found["key"] for found in ledger.effects.unknown()] == [effect().key]
    assert ledger.effects.claim(effect()) == Known("unknown", {}, 1)
    shut(ledger)


@LINUX
def test_a_stopped_process_is_not_gone(shared_address: str, start: Callable[..., Worker]) -> None:
    """A process that stands still for longer than its lease keeps what it holds: it may go on at any time."""
    worker, ledger = start(shared_address, lease=0.3), Ledger.open(shared_address)
    assert worker.ask("hold", thread="thread") == "held"
    assert worker.ask("claim", binding=asdict(binding()), turns=["turn"]) == ["Granted"]
    worker.stop()
    time.sleep(0.5)
    assert all(row["lease_until"] < time.time() for row in rows(ledger, runs) + rows(ledger, effects))
    assert not is_free(ledger)
    assert isinstance(ledger.effects.claim(effect(repeatable=True)), Running)
    shut(ledger)


def test_two_processes_do_not_hold_one_thread(shared_address: str, start: Callable[..., Worker]) -> None:
    """Of two processes that take a thread at once, one holds it and the other is told so."""
    workers = [start(shared_address) for _ in range(2)]
    for worker in workers:
        worker.send("hold", thread="thread")
    answers = sorted(worker.answer() for worker in workers)
    assert answers == ["RunHeldError: The thread 'thread' is held by another run: wait for it to end.", "held"]


def test_a_lease_is_renewed_while_work_goes_on(shared_address: str) -> None:
    """The leases of what is held move on, those of what was settled don't."""
    ledger = Ledger.open(shared_address, lease=0.3)
    ledger.effects.claim(effect(turn="settled"))
    ledger.effects.settle(effect(turn="settled").key, newest(ledger, effect(turn="settled").key), "committed", {})
    ledger.effects.claim(effect())
    with ledger.runs.holding("thread"):
        before = {row["key"]: row["lease_until"] for row in rows(ledger, runs) + rows(ledger, effects)}
        until = time.monotonic() + 20
        while time.monotonic() < until:
            after = {row["key"]: row["lease_until"] for row in rows(ledger, runs) + rows(ledger, effects)}
            moved = {key for key in before if after[key] > before[key]}
            if len(moved) == 2:
                break
            time.sleep(0.05)
    assert moved == set(before) - {effect(turn="settled").key}
    ledger.effects.settle(effect().key, newest(ledger, effect().key), "committed", {})
    shut(ledger)


def test_two_ledgers_of_one_process_respect_each_other(shared_address: str) -> None:
    """A second ledger on the same database sees what the first holds, and when it holds it no longer."""
    one, two = Ledger.open(shared_address), Ledger.open(shared_address)
    with one.runs.holding("thread"):
        assert not is_free(two)
        assert isinstance(one.effects.claim(effect()), Granted)
        assert isinstance(two.effects.claim(effect()), Running)
    assert is_free(two)
    one.effects.release(effect().key, newest(one, effect().key))
    assert two.effects.claim(effect()) == Granted(2)
    assert isinstance(one.effects.claim(effect()), Running)
    shut(one)
    shut(two)


def test_a_ledger_is_closed_and_opens_again(shared_address: str) -> None:
    """What was put down is there after closing, and closing twice does no harm."""
    ledger = Ledger(shared_address)
    ledger.close()
    ledger.effects.claim(effect())
    ledger.effects.settle(effect().key, newest(ledger, effect().key), "committed", {"content": 1})
    ledger.close()
    ledger.close()
    assert ledger.effects.claim(effect()) == Known("committed", {"content": 1}, 1)
    ledger.close()


def test_work_under_way_is_settled_after_closing(shared_address: str) -> None:
    """A call that ends after its ledger was closed puts down its outcome all the same."""
    ledger = Ledger.open(shared_address)
    book, claim = ledger.effects, grant(ledger)
    ledger.close()
    assert isinstance(ledger.effects.claim(effect()), Running)
    assert book.settle(effect().key, claim.fence, "committed", {})
    assert ledger.effects.claim(effect()) == Known("committed", {}, 1)
    book._database.close()
    ledger.close()


def in_a_fork(work: Callable[[], object]) -> str:
    """Do something in a forked process, and return what came of it, as text."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            answer = repr(work())
        except BaseException as error:  # noqa: BLE001  # the child must not go on with the test
            answer = repr(error)
        os.write(writing, answer.encode())
        os._exit(0)
    os.close(writing)
    os.waitpid(child, 0)
    with os.fdopen(reading) as pipe:
        return pipe.read()


@LINUX
@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
def test_a_forked_process_is_somebody_else(shared_address: str) -> None:
    """A fork holds nothing of what its parent does, and leaves the connections of its parent alone."""
    ledger = Ledger.open(shared_address)
    ledger.effects.claim(effect())
    with ledger.runs.holding("thread"):
        assert in_a_fork(lambda: (ledger.effects.claim(effect()).__class__.__name__, is_free(ledger))) == repr(
            ("Running", False)
        )
        assert in_a_fork(lambda: ledger.effects.claim(effect(turn="child"))) == "Granted(attempt=1)"
    assert ledger.effects.claim(effect(turn="child")) == Known("unknown", {}, 1)
    assert ledger.effects.settle(effect().key, newest(ledger, effect().key), "committed", {})
    shut(ledger)


@LINUX
@pytest.mark.postgres
@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
def test_a_fork_has_connections_of_its_own(postgres_address: str) -> None:
    """Parent and child never talk to the server over the same line."""
    ledger = Ledger.open(postgres_address)

    def line() -> int:
        with ledger._open().database.transaction() as connection:
            return int(connection.scalar(text("select pg_backend_pid()")) or 0)

    before = line()
    child = int(in_a_fork(line))
    assert child > 0
    assert (line(), child != before) == (before, True)
    shut(ledger)


@LINUX
@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
def test_a_ledger_in_memory_is_not_taken_into_a_fork() -> None:
    """A copy of the book would let both processes write: the fork is told so."""
    ledger = Ledger.open("sqlite://")
    assert "not shared with a forked process" in in_a_fork(lambda: ledger.effects.claim(effect()))
    assert ledger.effects.claim(effect()) == Granted(1)
    shut(ledger)


@pytest.mark.parametrize("lease", [0, -1, float("nan")])
def test_a_lease_has_a_length(lease: float) -> None:
    """A lease that is over before it begins is refused."""
    with pytest.raises(ValueError, match="more than 0"):
        Ledger("sqlite://", lease=lease)


def test_a_ledger_tells_whether_others_can_use_it(address: str) -> None:
    """A ledger in memory is its process's own; what is not an address is told at once."""
    assert Ledger(address).is_shared is (address != "sqlite://")
    with pytest.raises(LedgerError):
        _ = Ledger("nonsense").is_shared

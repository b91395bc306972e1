"""Many at once: threads and processes that claim the same effect, use the same token or write to the same file."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict
from pathlib import Path
from threading import Barrier
from typing import TypeVar

from reinforced_agent.ledger import Ledger
from reinforced_agent.ledger.effects import Denied, Granted, Permit, Running
from tests.ledger.cases import ANN, BOB, binding, effect, grant, shut
from tests.ledger.processes import Worker


T = TypeVar("T")
THREADS = 16
CALL = asdict(binding())


def at_once(work: Callable[[int], T]) -> list[T]:
    """Do the same on many threads at the same moment."""
    barrier = Barrier(THREADS)

    def one(number: int) -> T:
        barrier.wait()
        return work(number)

    with ThreadPoolExecutor(THREADS) as pool:
        return list(pool.map(one, range(THREADS)))


def test_of_many_threads_one_is_granted(ledger: Ledger) -> None:
    """An effect that many threads claim at once is dispatched by one; the others are told that it runs."""
    claims = at_once(lambda _: ledger.effects.claim(effect()))
    assert Counter(type(claim) for claim in claims) == {Granted: 1, Running: THREADS - 1}


def test_a_lost_effect_is_claimed_anew_by_one_thread(ledger: Ledger) -> None:
    """Of many that find a repeatable effect without an outcome, or ask its target about it, one goes on."""
    first = grant(ledger)
    ledger.effects.settle(effect().key, first.fence, "unknown", {})
    claims = at_once(
        lambda number: (
            ledger.effects.claim(effect(repeatable=True))
            if number % 2
            else ledger.effects.reopen(effect(), first.fence)
        )
    )
    assert [claim for claim in claims if isinstance(claim, Granted)] == [Granted(2)]


def test_of_many_threads_one_uses_a_token(ledger: Ledger) -> None:
    """A token that many threads use at once for different effects is good for one of them."""
    permit = Permit(ledger.approvals.issue(binding(), requester=ANN, expires=None), BOB)
    claims = at_once(lambda number: ledger.effects.claim(effect(occurrence=number), permit))
    assert Counter(type(claim) for claim in claims) == {Granted: 1, Denied: THREADS - 1}


def test_of_many_threads_one_edits(ledger: Ledger) -> None:
    """A token that many threads exchange at once gives one edited call."""
    token = ledger.approvals.issue(binding(), requester=ANN, expires=None)
    tokens = at_once(
        lambda number: ledger.approvals.exchange(
            token, binding(), binding(digest=f"{number:064}"), requester=ANN, by=BOB, expires=None
        )
    )
    assert len([given for given in tokens if given]) == 1


def test_a_claim_that_is_given_back_under_way_is_not_lost(ledger: Ledger) -> None:
    """Threads that claim and give back at once never find the book in a state that can't be."""

    def one(_: int) -> int:
        granted = 0
        for _round in range(5):
            claim = ledger.effects.claim(effect())
            if isinstance(claim, Granted):
                granted += 1
                ledger.effects.release(effect().key, claim.fence)
            else:
                assert isinstance(claim, Running)
        return granted

    assert sum(at_once(one)) >= 1


def test_a_ledger_is_opened_by_many_threads(shared_address: str) -> None:
    """Ledgers that are opened at the same moment bring the tables up to date once."""
    ledgers = at_once(lambda _: Ledger.open(shared_address))
    claims = [ledger.effects.claim(effect()) for ledger in ledgers]
    assert Counter(type(claim) for claim in claims) == {Granted: 1, Running: THREADS - 1}
    for ledger in ledgers:
        shut(ledger)


def test_many_ledgers_are_opened_at_once(tmp_path: Path) -> None:
    """Threads that open ledgers of their own at the same moment each get the tables in their own."""
    ledgers = at_once(lambda number: Ledger.open(f"sqlite:///{tmp_path}/{number}.db"))
    assert [ledger.effects.claim(effect()) for ledger in ledgers] == [Granted(1)] * THREADS
    for ledger in ledgers:
        shut(ledger)


def test_of_many_processes_one_is_granted(shared_address: str, start: Callable[..., Worker]) -> None:
    """Processes that open a fresh database, claim an effect and use a token at once get one grant of each."""
    workers = [start(shared_address) for _ in range(4)]
    for worker in workers:
        worker.send("open")
    assert [worker.answer() for worker in workers] == [True] * 4
    ledger = Ledger.open(shared_address)
    token = ledger.approvals.issue(binding(turn="held"), requester=ANN, expires=None)
    for order in ({"turns": ["turn"] * 3}, {"turns": ["held"], "token": token}):
        for worker in workers:
            worker.send("claim", binding=CALL, **order)
        answers = Counter(name for worker in workers for name in worker.answer())
        assert answers == {"Granted": 1, "Running": 4 * len(order["turns"]) - 1}
    shut(ledger)


def test_processes_write_to_one_book_without_waiting_too_long(
    shared_address: str, start: Callable[..., Worker]
) -> None:
    """Two processes that claim and settle fifty effects each at the same time don't get in each other's way."""
    workers = [start(shared_address) for _ in range(2)]
    for number, worker in enumerate(workers):
        worker.send("write", binding=CALL, turns=[f"{number} {turn}" for turn in range(50)])
    assert [worker.answer() for worker in workers] == ["written"] * 2
    ledger = Ledger.open(shared_address)
    keys = [effect(turn=f"{number} {turn}").key for number in range(2) for turn in range(50)]
    assert Counter(getattr(known, "status", "") for known in ledger.effects.find(keys).values()) == {"committed": 100}
    shut(ledger)

"""The table of records keeps what it is given, once each, and gives it back in order."""

from __future__ import annotations

from typing import Any

from reinforced_agent.ledger import Ledger
from tests.ledger.cases import Clock


def record(number: int, **more: Any) -> dict[str, Any]:
    """Write a record."""
    plain = {"thread": "t", "turn": "u", "step": number, "version": 1, "kind": "call", "outcome": "answered"}
    return {"id": f"{number:064d}", **plain, **more}


def test_records_come_back_in_order_and_by_page(ledger: Ledger) -> None:
    """More than a page is read whole, oldest first."""
    written = [record(number) for number in range(1201)]
    ledger.records.write(written)
    assert list(ledger.records.read()) == written


def test_each_record_is_read_once_while_records_are_written_again(ledger: Ledger, clock: Clock) -> None:
    """Whoever reads misses nothing that was there, and counts nothing twice."""
    written = [record(number) for number in range(700)]
    ledger.records.write(written)
    reading = ledger.records.read()
    read = [next(reading) for _ in range(10)]
    for one in (written[0], written[300], written[699]):
        clock.now += 1
        ledger.records.write([one])
    ledger.records.write([record(700)])
    assert [one["step"] for one in [*read, *reading]] == list(range(701))


def test_a_record_that_is_written_again_takes_its_old_place(ledger: Ledger) -> None:
    """A run that was cut off while it wrote does no harm by writing again."""
    ledger.records.write([record(1), record(2)])
    ledger.records.write([record(1, outcome="limit")])
    assert [row["outcome"] for row in ledger.records.read()] == ["limit", "answered"]


def test_records_are_found_by_thread_and_time(ledger: Ledger, clock: Clock) -> None:
    """A report can look at one conversation, or at what came since."""
    ledger.records.write([record(1)])
    clock.now += 10
    ledger.records.write([record(2, thread="other\x00\ud800")])
    assert [row["step"] for row in ledger.records.read(since=clock.now)] == [2]
    assert [row["step"] for row in ledger.records.read(thread="other\x00\ud800")] == [2]


def test_no_records_are_no_work(ledger: Ledger) -> None:
    """An empty list writes nothing."""
    ledger.records.write([])
    assert list(ledger.records.read()) == []

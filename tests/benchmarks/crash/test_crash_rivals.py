"""Several processes meet at one thread: one works, the others are told so, and only a dead one is given up."""

from __future__ import annotations

import json
import os
import select
import signal
import time
from collections.abc import Iterator
from contextlib import closing, suppress
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import pytest

from benchmarks.crash.bank import Bank
from benchmarks.crash.sites import Ground, saver, settle_down
from reinforced_agent.evaluation.crash.nursery import Nursery
from reinforced_agent.ledger import Ledger
from tests.architecture.house import ROOT
from tests.benchmarks.crash.crash_worker import CONFIG, Bill, pay_agent


class Worker:
    """A process that is seen from here."""

    def __init__(self, nursery: Nursery, bill: Bill) -> None:
        """Start it."""
        self._nursery = nursery
        self._reading, writing = os.pipe()
        self.number = nursery.start(asdict(bill), writing)
        os.close(writing)
        self._rest = b""

    def hear(self) -> dict[str, Any]:
        """Wait for the next thing it tells; `{}` at its end."""
        while b"\n" not in self._rest:
            assert select.select([self._reading], [], [], 20)[0], "the process tells nothing"
            data = os.read(self._reading, 65_536)
            if not data:
                return {}
            self._rest += data
        line, _, self._rest = self._rest.partition(b"\n")
        told: dict[str, Any] = json.loads(line)
        return told

    def kill(self) -> None:
        """Kill it, and leave it unburied."""
        os.kill(self.number, signal.SIGKILL)
        while self.hear():
            pass

    def close(self) -> None:
        """End it, whatever it does."""
        with suppress(ProcessLookupError):
            os.kill(self.number, signal.SIGKILL)
        self._nursery.bury(self.number)
        os.close(self._reading)


class Meeting:
    """A thread with an approved payment, and the processes that work on it."""

    def __init__(self, ground: Ground, nursery: Nursery, gates: Path) -> None:
        """Bring the thread to the question."""
        self.ground = ground
        self.nursery = nursery
        site = ground.site
        self.bill = Bill(ledger=site.ledger, threads=site.threads, book=site.book, gates=str(gates))
        self.workers: list[Worker] = []
        with saver(site.threads) as kept:
            agent = pay_agent(self.bill, kept, lambda **_: None)
            agent.invoke({"messages": [("user", "Pay the bill of 900.")]}, CONFIG)
            agent.ledger.close()

    def start(self, **changes: Any) -> Worker:
        """Start a process."""
        self.workers.append(Worker(self.nursery, replace(self.bill, **changes)))
        return self.workers[-1]

    def open(self, *gates: str) -> None:
        """Let the tool go on."""
        for gate in gates:
            (Path(self.bill.gates) / gate).touch()

    @property
    def paid(self) -> int:
        """How often the bill was paid."""
        return len(Bank(Path(self.bill.book)).entries("thread"))

    def unknown(self) -> list[dict[str, Any]]:
        """List what the ledger calls unknown."""
        with closing(Ledger.open(self.ground.overseer.ledger)) as ledger:
            return ledger.effects.unknown()


@pytest.fixture(scope="module")
def nursery() -> Iterator[Nursery]:
    """Start processes of the worker."""
    before = Path.cwd()
    os.chdir(ROOT)  # the worker is a module of the tests
    with closing(Nursery("tests.benchmarks.crash.crash_worker")) as nursery:
        os.chdir(before)
        yield nursery


@pytest.fixture
def meeting(database: str, nursery: Nursery, tmp_path: Path) -> Iterator[Meeting]:
    """Prepare a thread, and end its processes."""
    gates = tmp_path / "gates"
    gates.mkdir()
    with settle_down(database) as ground:
        meeting = Meeting(ground, nursery, gates)
        try:
            yield meeting
        finally:
            for worker in meeting.workers:
                worker.close()


def test_of_two_processes_one_runs_the_thread(meeting: Meeting) -> None:
    """Two processes take the same answer at once: one pays, the other is told that the thread is busy."""
    told = [worker.hear() for worker in (meeting.start(), meeting.start())]
    assert sorted(item["event"] for item in told) == ["busy", "entered"]
    assert "running already: wait for that run to end" in next(item for item in told if item["event"] == "busy")["text"]
    meeting.open("before", "after")
    winner = next(worker for worker, item in zip(meeting.workers, told, strict=True) if item["event"] == "entered")
    assert [winner.hear()["event"], winner.hear()] == ["paid", {"event": "end", "status": "done", "text": "paid 900"}]
    assert meeting.paid == 1


@pytest.mark.parametrize("is_stopped", [False, True], ids=["living", "stopped"])
def test_a_slow_tool_is_not_given_up(meeting: Meeting, is_stopped: bool) -> None:  # noqa: FBT001  # a case of a table
    """A process in its tool keeps its claim for longer than a lease, also when it is stopped meanwhile."""
    # Long enough that it is hardly ever stopped while it renews its lease, and with that locks the database.
    first = meeting.start(lease=1.0)
    assert first.hear()["event"] == "entered"
    if is_stopped:
        os.kill(first.number, signal.SIGSTOP)
    time.sleep(2.5)
    assert meeting.start(lease=1.0).hear()["event"] == "busy"
    assert meeting.unknown() == []
    os.kill(first.number, signal.SIGCONT)
    meeting.open("before", "after")
    assert [first.hear()["event"], first.hear()["status"]] == ["paid", "done"]
    assert meeting.paid == 1


@pytest.mark.parametrize("was_paid", [False, True], ids=["before-paying", "after-paying"])
@pytest.mark.parametrize("can_tell", [False, True], ids=["silent-bank", "bank-that-can-tell"])
def test_the_payment_of_a_dead_process_is_told_as_it_is(
    meeting: Meeting,
    was_paid: bool,  # noqa: FBT001  # a case of a table
    can_tell: bool,  # noqa: FBT001
) -> None:
    """The next process says that the outcome is unknown and pays nothing, unless the bank can be asked."""
    first = meeting.start(can_tell=can_tell)
    assert first.hear()["event"] == "entered"
    if was_paid:
        meeting.open("before")
        assert first.hear()["event"] == "paid"
    first.kill()
    meeting.open("before", "after")
    second = meeting.start(can_tell=can_tell)
    told = list(iter(second.hear, {}))
    fired = {"event": "entered"} in told
    assert fired == (can_tell and not was_paid)
    assert told[-1]["event"] == "end"
    assert told[-1]["status"] == ("done" if can_tell else "unknown")
    assert ("paid 900" if can_tell else "UNKNOWN whether it took effect") in told[-1]["text"]
    assert meeting.paid == (was_paid or can_tell)
    assert [item["call_id"] for item in meeting.unknown()] == ([] if can_tell else ["c1"])

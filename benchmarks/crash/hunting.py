"""Kill one process at a chosen moment, and find out from the books where the kill really hit."""

from __future__ import annotations

import os
import select
import signal
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from enum import StrEnum

from benchmarks.crash.borders import outcomes_stored
from benchmarks.crash.client import Job
from benchmarks.crash.sites import Ground
from reinforced_agent.evaluation.crash.marks import Border, Mark
from reinforced_agent.evaluation.crash.nursery import CrashTestError, Nursery
from reinforced_agent.ledger import Ledger
from reinforced_agent.ledger.effects import Known


class Window(StrEnum):
    """Between which borders a payment was when its process was killed."""

    BEFORE_CLAIM = "before claim"
    """It was about to be claimed; the ledger has no claim."""
    CLAIM_DISPATCH = "claim–dispatch"
    """The ledger has the claim; the tool was not entered."""
    DISPATCH_COMMIT = "dispatch–commit"
    """The tool was entered; the ledger has no outcome. Only here nobody can know whether the payment was made."""
    COMMIT_CHECKPOINT = "commit–checkpoint"
    """The ledger has the outcome; the thread has not."""


STARTS = {
    Window.BEFORE_CLAIM: (Border.ENTERED,),
    Window.CLAIM_DISPATCH: (Border.CLAIMED,),
    Window.DISPATCH_COMMIT: (Border.DISPATCHED, Border.PAID),
    Window.COMMIT_CHECKPOINT: (Border.SETTLED,),
}
"""The borders after which a kill hits a window; in one of them it makes a difference whether the bank has paid."""

_WITH_KEY = {Border.ENTERED, Border.RECALLED}
"""The borders whose note is the key of the effect."""

_STUCK_SECONDS = 60.0
"""How long a process may take; none needs a tenth of it."""


@dataclass(frozen=True, slots=True)
class Aim:
    """When to kill."""

    border: Border
    """Some time after this was passed,"""
    count: int
    """for the so-manieth time,"""
    delay: float
    """by so many seconds."""


@dataclass(frozen=True, slots=True)
class Life:
    """What is known about a process that has ended."""

    marks: Sequence[Mark]
    killed: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Hunter:
    """Starts processes and kills them."""

    nursery: Nursery
    ground: Ground
    ledger: Ledger
    """The parent's own view of the ledger."""

    def hunt(self, job: Job, aim: Aim | None) -> Life:
        """Run a process, and kill it if it gets as far as the aim.

        Raises:
            CrashTestError: When it ended by itself with an error, or never.

        """
        reading, writing = os.pipe()
        try:
            number = self.nursery.start(asdict(job), writing)
        finally:
            os.close(writing)
        try:
            marks = list(_watch(reading, number, aim))
        except BaseException:
            os.kill(number, signal.SIGKILL)
            raise
        finally:
            os.close(reading)
        code = self.nursery.bury(number)
        if code not in {0, -signal.SIGKILL}:
            why = next((mark.note for mark in marks if mark.border is Border.BROKEN), "no reason was given")
            msg = f"A process of the thread {job.thread} ended with code {code}: {why}"
            raise CrashTestError(msg)
        self.ground.wait()
        return Life(marks, code != 0)

    def window(self, life: Life, thread: str, attempts: dict[str, int]) -> Window | None:
        """Return which window a kill hit, by the payment that passed a border last; `None` for none.

        What the marks say last may be overtaken by a transaction that ended just before the kill; so the ledger and the
        thread are asked.

        Args:
            life: The process.
            thread: Its thread.
            attempts: Attempts the ledger knew before this process, by key; brought up to date.

        """
        keys = {mark.reference: mark.note for mark in life.marks if mark.border in _WITH_KEY}
        found = self.ledger.effects.find(keys.values())
        stored = outcomes_stored(self.ground.stored(thread)) if keys else set()
        hit = None
        for reference in _by_last_mark(life.marks, keys):
            passed = [mark.border for mark in life.marks if mark.reference == reference]
            key = keys[reference]
            hit = hit or _place(passed, found.get(key), attempts.get(key, 0), is_stored=reference in stored)
        attempts.update({key: row.attempt for key, row in found.items() if isinstance(row, Known)})
        return hit


def _by_last_mark(marks: Sequence[Mark], keys: dict[str, str]) -> list[str]:
    """Return the payments that were under way, the one that passed a border last first."""
    names = {key: reference for reference, key in keys.items()}
    passed = [mark.reference or names.get(mark.note, "") for mark in reversed(marks)]
    return [reference for reference in dict.fromkeys(passed) if reference in keys]


def _place(passed: Sequence[Border], row: object, before: int, *, is_stored: bool) -> Window | None:
    """Say where one payment was.

    Raises:
        CrashTestError: When the ledger takes a killed process for alive.

    """
    if row is None:
        return Window.BEFORE_CLAIM
    if not isinstance(row, Known):
        msg = "The ledger says that a payment is still being made, but its process was killed."
        raise CrashTestError(msg)
    if row.attempt == before:
        # Nothing new was claimed: at most an outcome that was known is told again.
        return Window.BEFORE_CLAIM if passed[-1] is Border.ENTERED else None
    if is_stored:
        return None
    if row.status != "unknown":
        return Window.COMMIT_CHECKPOINT
    return Window.DISPATCH_COMMIT if Border.DISPATCHED in passed else Window.CLAIM_DISPATCH


def _watch(reading: int, number: int, aim: Aim | None) -> Iterator[Mark]:
    """Read marks until the process is gone, and kill it at the aim.

    Raises:
        CrashTestError: When it doesn't end.

    """
    end = time.monotonic() + _STUCK_SECONDS
    kill_at, left, rest = end, 0 if aim is None else aim.count, b""
    while True:
        if not select.select([reading], [], [], max(kill_at - time.monotonic(), 0))[0]:
            os.kill(number, signal.SIGKILL)
            if kill_at == end:
                msg = f"A process did not end within {_STUCK_SECONDS:g} seconds."
                raise CrashTestError(msg)
            kill_at = end
        elif data := os.read(reading, 65_536):
            *lines, rest = (rest + data).split(b"\n")
            for mark in map(Mark.read, lines):
                yield mark
                if aim is not None and mark.border is aim.border:
                    left -= 1
                    kill_at = time.monotonic() + aim.delay if left == 0 else kill_at
        else:
            return

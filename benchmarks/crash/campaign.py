"""Kill processes until there were enough kills, in all four windows alike, and add up what the books say."""

from __future__ import annotations

import random
import time
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass, field
from itertools import count
from pathlib import Path
from typing import Any

from benchmarks.crash.audit import Account, Finding, accounts_of, audit, audit_history
from benchmarks.crash.bank import Bank
from benchmarks.crash.client import Job, seed_of
from benchmarks.crash.hunting import STARTS, Aim, Hunter, Life, Window
from benchmarks.crash.manners import MANNERS, Manner
from benchmarks.crash.sites import settle_down
from reinforced_agent.evaluation.crash.marks import Border
from reinforced_agent.evaluation.crash.nursery import CrashTestError, Nursery
from reinforced_agent.ledger import Ledger


__all__ = ["CrashTestError", "Numbers", "run_crash_test"]

_CLIENT = "benchmarks.crash.client"
"""What the processes do."""
WATCHED = "benchmarks.crash.borders:WatchedEffects"
"""The book of effects that the processes use: the real one, watched."""

_WIDTH = 0.03
"""Longest pause at a border, in seconds: several transactions long, and short beside a run."""
_REACH = 0.7
"""Share of the longest pause within which an aimed kill comes; the rest of the window, transactions included, is hit by
kills that come late."""
_ANYWHERE = 0.15
"""Share of the kills that are not aimed at a window."""
_LONGEST_RUN = 1.0
"""About how many seconds a process takes that is not killed."""
_MOST_KILLS = 8
"""Kills of one thread, so that every thread gets to its end."""


@dataclass(kw_only=True)
class Numbers:
    """What a crash test found; `faults` must be empty."""

    seed: int
    kills: int = 0
    """Processes that were killed while they worked."""
    windows: Counter[Window] = field(default_factory=Counter)
    """Kills that hit a payment between two borders, by window."""
    threads: int = 0
    """Threads that were taken to their end."""
    manners: Counter[str] = field(default_factory=Counter)
    """Kills by durability, way of running, and kind of bank or user."""
    told: Counter[str] = field(default_factory=Counter)
    """Payments by what is told of them."""
    unknown: list[dict[str, Any]] = field(default_factory=list)
    """Payments told as uncertain, with what the bank really paid."""
    faults: list[Finding] = field(default_factory=list)
    """What must not be."""
    seconds: float = 0.0

    @property
    def failed(self) -> bool:
        """Whether anything was lost, doubled or misreported."""
        return bool(self.faults)

    def as_json(self) -> dict[str, Any]:
        """Return the numbers as plain data.

        `kills` are processes killed by SIGKILL; each counts in one of the four `windows`, by the payment that had moved
        last, or as `elsewhere`. `writes` are payments that were due and those of them told in a thread. `unknown` of
        them are told as uncertain, each with the number of `entries` the bank has. `lost`, `doubled` and `misreported`
        count what `faults` lists, and must be 0.
        """
        faults = Counter(finding.fault for finding in self.faults)
        return {
            "kills": self.kills,
            "windows": {window.value: self.windows[window] for window in Window},
            "elsewhere": self.kills - self.windows.total(),
            "writes": self.told.total() - self.told["nothing"],
            "unknown": self.told["unknown"],
            "lost": faults["lost"],
            "doubled": faults["doubled"],
            "misreported": faults["misreported"],
            "told": dict(sorted(self.told.items())),
            "threads": self.threads,
            "manners": dict(sorted(self.manners.items())),
            "unknown_outcomes": self.unknown,
            "faults": [asdict(finding) for finding in self.faults],
            "seed": self.seed,
            "seconds": round(self.seconds, 1),
        }


def run_crash_test(
    address: str,
    *,
    kills: int,
    seed: int = 0,
    effects: str = WATCHED,
    manners: Sequence[Manner] = MANNERS,
    on_kill: Callable[[int], None] = lambda _: None,
) -> Numbers:
    """Run threads in processes that are killed, until there were enough kills.

    Each process opens the ledger and the checkpointer and runs the real graph. It is killed with SIGKILL at a moment
    drawn from the seed; the next one goes on with the thread, as a client would, until the user's turn is over.

    Args:
        address: The database, `sqlite:///FILE` or `postgresql://USER@HOST/DATABASE`; nothing in it is touched, what is
            needed is made beside it and removed at the end.
        kills: How many processes to kill.
        seed: Equal seeds draw equal moments; when the machine gets to them differs all the same.
        effects: `module:class` of the book of effects that the processes use.
        manners: Ways of working, which the threads take in turn.
        on_kill: Told the number of kills after each.

    Raises:
        LedgerError: When the database can't be used.
        CrashTestError: When a process ended with an error or didn't end at all.

    """
    numbers, started = Numbers(seed=seed), time.monotonic()
    with (
        settle_down(address) as ground,
        closing(Nursery(_CLIENT)) as nursery,
        closing(Ledger(ground.overseer.ledger)) as book,
    ):
        hunter = Hunter(nursery=nursery, ground=ground, ledger=book)
        campaign = _Campaign(numbers, hunter, kills, random.Random(seed), effects, on_kill)  # noqa: S311  # no secrets
        for number in count():
            campaign.run_thread(f"thread-{number}", manners[number % len(manners)])
            if numbers.kills >= kills:
                break
    numbers.seconds = time.monotonic() - started
    return numbers


@dataclass(slots=True)
class _Campaign:
    """What the threads of one crash test have in common."""

    numbers: Numbers
    hunter: Hunter
    kills: int
    random: random.Random
    effects: str
    on_kill: Callable[[int], None]

    def run_thread(self, thread: str, manner: Manner) -> None:
        """Take one thread to its end, with kills on the way, and compare the books."""
        most = self.random.randint(2, _MOST_KILLS)
        attempts: dict[str, int] = {}
        for life in count():
            job = self._job(thread, life, manner)
            aimed = life < most and self.numbers.kills < self.kills
            ended = self.hunter.hunt(job, self._aim() if aimed else None)
            if not ended.killed:
                break
            self._count(ended, thread, manner, attempts)
        self._audit(thread, manner)

    def _job(self, thread: str, life: int, manner: Manner) -> Job:
        """Describe one process."""
        return Job(
            thread=thread,
            life=life,
            seed=seed_of(self.numbers.seed, thread, life),
            width=_WIDTH,
            site=self.hunter.ground.site,
            manner=manner,
            effects=self.effects,
        )

    def _aim(self) -> Aim:
        """Aim at the window that was hit least so far, or anywhere."""
        if self.random.random() < _ANYWHERE:
            return Aim(Border.READY, 1, self.random.uniform(0, _LONGEST_RUN))
        window = min(Window, key=lambda one: (self.numbers.windows[one], self.random.random()))
        return Aim(
            self.random.choice(STARTS[window]), self.random.randint(1, 2), self.random.uniform(0, _REACH * _WIDTH)
        )

    def _count(self, life: Life, thread: str, manner: Manner, attempts: dict[str, int]) -> None:
        """Count a kill by where it hit."""
        hit = self.hunter.window(life, thread, attempts)
        self.numbers.kills += 1
        if hit is not None:
            self.numbers.windows[hit] += 1
        self.numbers.manners.update(manner.names)
        self.on_kill(self.numbers.kills)

    def _audit(self, thread: str, manner: Manner) -> None:
        """Compare the books of a thread that is over."""
        ground = self.hunter.ground
        state = ground.values(thread)
        entries = Bank(Path(ground.overseer.book)).entries(thread)
        messages = state.get("messages", [])
        accounts = accounts_of({**state, "messages": messages}, self.hunter.ledger, entries, thread)
        numbers = self.numbers
        numbers.threads += 1
        numbers.told.update(account.told for account in accounts)
        numbers.unknown += [_uncertain(thread, account) for account in accounts if account.told == "unknown"]
        numbers.faults += audit(thread, accounts, impatient=manner.impatient, can_tell=manner.can_tell)
        numbers.faults += audit_history(thread, messages)


def _uncertain(thread: str, account: Account) -> dict[str, Any]:
    """Show a payment that is told as uncertain beside what the bank paid."""
    return {"thread": thread, "payment": account.reference, "entries": len(account.entries)}

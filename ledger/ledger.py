"""The ledger as one object: approvals, effects and running threads in one database."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from reinforced_agent.ledger.approvals import Approvals
from reinforced_agent.ledger.attempts import Attempts
from reinforced_agent.ledger.database import Database, in_memory
from reinforced_agent.ledger.effects import Effects
from reinforced_agent.ledger.erasing import ErasedRows, ErasureTarget, erase
from reinforced_agent.ledger.leases import LEASE_SECONDS, Leases
from reinforced_agent.ledger.namespaces import require_namespace
from reinforced_agent.ledger.pauses import SECONDS, PauseCache, Paused, Pauses
from reinforced_agent.ledger.pruning import prune
from reinforced_agent.ledger.records import Records
from reinforced_agent.ledger.result_store import MemoryResults, ResultStore
from reinforced_agent.ledger.results import LedgerResults
from reinforced_agent.ledger.runs import Runs
from reinforced_agent.ledger.uses import Uses


@dataclass(frozen=True, slots=True)
class _Parts:
    """What an open ledger consists of."""

    database: Database
    leases: Leases
    approvals: Approvals
    effects: Effects
    runs: Runs
    records: Records
    results: LedgerResults
    uses: Uses
    pauses: Pauses


class Ledger:
    """The durable book that lets every write happen once; processes that serve the same threads share one."""

    def __init__(
        self,
        url: str = "sqlite://",
        *,
        namespace: str = "",
        clock: Callable[[], float] | None = None,
        lease: float = LEASE_SECONDS,
    ) -> None:
        """Describe a ledger; it is opened when it is first used, or by `open`.

        Args:
            url: `sqlite:///FILE`, `postgresql://USER@HOST/DATABASE`, or `sqlite://` for one that ends with the process.
            namespace: Keeps apart deployments that share the database: up to 64 letters, digits, `.`, `_` and `-`, the
                same in every process of a deployment. What was written under one isn't found under another.
            clock: Seconds since 1970, for tests; without it, PostgreSQL's own clock or this computer's.
            lease: Seconds after which a holder on another machine that gives no sign of life counts as gone.

        Raises:
            ValueError: When the lease is no time at all, or the namespace no plain text.

        """
        if not lease > 0:
            msg = f"The lease of a ledger is {lease!r} seconds: give more than 0, such as {LEASE_SECONDS:g}."
            raise ValueError(msg)
        self._url = url
        self._namespace = require_namespace(namespace)
        self._clock = clock
        self._lease = lease
        self._lock = threading.Lock()
        self._parts: _Parts | None = None
        self._in_memory = MemoryResults()
        self._seen: PauseCache | None = None

    @classmethod
    def open(
        cls,
        url: str,
        *,
        namespace: str = "",
        clock: Callable[[], float] | None = None,
        lease: float = LEASE_SECONDS,
    ) -> Ledger:
        """Open a ledger and bring its tables up to date.

        Raises:
            ValueError: When the lease is no time at all, or the namespace no plain text.
            LedgerError: When the address can't be read, or the database can't be reached or brought up to date.

        """
        ledger = cls(url, namespace=namespace, clock=clock, lease=lease)
        ledger._open()
        return ledger

    @property
    def namespace(self) -> str:
        """What keeps this deployment apart from others that share the database; empty for none."""
        return self._namespace

    @property
    def approvals(self) -> Approvals:
        """Questions to people."""
        return self._open().approvals

    @property
    def effects(self) -> Effects:
        """Claims and outcomes."""
        return self._open().effects

    @property
    def runs(self) -> Runs:
        """Running threads."""
        return self._open().runs

    @property
    def uses(self) -> Uses:
        """Uses of tools by user."""
        return self._open().uses

    @property
    def pauses(self) -> Pauses:
        """Tools that an operator has paused."""
        return self._open().pauses

    @property
    def records(self) -> Records:
        """Records of proposals."""
        return self._open().records

    @property
    def results(self) -> ResultStore:
        """Whole results that were too long to be shown; bounded by memory where the ledger is in memory."""
        return self._open().results if self.is_shared else self._in_memory

    @property
    def is_shared(self) -> bool:
        """Whether other processes may use the same ledger."""
        return not in_memory(self._url)

    def paused(self) -> Mapping[str, Paused]:
        """Return the tools that are paused, by name, as they were a second ago at most.

        A ledger in memory tells the present without asking its database. One that can't be read is logged, and what was
        seen last counts.
        """
        return self._pauses_seen().now()

    @property
    def paused_is_known(self) -> bool:
        """Whether `paused` answers at once, without asking the database."""
        return self._pauses_seen().is_fresh

    def prune(self, *, older_than: float) -> int:
        """Delete what was settled, decided or expired longer ago than these seconds; return how many rows went.

        That is what the namespace holds; the other deployments that share the database prune their own.

        Records and whole results of that age go with it. What is unknown, under way or still waiting stays. Don't run
        checkpoints again that are older than this.

        Raises:
            LedgerError: When the database can't be written.

        """
        return prune(self._open().database, self._namespace, older_than=older_than) + self._in_memory.prune(
            older_than=older_than
        )

    def erase(self, target: ErasureTarget, *, dry_run: bool = False) -> ErasedRows:
        """Take a person's texts out of the ledger; `erase_person` finds where they are, and the threads with them.

        Raises:
            LedgerError: When the database can't be written; nothing is erased then.
            RunHeldError: When an effect of the person is being run; nothing is erased then.

        """
        parts = self._open()
        attempts = Attempts(parts.database, parts.leases, self._namespace)
        rows, found = erase(parts.database, attempts, self._namespace, target, dry_run=dry_run)
        places = [(thread, frozenset[str]()) for thread in found.conversations] + list(found.results.items())
        gone = sum(self._in_memory.forget(thread, but=kept, dry_run=dry_run) for thread, kept in places)
        return replace(rows, results=rows.results + gone)

    def close(self) -> None:
        """Close all connections; the ledger opens again when it is used."""
        with self._lock:
            if self._parts is not None:
                self._parts.leases.rest()
                self._parts.database.close()
            self._parts = None
            self._pauses_seen().forget()

    def _pauses_seen(self) -> PauseCache:
        """Return what is seen of the pauses."""
        if self._seen is None:
            seconds = SECONDS if self.is_shared else math.inf
            self._seen = PauseCache(self._read_pauses, self._clock or time.monotonic, seconds=seconds)
        return self._seen

    def _read_pauses(self) -> Mapping[str, Paused]:
        """Read the pauses; a ledger in memory that nobody has opened holds none, and isn't opened for it."""
        return {} if self._parts is None and not self.is_shared else self.pauses.all()

    def _open(self) -> _Parts:
        """Open the database, once."""
        with self._lock:
            if self._parts is None:
                database = Database(self._url, clock=self._clock)
                leases = Leases(database, seconds=self._lease)
                name = self._namespace
                approvals, runs = Approvals(database, name), Runs(database, leases, name)
                effects, records = Effects(database, leases, approvals, name), Records(database, name)
                results, uses = LedgerResults(database, name), Uses(database, name)
                pauses = Pauses(database, lambda: self._pauses_seen().forget())
                self._parts = _Parts(database, leases, approvals, effects, runs, records, results, uses, pauses)
            return self._parts

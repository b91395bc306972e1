"""Keep what this process holds alive: a lease that is renewed while the work goes on."""

from __future__ import annotations

import logging
import os
import threading
from collections.abc import Callable
from contextlib import suppress
from weakref import WeakValueDictionary

from sqlalchemy import Connection, update

from reinforced_agent.ledger.database import Database, LedgerError
from reinforced_agent.ledger.owner import is_gone, is_here, is_this_process, this_owner
from reinforced_agent.ledger.tables import effects, runs


LEASE_SECONDS = 30.0
"""How long a holder that can't be looked up counts as alive after its last sign of life."""

_PATIENCE = 5.0
"""Seconds that closing waits for a renewal that is under way."""

_logger = logging.getLogger(__name__)
_ledgers: WeakValueDictionary[str, Leases] = WeakValueDictionary()
"""What each open ledger of this process holds, by the name of its owner."""


class Leases:
    """What one ledger of this process holds, kept alive by a thread that runs while there is anything to keep."""

    def __init__(self, database: Database, *, seconds: float = LEASE_SECONDS) -> None:
        """Start holding nothing.

        Args:
            database: Where the leases are written down.
            seconds: Length of a lease; it is renewed three times in that span.

        """
        self._database = database
        self.seconds = seconds
        self._start()

    def _start(self) -> None:
        """Hold nothing, under a new name."""
        self._owner = this_owner()
        self._held: set[str] = set()
        self._owed: list[Callable[[Connection], object]] = []
        self._lock = threading.Lock()
        self._beats = False
        self._wake = threading.Event()
        self._beating: threading.Thread | None = None
        self._process = os.getpid()
        _ledgers[self._owner] = self

    @property
    def owner(self) -> str:
        """Who holds; a forked process is somebody else, and holds nothing of what its parent does."""
        if self._process != os.getpid():
            self._start()
        return self._owner

    def hold(self, name: str) -> bool:
        """Begin to hold, and return whether it was not held already."""
        _ = self.owner
        with self._lock:
            was_free = name not in self._held
            self._held.add(name)
            self._keep_beating()
            return was_free

    def let_go(self, name: str) -> None:
        """Hold no longer."""
        with self._lock:
            self._held.discard(name)

    def holds(self, name: str) -> bool:
        """Tell whether it is held."""
        with self._lock:
            return name in self._held

    def owe(self, work: Callable[[Connection], object]) -> None:
        """Remember what could not be written down; it is tried again at every beat, and by `pay`."""
        with self._lock:
            self._owed.append(work)
            self._keep_beating()

    def pay(self) -> None:
        """Write down what is owed, as far as the database can be reached."""
        for work in list(self._owed):
            with suppress(LedgerError):
                with self._database.transaction() as connection:
                    work(connection)
                with self._lock, suppress(ValueError):
                    self._owed.remove(work)

    def is_lost(self, name: str, owner: str, lease_until: float, now: float) -> bool:
        """Tell whether a holder is certainly gone, or has given no sign of life for the length of its lease.

        A holder that can be looked up and lives is never lost, even when it was stopped for longer than that.
        """
        ledger = _ledgers.get(owner)
        if ledger is not None and ledger.owner == owner:
            return not ledger.holds(name)
        if is_here(owner):
            # A ledger of this process that is not among the open ones is gone, and nothing holds for it.
            return is_this_process(owner) or is_gone(owner)
        return lease_until < now

    def _keep_beating(self) -> None:
        """Start the thread that renews, unless it runs; a database in memory has nobody who would ask."""
        if not self._beats and not self._database.in_memory:
            self._beats = True
            self._beating = threading.Thread(target=self._beat, name="ledger-leases", daemon=True)
            self._beating.start()

    def rest(self) -> None:
        """Wait for the thread that renews to end, unless there is something to renew still."""
        with self._lock:
            beating = None if self._held or self._owed else self._beating
        if beating is not None and beating is not threading.current_thread():
            self._wake.set()
            beating.join(_PATIENCE)
            self._wake.clear()

    def _beat(self) -> None:
        """Renew until nothing is held; a database that is away for a while costs no more than a beat."""
        while True:
            self._wake.wait(self.seconds / 3)
            with self._lock:
                if not self._held and not self._owed:
                    self._beats = False
                    return
            try:
                self.pay()
                self._renew()
            except Exception:  # whatever it was, others must not take this process for dead
                _logger.warning("The leases of this process could not be renewed.", exc_info=True)

    def _renew(self) -> None:
        """Renew all leases of this owner."""
        with self._database.transaction() as connection:
            until = self._database.now(connection) + self.seconds
            for table, mine in (
                (effects, (effects.c.status == "pending", effects.c.owner == self.owner)),
                (runs, (runs.c.owner == self.owner,)),
            ):
                connection.execute(update(table).where(*mine).values(lease_until=until))

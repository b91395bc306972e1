"""The book of pauses: tools that an operator has stopped, until somebody resumes them."""

from __future__ import annotations

import logging
import math
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from sqlalchemy import Connection, delete, select

from reinforced_agent.ledger.database import Database, LedgerError, insert_into
from reinforced_agent.ledger.tables import pauses


LONGEST_REASON = 500
"""Characters of a reason that are kept."""
_LONGEST_NAME = 500
SECONDS = 1.0
"""Seconds for which what was read counts as the present where other processes may pause and resume."""

_logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Paused:
    """A tool that may not be called, by the word of an operator."""

    tool: str
    since: float
    """Seconds since 1970."""
    by: str
    """Who paused it, as they are known where they did; empty where that isn't known."""
    reason: str
    """Why, in their own words; empty where they gave none."""


class Pauses:
    """Pauses tools and resumes them; every process that uses the ledger keeps to it."""

    def __init__(self, database: Database, changed: Callable[[], None] = lambda: None) -> None:
        """Keep the book in a database.

        Args:
            database: Where.
            changed: Called after every change that was made through this object.

        """
        self._database = database
        self._changed = changed

    def pause(self, tool: str, *, by: str = "", reason: str = "") -> Paused:
        """Pause a tool; of one that is paused already, who and why are written anew, and since when stays.

        Args:
            tool: Its name, as it is registered with the agents.
            by: Who pauses it.
            reason: Why; it is told to the model and to whoever approves calls, and cut at 500 characters.

        Raises:
            LedgerError: When it can't be written down; nothing is paused then.
            ValueError: When no tool can have that name.

        """
        if not tool or len(tool) > _LONGEST_NAME:
            msg = f"{tool[:50]!r} is no name of a tool: give 1 to {_LONGEST_NAME} characters."
            raise ValueError(msg)
        told = {"paused_by": by, "reason": reason[:LONGEST_REASON]}
        with self._database.transaction() as connection:
            since = self._database.now(connection)
            first = insert_into(connection, pauses).values(tool=tool, since=since, **told)
            connection.execute(first.on_conflict_do_update(index_elements=[pauses.c.tool], set_=told))
            paused = paused_in(connection, tool)
        self._changed()
        return paused or Paused(tool, since, by, told["reason"])

    def resume(self, tool: str) -> bool:
        """Let a tool be called again; return whether it was paused.

        Raises:
            LedgerError: When it can't be written down; the tool stays paused then.

        """
        with self._database.transaction() as connection:
            was = connection.execute(delete(pauses).where(pauses.c.tool == tool)).rowcount > 0
        self._changed()
        return was

    def all(self) -> dict[str, Paused]:
        """Return what is paused at this moment, by tool, oldest first.

        Raises:
            LedgerError: When the book can't be read.

        """
        with self._database.transaction() as connection:
            rows = connection.execute(select(pauses).order_by(pauses.c.since, pauses.c.tool)).all()
        return {row.tool: Paused(row.tool, row.since, row.paused_by, row.reason) for row in rows}


def paused_in(connection: Connection, tool: str) -> Paused | None:
    """Return whether a tool is paused, as a transaction sees it."""
    row = connection.execute(select(pauses).where(pauses.c.tool == tool)).one_or_none()
    return None if row is None else Paused(row.tool, row.since, row.paused_by, row.reason)


class PauseCache:
    """What is paused as far as this process has seen: it asks the book no more often than has to be."""

    def __init__(
        self, read: Callable[[], Mapping[str, Paused]], clock: Callable[[], float], *, seconds: float = SECONDS
    ) -> None:
        """See nothing yet.

        Args:
            read: Reads the book.
            clock: Seconds from any fixed point.
            seconds: How long what was read counts; `math.inf` where nobody else can change it.

        """
        self._read, self._clock, self._seconds = read, clock, seconds
        self._reading = threading.Lock()
        self._seen: Mapping[str, Paused] = MappingProxyType({})
        self._until = -math.inf
        self._changes = 0

    @property
    def is_fresh(self) -> bool:
        """Whether `now` answers without asking the book."""
        return self._clock() < self._until

    def now(self) -> Mapping[str, Paused]:
        """Return what is paused; a book that can't be read is logged, and what was seen last counts on.

        A write is looked up in the transaction that claims it, and doesn't go by this.
        """
        if self.is_fresh:
            return self._seen
        with self._reading:
            if not self.is_fresh:
                asked_at, changes = self._clock(), self._changes
                try:
                    self._seen = MappingProxyType(dict(self._read()))
                except LedgerError:
                    _logger.warning("The pauses of tools can't be read: what was seen last counts on.", exc_info=True)
                # What was changed while it was read may not have been read.
                self._until = asked_at + self._seconds if changes == self._changes else -math.inf
            return self._seen

    def forget(self) -> None:
        """Ask the book the next time."""
        self._changes += 1
        self._until = -math.inf

"""The book of effects: a claim before the call is dispatched, its outcome after."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Literal, TypeVar

from sqlalchemy import Connection, Row, select, update

from reinforced_agent.ledger.approvals import Approvals, Unusable
from reinforced_agent.ledger.attempts import RELEASED, Attempts, name_of
from reinforced_agent.ledger.claims import (
    Claim,
    Denied,
    Effect,
    Granted,
    Known,
    Permit,
    Running,
    Settlement,
)
from reinforced_agent.ledger.database import Database, LedgerError
from reinforced_agent.ledger.leases import Leases
from reinforced_agent.ledger.pauses import Paused, paused_in
from reinforced_agent.ledger.tables import effects


__all__ = ["Claim", "Denied", "Effect", "Effects", "Granted", "Known", "Paused", "Permit", "Running", "Settlement"]

T = TypeVar("T")

_SHOWN = ("key", "thread", "turn", "tool", "digest", "call_id", "attempt", "claimed_at", "settled_at")
"""What a person is shown of an effect."""


class Effects:
    """Claims and settles effects; of several claims of one key, one is granted."""

    def __init__(self, database: Database, leases: Leases, approvals: Approvals, namespace: str = "") -> None:
        """Keep the book in a database, beside the approvals that are spent with it, for one namespace."""
        self._database = database
        self._namespace = namespace
        self._leases = leases
        self._approvals = approvals
        self._attempts = Attempts(database, leases, namespace)

    def claim(self, effect: Effect, permit: Permit | None = None) -> Claim:
        """Ask for the right to dispatch a call; the approval is spent in the same transaction.

        While the tool is paused, nothing is granted and no approval is spent.

        Raises:
            LedgerError: When it can't be written down; the call must not be dispatched then.

        """

        def answer(connection: Connection) -> Claim:
            return self._answer(connection, effect, permit)

        return self._claiming(effect.key, answer)

    def reopen(self, effect: Effect, fence: str) -> Claim:
        """Claim an effect anew whose target says that the attempt of a fencing token, the last one, had no effect.

        Raises:
            LedgerError: When it can't be written down.

        """

        def answer(connection: Connection) -> Claim:
            row = self._attempts.row(connection, effect.key)
            told = row and self._attempts.told(connection, row)
            if row is not None and isinstance(told, Known) and (told.status, told.fence) == ("unknown", fence):
                return paused_in(connection, effect.binding.tool) or self._attempts.next(connection, row, effect)
            return self._answer(connection, effect, None)

        return self._claiming(effect.key, answer)

    def settle(self, key: str, fence: str, status: Settlement, outcome: Mapping[str, Any]) -> bool:
        """Put down how an attempt ended, also when others gave it up as unknown in the meantime.

        The call has run, so a lost connection is replaced a few times. An outcome that can't be written down even so
        is kept, and written when the database is back while this process lives.

        Args:
            key: The effect.
            fence: Fencing token of the attempt.
            status: How it ended.
            outcome: What is told about it when it is claimed again.

        Returns:
            Whether the attempt was still the newest one of its effect, and open.

        Raises:
            LedgerError: When it can't be written down now.

        """
        text = json.dumps(outcome)
        mine = (effects.c.key == key, effects.c.fence == fence)
        open_ = (*mine, effects.c.status.in_(["pending", "unknown"]))
        done = (*mine, effects.c.status == status, effects.c.outcome == text)

        def put_down(connection: Connection) -> bool:
            values = {"status": status, "outcome": text, "settled_at": self._database.now(connection)}
            changed = connection.execute(update(effects).where(*open_).values(values)).rowcount == 1
            # What an earlier try wrote whose answer was lost is as good.
            return changed or connection.scalar(select(effects.c.key).where(*done)) is not None

        return self._ending(key, fence, put_down)

    def release(self, key: str, fence: str) -> None:
        """Give back a claim that was not used.

        Raises:
            LedgerError: When it can't be written down now; it is given back when the database is back.

        """
        mine = (effects.c.key == key, effects.c.fence == fence, effects.c.status == "pending")

        def give_back(connection: Connection) -> None:
            connection.execute(update(effects).where(*mine).values(status=RELEASED))

        self._ending(key, fence, give_back)

    def resolve(
        self,
        key: str,
        status: Literal["committed", "failed"],
        outcome: Mapping[str, Any],
        by: Mapping[str, Any],
    ) -> bool:
        """Put down what a person found out about an effect whose outcome is unknown.

        Args:
            key: The effect, as `unknown` lists it.
            status: Whether it took effect.
            outcome: What is told about it when it is claimed again.
            by: Who looked it up, as plain data; kept in the outcome as `resolved_by`.

        Returns:
            Whether it was unknown until now; if not, nothing was changed.

        Raises:
            LedgerError: When it can't be written down.

        """
        text = json.dumps({**outcome, "resolved_by": dict(by)})
        self._leases.pay()
        with self._database.transaction() as connection:
            row = self._attempts.row(connection, key)
            told = row and self._attempts.told(connection, row)
            if not isinstance(told, Known) or told.status != "unknown":
                return False
            values = {"status": status, "outcome": text, "settled_at": self._database.now(connection)}
            connection.execute(update(effects).where(effects.c.key == key).values(values))
            return True

    def find(self, keys: Iterable[str]) -> dict[str, Known | Running]:
        """Return what is known about effects; those that were never claimed are left out.

        Raises:
            LedgerError: When the book can't be read.

        """
        self._leases.pay()
        query = select(effects).where(effects.c.key.in_(list(keys)), effects.c.status != RELEASED)
        with self._database.transaction() as connection:
            return {row.key: self._attempts.told(connection, row) for row in connection.execute(query).all()}

    def unknown(self, thread: str | None = None) -> list[dict[str, Any]]:
        """List effects that somebody has to look up, of all threads of the namespace or one, oldest first.

        They come as plain data.

        Each has `key`, `thread`, `turn`, `tool`, `digest`, `call_id`, `attempt`, `claimed_at` and `settled_at` (seconds
        since 1970; `None` where its process was gone before it could tell), `status` and `outcome`.

        Raises:
            LedgerError: When the book can't be read.

        """
        self._leases.pay()
        query = select(effects).where(effects.c.status.in_(["unknown", "pending"])).order_by(effects.c.claimed_at)
        query = query.where(effects.c.namespace == self._namespace)
        if thread is not None:
            query = query.where(effects.c.thread == thread)
        with self._database.transaction() as connection:
            rows = [(row, self._attempts.told(connection, row)) for row in connection.execute(query).all()]
        return [
            {**{name: row._mapping[name] for name in _SHOWN}, "status": told.status, "outcome": dict(told.outcome)}  # noqa: SLF001
            for row, told in rows
            if isinstance(told, Known)
        ]

    def _claiming(self, key: str, answer: Callable[[Connection], Claim]) -> Claim:
        """Run a transaction that may claim; a claim that was not written down for certain is given back.

        Raises:
            LedgerError: When it can't be written down.

        """
        self._leases.pay()
        claim: Claim | None = None
        try:
            with self._database.transaction() as connection:
                claim = answer(connection)
                if isinstance(claim, Granted):
                    self._leases.hold(name_of(key, claim.fence))
        except BaseException:
            if isinstance(claim, Granted):
                self._take_back(key, claim.fence)
            raise
        return claim

    def _take_back(self, key: str, fence: str) -> None:
        """Give back a claim that may have been written down although its transaction failed; nothing was dispatched."""
        mine = (effects.c.key == key, effects.c.fence == fence)
        open_ = effects.c.status.in_(["pending", "unknown"])
        self._leases.owe(
            lambda connection: connection.execute(update(effects).where(*mine, open_).values(status=RELEASED))
        )
        self._leases.let_go(name_of(key, fence))

    def _ending(self, key: str, fence: str, work: Callable[[Connection], T]) -> T:
        """Run a transaction that ends a claim; only after it may others find that nobody holds it.

        Raises:
            LedgerError: When it can't be written down now.

        """
        try:
            return self._database.insist(work)
        except BaseException:
            self._leases.owe(work)
            raise
        finally:
            self._leases.let_go(name_of(key, fence))

    def _stop(self, connection: Connection, effect: Effect, permit: Permit | None) -> Denied | Paused | None:
        """Say why an effect may not be dispatched; if it may, the approval is spent, where one is needed."""
        if (paused := paused_in(connection, effect.binding.tool)) is not None:
            return paused
        if permit is None:
            return Denied(Unusable("forged")) if effect.held else None
        token, by = permit.token, permit.by
        fault = self._approvals.spend_on(connection, token, effect.binding, by=by, key=effect.key)
        return None if fault is None else Denied(fault)

    def _answer(self, connection: Connection, effect: Effect, permit: Permit | None) -> Claim:
        """Answer a claim.

        Raises:
            LedgerError: When somebody took the effect out of the book by hand meanwhile.

        """
        row = self._attempts.row(connection, effect.key)
        if row is None and (stopped := self._stop(connection, effect, permit)):
            return stopped
        if row is None and (granted := self._attempts.first(connection, effect)):
            return granted
        # Where the row came in between, the other transaction has ended, and the row can be read now.
        row = row if row is not None else self._attempts.row(connection, effect.key)
        if row is None:
            msg = f"The effect {effect.key} was deleted from the ledger {self._database.name} while it was claimed."
            raise LedgerError(msg)
        return self._again(connection, row, effect, permit)

    def _again(self, connection: Connection, row: Row[Any], effect: Effect, permit: Permit | None) -> Claim:
        """Answer a claim of an effect that was claimed before."""
        if row.status == RELEASED:
            return self._stop(connection, effect, permit) or self._attempts.next(connection, row, effect)
        told = self._attempts.told(connection, row)
        if isinstance(told, Running) or told.status == "committed":
            return told
        # A call that failed stays failed for the run that saw it fail; a new proposal of it is a new attempt.
        anew = told.status == "failed" and row.call_id != effect.binding.call_id
        if anew or (told.status == "unknown" and effect.repeatable):
            return self._stop(connection, effect, permit) or self._attempts.next(connection, row, effect)
        if row.status == "pending":
            connection.execute(update(effects).where(effects.c.key == effect.key).values(status="unknown"))
        return told

"""Take a person's texts out of the ledger; the bare facts of their effects stay, so that no write happens twice."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import TypeVar

from sqlalchemy import ColumnElement, Connection, Table, and_, delete, or_, select, update

from reinforced_agent.ledger.attempts import Attempts
from reinforced_agent.ledger.claims import Running
from reinforced_agent.ledger.database import Database
from reinforced_agent.ledger.namespaces import within
from reinforced_agent.ledger.results import forget_results_of
from reinforced_agent.ledger.runs import RunHeldError
from reinforced_agent.ledger.tables import approvals, effects, records, uses
from reinforced_agent.tools.names import name_of, same_name


T = TypeVar("T")

_AT_ONCE = 200
"""Threads or turns that one statement names."""


@dataclass(frozen=True, slots=True)
class ErasureTarget:
    """A person, and where they have left texts, as far as the threads tell."""

    tenant: str
    user_id: str
    threads: frozenset[str] = frozenset()
    """Threads in which nobody else has spoken."""
    turns: frozenset[tuple[str, str]] = frozenset()
    """Their turns in threads of several people: thread, and id of the message."""
    results: Mapping[str, frozenset[str]] = field(default_factory=dict)
    """By thread of several people, the references of whole results that others may still read."""

    @property
    def conversations(self) -> set[str]:
        """What their whole results are kept under: their threads, and their turns where nothing keeps a thread."""
        alone = [turn for thread, turn in self.turns if not thread]
        named = {f"turn {turn} of {name}" for turn in alone for name in self.names}
        return {*self.threads, *named, *(f"turn {turn}" for turn in alone)}

    @property
    def names(self) -> frozenset[str]:
        """What stands for them in the ledger; versions before names were compared wrote it as it was given."""
        plain = json.dumps([self.tenant, self.user_id]).encode()
        return frozenset({name_of(self.tenant, self.user_id), hashlib.sha256(plain).hexdigest()})

    def are_of(self, person: Mapping[str, object]) -> bool:
        """Tell whether they are this person, whose names may be written differently."""
        user_id, tenant = str(person.get("user_id", "")), str(person.get("tenant", ""))
        return same_name(user_id, self.user_id) and same_name(tenant, self.tenant)


@dataclass(frozen=True, slots=True, kw_only=True)
class ErasedRows:
    """How many rows of the ledger lost their texts, or went."""

    effects: int = 0
    """Effects that lost their outcome; key, tool, digest, status and times stay."""
    approvals: int = 0
    uses: int = 0
    records: int = 0
    results: int = 0


class _CountedError(Exception):
    """Takes back what was only to be counted."""


def erase(
    database: Database, attempts: Attempts, namespace: str, target: ErasureTarget, *, dry_run: bool
) -> tuple[ErasedRows, ErasureTarget]:
    """Take a person's texts out, in one transaction; the target come back with what the ledger itself knew.

    Raises:
        LedgerError: When the database can't be written; nothing is erased then.
        RunHeldError: When an effect of the person is being run; nothing is erased then.

    """
    rows = ErasedRows()
    with suppress(_CountedError), database.transaction() as connection:
        target = _with_turns_of_the_ledger(connection, namespace, target)
        _require_rest(connection, attempts, namespace, target)
        rows = ErasedRows(
            effects=sum(_forget_outcomes(connection, where) for where in _theirs(effects, namespace, target)),
            approvals=sum(_delete(connection, approvals, where) for where in _placed(approvals, namespace, target)),
            uses=_delete(connection, uses, uses.c.who.in_([within(namespace, name) for name in target.names])),
            records=sum(_delete(connection, records, where) for where in _theirs(records, namespace, target)),
            results=_forget_results(connection, namespace, target),
        )
        if dry_run:
            raise _CountedError
    return rows, target


def _with_turns_of_the_ledger(connection: Connection, namespace: str, target: ErasureTarget) -> ErasureTarget:
    """Add the turns that the ledger itself knows to be the person's: not every run keeps a thread."""
    asked = select(approvals.c.thread, approvals.c.turn, approvals.c.requester)
    rows = connection.execute(asked.where(approvals.c.namespace == namespace).distinct()).all()
    turns = {(row.thread, row.turn) for row in rows if target.are_of(json.loads(row.requester))}
    for table in (effects, records):
        owned = (
            select(table.c.thread, table.c.turn)
            .where(table.c.namespace == namespace, table.c.who.in_(target.names))
            .distinct()
        )
        turns |= {(row.thread, row.turn) for row in connection.execute(owned).all()}
    if not target.tenant:
        # Records of earlier versions name a user and no tenant.
        old = select(records.c.thread, records.c.turn, records.c.record).where(
            records.c.namespace == namespace, records.c.who.is_(None)
        )
        for row in connection.execute(old.execution_options(yield_per=_AT_ONCE)):
            if same_name(str(json.loads(row.record).get("requester", "")), target.user_id):
                turns.add((row.thread, row.turn))
    return replace(target, turns=target.turns | turns)


def _require_rest(connection: Connection, attempts: Attempts, namespace: str, target: ErasureTarget) -> None:
    """Refuse where an effect of the person is being run.

    Raises:
        RunHeldError: When one is.

    """
    for where in _theirs(effects, namespace, target):
        for row in connection.execute(select(effects).where(effects.c.status == "pending", where)).all():
            if isinstance(attempts.told(connection, row), Running):
                msg = f"A call of {row.tool!r} is being run for this person: wait for it to end."
                raise RunHeldError(msg)


def _theirs(table: Table, namespace: str, target: ErasureTarget) -> Iterator[ColumnElement[bool]]:
    """Say which rows are the person's, in statements of bounded length."""
    yield and_(table.c.namespace == namespace, table.c.who.in_(target.names))
    yield from _placed(table, namespace, target)


def _placed(table: Table, namespace: str, target: ErasureTarget) -> Iterator[ColumnElement[bool]]:
    """Say which rows stand in the person's threads and turns."""
    for some in _some(target.threads):
        yield and_(table.c.namespace == namespace, table.c.thread.in_(some))
    for turns in _some(target.turns):
        placed = or_(*(and_(table.c.thread == thread, table.c.turn == turn) for thread, turn in turns))
        yield and_(table.c.namespace == namespace, placed)


def _some(items: Iterable[T]) -> Iterator[list[T]]:
    """Take items a few at a time."""
    left = list(items)
    for start in range(0, len(left), _AT_ONCE):
        yield left[start : start + _AT_ONCE]


def _forget_outcomes(connection: Connection, where: ColumnElement[bool]) -> int:
    """Forget what effects have brought; that and when they were done stays."""
    told = effects.c.outcome.is_not(None)
    return connection.execute(update(effects).where(where, told).values(outcome=None)).rowcount


def _delete(connection: Connection, table: Table, where: ColumnElement[bool]) -> int:
    return connection.execute(delete(table).where(where)).rowcount


def _forget_results(connection: Connection, namespace: str, target: ErasureTarget) -> int:
    """Delete whole results of the person's threads and turns, and those that nobody can read any more."""
    gone = sum(forget_results_of(connection, namespace, thread) for thread in target.conversations)
    return gone + sum(
        forget_results_of(connection, namespace, thread, but=kept) for thread, kept in target.results.items()
    )

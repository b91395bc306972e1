"""Calls, people and changes by hand that tests of the ledger use."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from sqlalchemy import select, update

from reinforced_agent.ledger import Ledger
from reinforced_agent.ledger.approvals import Binding
from reinforced_agent.ledger.effects import Effect, Granted, Permit
from reinforced_agent.ledger.tables import effects, runs


ANN: dict[str, Any] = {"id": "ann", "roles": ["clerk"]}
"""Who asks."""
BOB: dict[str, Any] = {"id": "bob", "roles": ["approver"]}
"""Who decides."""
ELSEWHERE = "otherboot/pid:[1] 1 1 ledger"
"""A ledger on another machine."""


@dataclass
class Clock:
    """Seconds since 1970, moved by the test."""

    now: float = 1_000_000.0

    def __call__(self) -> float:
        """Tell the time."""
        return self.now


def binding(**changes: str) -> Binding:
    """Make a call."""
    return replace(Binding("thread", "turn", "call", "pay", "d" * 64), **changes)


def effect(*, repeatable: bool = False, held: bool = False, occurrence: int = 0, **changes: str) -> Effect:
    """Make an effect of a call."""
    return Effect(binding=binding(**changes), repeatable=repeatable, held=held, occurrence=occurrence)


def grant(ledger: Ledger, made: Effect | None = None, permit: Permit | None = None) -> Granted:
    """Claim an effect that is free."""
    claim = ledger.effects.claim(made or effect(), permit)
    assert isinstance(claim, Granted)
    return claim


def newest(ledger: Ledger, key: str) -> str:
    """Return the fencing token of the newest attempt at an effect, as its process has it."""
    with ledger._open().database.transaction() as connection:
        return str(connection.scalar(select(effects.c.fence).where(effects.c.key == key)))


def give_away(ledger: Ledger, until: float, owner: str = ELSEWHERE) -> None:
    """Write by hand that everything is held by somebody else."""
    with ledger._open().database.transaction() as connection:
        for table in (effects, runs):
            connection.execute(update(table).values(owner=owner, lease_until=until))


def shut(ledger: Ledger) -> None:
    """Close a ledger whose process goes on without what it holds."""
    with ledger._lock:
        parts = ledger._parts
    if parts is not None:
        parts.effects._leases._held.clear()
        parts.effects._leases._owed.clear()
    ledger.close()


def rows(ledger: Ledger, table: Any) -> list[dict[str, Any]]:
    """Read a table as it is stored."""
    with ledger._open().database.transaction() as connection:
        return [dict(row) for row in connection.execute(table.select()).mappings()]

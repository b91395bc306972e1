"""What tests of the ledger share: a ledger on each kind of database, and other processes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack

import pytest

from reinforced_agent.ledger import Ledger
from tests.databases import address, own_address, postgres_address, shared_address
from tests.ledger.cases import Clock, shut
from tests.ledger.processes import Worker


__all__ = ["address", "own_address", "postgres_address", "shared_address"]


@pytest.fixture
def clock() -> Clock:
    """Make a clock that stands still."""
    return Clock()


@pytest.fixture
def ledger(address: str, clock: Clock) -> Iterator[Ledger]:
    """Open a ledger on each kind of database, by a clock that stands still."""
    opened = Ledger.open(address, clock=clock)
    yield opened
    shut(opened)


@pytest.fixture
def start() -> Iterator[Callable[..., Worker]]:
    """Start other processes, and end them after the test."""
    with ExitStack() as stack:

        def one(address: str, lease: float = 30.0) -> Worker:
            return stack.enter_context(Worker(address, lease))

        yield one

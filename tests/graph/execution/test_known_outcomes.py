"""What is known about an effect is told: by its target, by the ledger, or by whoever runs it now."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from reinforced_agent import DidNotHappen, Happened, Ledger
from reinforced_agent.graph.agent import ThreadBusyError
from reinforced_agent.ledger.approvals import Binding
from reinforced_agent.ledger.effects import Effect
from tests.graph.bank import APPROVE, PAY, Bank, paying
from tests.graph.house import House, calls
from tests.ledger.cases import grant


@pytest.mark.parametrize(
    ("found", "status", "told"),
    [
        pytest.param(Happened("paid 5, receipt 17"), "done", "receipt 17", id="happened"),
        pytest.param(DidNotHappen(), "failed", "ConnectionResetError", id="did-not-happen"),
        pytest.param(None, "unknown", "UNKNOWN", id="cannot-tell"),
        pytest.param(OSError("down"), "unknown", "UNKNOWN", id="target-down"),
        pytest.param("yes", "unknown", "UNKNOWN", id="no-answer-of-ours"),
    ],
)
def test_the_target_is_asked_where_nobody_knows(found: Any, status: str, told: str) -> None:
    """A tool that can look up its effect settles an unknown outcome; one that can't leaves it unknown."""
    asked = []

    def look_up(arguments: Any, key: str) -> Any:
        asked.append((dict(arguments), key))
        if isinstance(found, BaseException):
            raise found
        return found

    bank = Bank(ConnectionResetError("gone"), reconcile=look_up)
    house = paying(bank)
    assert (house.status("c1"), len(bank.keys)) == (status, 1)
    assert told in house.told("c1")
    assert asked == [({"amount": 5}, bank.keys[0])]


@pytest.mark.parametrize(
    ("found", "booked", "status"),
    [
        pytest.param(Happened("paid 5"), [], "done", id="happened"),
        pytest.param(DidNotHappen(), [5], "done", id="did-not-happen"),
        pytest.param(None, [], "unknown", id="cannot-tell"),
    ],
)
def test_a_claim_of_a_run_that_died_is_reconciled(found: Any, booked: list[int], status: str) -> None:
    """What a run left behind is looked up: done, run now, or unknown and never fired blindly."""

    async def look_up(arguments: Any, key: str) -> Any:
        await asyncio.sleep(0)
        assert (dict(arguments), len(key)) == ({"amount": 5}, 64)
        return found

    bank = Bank(reconcile=look_up)
    ledger = Ledger()
    house = House(calls(PAY), "Done.", "Done.", tools=[bank.spec], ledger=ledger).say()
    record, turn = house.result["calls"]["c1"], house.result["turn"]["id"]
    left = Effect(binding=Binding("thread", turn, "c1", "pay", record["digest"]))
    ledger.effects.settle(left.key, grant(ledger, left).fence, "unknown", {})
    house.decide(APPROVE)
    assert (bank.booked, house.status("c1")) == (booked, status)


def test_a_call_that_somebody_else_runs_is_not_run_twice() -> None:
    """A claim that is alive is respected: the second run is told to wait, and goes on with the result later."""
    bank = Bank()
    ledger = Ledger()
    house = House(calls(PAY), "Done.", tools=[bank.spec], ledger=ledger).say()
    record, turn = house.result["calls"]["c1"], house.result["turn"]["id"]
    theirs = Effect(binding=Binding("thread", turn, "c1", "pay", record["digest"]))
    claim = grant(ledger, theirs)
    with pytest.raises(ThreadBusyError, match="being run by another run"):
        house.decide(APPROVE)
    ledger.effects.settle(theirs.key, claim.fence, "committed", {"status": "done", "result": "paid by them"})
    house.result = house.agent.invoke(None, house.config)
    assert (bank.booked, house.told("c1")) == ([], "paid by them")

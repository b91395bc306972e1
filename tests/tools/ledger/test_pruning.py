"""Old rows go, and nothing that still matters."""

from __future__ import annotations

from reinforced_agent.tools.ledger import Ledger
from reinforced_agent.tools.ledger.approvals import Open
from reinforced_agent.tools.ledger.claims import Granted, Known
from tests.tools.ledger.cases import ANN, BOB, Clock, binding, effect


def test_settled_and_decided_rows_go_and_the_rest_stays(ledger: Ledger, clock: Clock) -> None:
    """An old outcome is forgotten; what is unknown, under way, or can still be answered is kept."""
    done, lost, busy = (effect(turn=name) for name in ("done", "lost", "busy"))
    for one in (done, lost, busy):
        ledger.effects.claim(one)
    ledger.effects.settle(done.key, 1, "committed", {"result": "paid"})
    ledger.effects.settle(lost.key, 1, "unknown", {})
    used = ledger.approvals.issue(binding(), requester=ANN, expires=None)
    ledger.approvals.spend(used, binding(), decision="reject", by=BOB)
    late = ledger.approvals.issue(binding(), requester=ANN, expires=5)
    waiting = ledger.approvals.issue(binding(), requester=ANN, expires=None)
    clock.now += 100
    assert ledger.prune(older_than=200) == 0
    assert ledger.prune(older_than=50) == 3
    assert set(ledger.effects.find([done.key, lost.key, busy.key])) == {lost.key, busy.key}
    assert isinstance(ledger.effects.find([lost.key])[lost.key], Known)
    assert isinstance(ledger.approvals.look_up(waiting, binding()), Open)
    assert [ledger.approvals.look_up(token, binding()) for token in (used, late)] != [Open(), Open()]
    assert isinstance(ledger.effects.claim(done), Granted)

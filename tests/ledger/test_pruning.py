"""Old rows go, and nothing that still matters."""

from __future__ import annotations

from reinforced_agent.ledger import Ledger
from reinforced_agent.ledger.approvals import Open
from reinforced_agent.ledger.claims import Granted, Known, Permit, Running
from reinforced_agent.ledger.result_store import WholeResult
from tests.ledger.cases import ANN, BOB, Clock, binding, effect, grant, newest


def test_settled_and_decided_rows_go_and_the_rest_stays(ledger: Ledger, clock: Clock) -> None:
    """An old outcome is forgotten; what is unknown, under way, or can still be answered is kept."""
    done, lost, busy = (effect(turn=name) for name in ("done", "lost", "busy"))
    for one in (done, lost, busy):
        ledger.effects.claim(one)
    ledger.effects.settle(done.key, newest(ledger, done.key), "committed", {"result": "paid"})
    ledger.effects.settle(lost.key, newest(ledger, lost.key), "unknown", {})
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


def test_an_attempt_that_ends_after_pruning_does_not_end_the_next_one(ledger: Ledger, clock: Clock) -> None:
    """An outcome that comes when its effect was forgotten and claimed anew is nobody's."""
    old = grant(ledger)
    ledger.effects.settle(effect().key, old.fence, "unknown", {})
    assert ledger.effects.resolve(effect().key, "failed", {}, BOB)
    clock.now += 100
    ledger.prune(older_than=50)
    new = grant(ledger)
    assert (old.attempt, new.attempt) == (1, 1)
    assert not ledger.effects.settle(effect().key, old.fence, "committed", {"result": "late"})
    ledger.effects.release(effect().key, old.fence)
    assert isinstance(ledger.effects.claim(effect()), Running)
    assert ledger.effects.settle(effect().key, new.fence, "failed", {})


def test_texts_of_users_go(ledger: Ledger, clock: Clock) -> None:
    """Records and whole results that are older than the limit are deleted, wherever they are kept."""
    kept = {"thread": "t", "turn": "u", "step": 1, "version": 1, "kind": "call", "outcome": "answered"}
    ledger.records.write([{"id": "old", **kept}])
    ledger.results.keep("t", "old", WholeResult("find", "text", 4))
    clock.now += 100
    ledger.records.write([{"id": "new", **kept}])
    assert ledger.prune(older_than=-1 if not ledger.is_shared else 50) >= 2
    assert [row["id"] for row in ledger.records.read()] == (["new"] if ledger.is_shared else [])
    assert ledger.results.find("t", "old") is None


def test_a_claim_that_was_given_back_goes(ledger: Ledger, clock: Clock) -> None:
    """Nothing was dispatched, so nothing has to be remembered."""
    ledger.effects.release(effect().key, grant(ledger).fence)
    clock.now += 100
    assert ledger.prune(older_than=50) == 1


def test_approvals_stay_with_an_effect_that_may_have_happened(ledger: Ledger, clock: Clock) -> None:
    """What an edited call did is still found by the token of the question."""
    token = ledger.approvals.issue(binding(), requester=ANN, expires=None)
    edited = effect(digest="e" * 64, held=True)
    new = ledger.approvals.exchange(token, binding(), edited.binding, requester=ANN, by=BOB, expires=None)
    claim = grant(ledger, edited, Permit(new, BOB))
    clock.now += 100
    assert ledger.prune(older_than=50) == 0
    assert ledger.approvals.effect_of(token) == edited.key
    ledger.effects.settle(edited.key, claim.fence, "committed", {})
    clock.now += 100
    assert ledger.prune(older_than=50) == 3

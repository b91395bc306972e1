"""Claims and outcomes: what is granted, what is told instead, and what a late or repeated outcome changes."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from reinforced_agent.ledger import Ledger
from reinforced_agent.ledger.approvals import Unusable
from reinforced_agent.ledger.effects import Claim, Denied, Effect, Granted, Known, Permit, Running
from tests.ledger.cases import ANN, BOB, Clock, binding, effect, give_away, newest


def claimed(ledger: Ledger) -> None:
    """Claim, and go on."""
    assert ledger.effects.claim(effect()) == Granted(1)


def committed(ledger: Ledger) -> None:
    """Claim, and put down a result."""
    claimed(ledger)
    assert ledger.effects.settle(effect().key, newest(ledger, effect().key), "committed", {"content": "done"})


def failed(ledger: Ledger) -> None:
    """Claim, and put down a failure."""
    claimed(ledger)
    assert ledger.effects.settle(effect().key, newest(ledger, effect().key), "failed", {"content": "refused"})


def unknown(ledger: Ledger) -> None:
    """Claim, and put down that nobody can tell."""
    claimed(ledger)
    assert ledger.effects.settle(effect().key, newest(ledger, effect().key), "unknown", {})


def abandoned(ledger: Ledger) -> None:
    """Claim on another machine, and let the lease pass."""
    claimed(ledger)
    give_away(ledger, until=0)


def released(ledger: Ledger) -> None:
    """Claim, and give back."""
    claimed(ledger)
    ledger.effects.release(effect().key, newest(ledger, effect().key))


def fence(ledger: Ledger, attempt: str) -> str:
    """Return the fencing token of the newest attempt, or one that nobody has."""
    return newest(ledger, effect().key) if attempt == "newest" else "another"


NOW = Clock().now
RESULT, REFUSED, LOST = (
    Known("committed", {"content": "done"}, 1),
    Known("failed", {"content": "refused"}, 1),
    Known("unknown", {}, 1),
)


@pytest.mark.parametrize(
    ("before", "again", "answer"),
    [
        pytest.param(claimed, effect(), Running(NOW), id="claimed: is running"),
        pytest.param(claimed, effect(repeatable=True), Running(NOW), id="claimed: a repeatable call is running too"),
        pytest.param(claimed, effect(turn="next"), Granted(1), id="another turn is another effect"),
        pytest.param(claimed, effect(occurrence=1), Granted(1), id="a meant repetition is another effect"),
        pytest.param(claimed, effect(digest="e" * 64), Granted(1), id="other arguments are another effect"),
        pytest.param(committed, effect(), RESULT, id="committed: the stored result"),
        pytest.param(committed, effect(call_id="new"), RESULT, id="committed: the stored result for a new call too"),
        pytest.param(committed, effect(repeatable=True), RESULT, id="committed: not even a repeatable call runs again"),
        pytest.param(failed, effect(), REFUSED, id="failed: stays so for the same call"),
        pytest.param(failed, effect(call_id="new"), Granted(2), id="failed: a new call is a new attempt"),
        pytest.param(unknown, effect(), LOST, id="unknown: not again"),
        pytest.param(unknown, effect(call_id="new"), LOST, id="unknown: not for a new call either"),
        pytest.param(unknown, effect(repeatable=True), Granted(2), id="unknown: again where it does no harm"),
        pytest.param(abandoned, effect(), LOST, id="abandoned: unknown"),
        pytest.param(abandoned, effect(repeatable=True), Granted(2), id="abandoned: again where it does no harm"),
        pytest.param(released, effect(), Granted(2), id="released: free"),
    ],
)
def test_a_second_claim_is_told_what_came_of_the_first(
    ledger: Ledger, before: Callable[[Ledger], None], again: Effect, answer: Claim
) -> None:
    """What a claim is answered follows from what is known of the one before."""
    before(ledger)
    assert ledger.effects.claim(again) == answer


@pytest.mark.parametrize(
    ("before", "attempt", "answer"),
    [
        pytest.param(unknown, "newest", Granted(2), id="unknown"),
        pytest.param(abandoned, "newest", Granted(2), id="abandoned, and nobody has said so yet"),
        pytest.param(unknown, "another", LOST, id="another attempt than the newest"),
        pytest.param(claimed, "newest", Running(NOW), id="running"),
        pytest.param(committed, "newest", RESULT, id="committed"),
        pytest.param(failed, "newest", REFUSED, id="failed"),
    ],
)
def test_only_an_unknown_attempt_is_reopened(
    ledger: Ledger, before: Callable[[Ledger], None], attempt: str, answer: Claim
) -> None:
    """A target that knows nothing of a call opens the attempt it was asked about, and no other."""
    before(ledger)
    assert ledger.effects.reopen(effect(), fence(ledger, attempt)) == answer


def test_of_two_that_asked_the_target_one_reopens(ledger: Ledger) -> None:
    """An effect that was reopened by one is running for the other."""
    unknown(ledger)
    first = newest(ledger, effect().key)
    assert [ledger.effects.reopen(effect(), first) for _ in range(2)] == [Granted(2), Running(NOW)]


@pytest.mark.parametrize(
    ("before", "attempt", "takes", "known"),
    [
        pytest.param(unknown, "newest", True, "committed", id="late, given up as unknown"),
        pytest.param(abandoned, "newest", True, "committed", id="late, while others may give it up"),
        pytest.param(claimed, "another", False, "", id="an attempt that was never made"),
        pytest.param(committed, "newest", False, "committed", id="committed with another result"),
        pytest.param(failed, "newest", False, "failed", id="failed before"),
    ],
)
def test_an_outcome_is_put_down_once(
    ledger: Ledger, before: Callable[[Ledger], None], attempt: str, *, takes: bool, known: str
) -> None:
    """A late outcome ends an unknown one; one that was put down stays."""
    before(ledger)
    assert ledger.effects.settle(effect().key, fence(ledger, attempt), "committed", {"content": "late"}) is takes
    assert getattr(ledger.effects.find([effect().key])[effect().key], "status", "") == known


def test_an_outcome_may_be_put_down_twice(ledger: Ledger) -> None:
    """The same outcome again is no other one: the answer to the first may have been lost on the way."""
    committed(ledger)
    assert ledger.effects.settle(effect().key, newest(ledger, effect().key), "committed", {"content": "done"})


def test_a_stale_outcome_does_not_end_the_attempt_that_runs(ledger: Ledger) -> None:
    """A call that ends after its effect was claimed anew neither settles nor gives up the new attempt."""
    unknown(ledger)
    first = newest(ledger, effect().key)
    assert ledger.effects.claim(effect(repeatable=True)) == Granted(2)
    assert not ledger.effects.settle(effect().key, first, "committed", {})
    ledger.effects.release(effect().key, first)
    assert ledger.effects.claim(effect(repeatable=True)) == Running(NOW)


def test_a_claim_that_was_given_back_twice_is_not_taken_from_the_next(ledger: Ledger) -> None:
    """No two claims have the same fencing token, so that giving back late does no harm."""
    released(ledger)
    first = newest(ledger, effect().key)
    assert ledger.effects.claim(effect()) == Granted(2)
    ledger.effects.release(effect().key, first)
    assert ledger.effects.claim(effect()) == Running(NOW)


def test_what_was_given_back_or_never_claimed_is_not_found(ledger: Ledger) -> None:
    """Only what was dispatched, or may have been, is known."""
    released(ledger)
    assert ledger.effects.find([effect().key, "f" * 64]) == {}
    assert ledger.effects.find([]) == {}


def test_a_claim_spends_the_approval_and_is_refused_without_it(ledger: Ledger) -> None:
    """A call that a person has to approve is granted with a good token alone, also after it was given back."""
    held = effect(held=True)
    assert ledger.effects.claim(held) == Denied(Unusable("forged"))
    assert ledger.effects.claim(held, Permit("made up", BOB)) == Denied(Unusable("forged"))
    permit = Permit(ledger.approvals.issue(binding(), requester=ANN, expires=None), BOB)
    assert ledger.effects.claim(held, permit) == Granted(1)
    ledger.effects.release(held.key, newest(ledger, held.key))
    assert ledger.effects.claim(held) == Denied(Unusable("forged"))
    assert ledger.effects.claim(held, permit) == Granted(2)
    assert ledger.approvals.look_up(permit.token, binding()) == Unusable("used", "approve", BOB, held.key)


def test_a_denied_claim_leaves_no_trace(ledger: Ledger) -> None:
    """A claim without a good approval neither blocks the effect nor shows up as one."""
    assert isinstance(ledger.effects.claim(effect(), Permit("made up", BOB)), Denied)
    assert ledger.effects.find([effect().key]) == {}
    assert ledger.effects.claim(effect()) == Granted(1)


def test_a_new_attempt_at_a_held_call_needs_a_new_approval(ledger: Ledger) -> None:
    """The approval of a call that failed is not good for the next proposal of it."""
    first = Permit(ledger.approvals.issue(binding(), requester=ANN, expires=None), BOB)
    assert ledger.effects.claim(effect(held=True), first) == Granted(1)
    ledger.effects.settle(effect().key, newest(ledger, effect().key), "failed", {})
    again = effect(held=True, call_id="new")
    assert ledger.effects.claim(again, first) == Denied(Unusable("other_call"))
    second = Permit(ledger.approvals.issue(again.binding, requester=ANN, expires=None), BOB)
    assert ledger.effects.claim(again, second) == Granted(2)

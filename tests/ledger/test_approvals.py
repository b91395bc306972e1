"""Tokens: each is good for one decision about one call, and tells who took it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TypeAlias

import pytest

from reinforced_agent.ledger import Ledger
from reinforced_agent.ledger.approvals import Binding, Open, Standing, Unusable
from reinforced_agent.ledger.effects import Denied, Granted, Permit
from reinforced_agent.ledger.tables import approvals
from tests.ledger.cases import ANN, BOB, Clock, binding, effect, newest, rows


CAROL = {"id": "carol"}
EDITED, EDITED_OTHERWISE = binding(digest="e" * 64), binding(digest="f" * 64)
Use: TypeAlias = Callable[[Ledger, str], object]


def issue(ledger: Ledger, expires: float | None = None) -> str:
    """Ask about a call."""
    return ledger.approvals.issue(binding(), requester=ANN, expires=expires)


def swap(ledger: Ledger, token: str, new: Binding = EDITED, by: dict[str, object] | None = None) -> str:
    """Edit the call."""
    return ledger.approvals.exchange(token, binding(), new, requester=ANN, by=by or BOB, expires=None)


def decide(decision: str) -> Use:
    """Decide without an effect."""
    return lambda ledger, token: ledger.approvals.spend(token, binding(), decision=decision, by=BOB)


def approve(ledger: Ledger, token: str) -> object:
    """Claim with the token."""
    return ledger.effects.claim(effect(), Permit(token, BOB))


@pytest.mark.parametrize(
    "presented",
    [
        pytest.param(replace(binding(), **{field: "another"}), id=field)
        for field in ("thread", "turn", "call_id", "tool", "digest")
    ],
)
def test_a_token_is_good_for_its_call_alone(ledger: Ledger, presented: Binding) -> None:
    """A token is refused for another thread, turn, call, tool or other arguments, and stays good for its own."""
    token = issue(ledger)
    assert ledger.approvals.look_up(token, presented) == Unusable("other_call")
    assert ledger.approvals.spend(token, presented, decision="reject", by=BOB) == Unusable("other_call")
    assert ledger.approvals.exchange(token, presented, EDITED, requester=ANN, by=BOB, expires=None) == ""
    assert ledger.approvals.look_up(token, binding()) == Open()


@pytest.mark.parametrize(
    "token", ["", "made up", "\0", "\ud800", "x" * 100_000], ids=["empty", "made up", "NUL", "surrogate", "long"]
)
def test_a_token_that_nobody_issued_is_forged(ledger: Ledger, token: str) -> None:
    """A made-up token is refused, whatever it is made of."""
    issue(ledger)
    assert ledger.approvals.look_up(token, binding()) == Unusable("forged")
    assert ledger.approvals.spend(token, binding(), decision="reject", by=BOB) == Unusable("forged")


@pytest.mark.parametrize(
    ("expires", "later", "standing"),
    [
        pytest.param(60, 59, Open(), id="in time"),
        pytest.param(60, 60, Unusable("expired"), id="over"),
        pytest.param(None, 1e9, Open(), id="without end"),
        pytest.param(60, -3600, Open(), id="the clock was set back"),
    ],
)
def test_a_token_expires(ledger: Ledger, clock: Clock, expires: float | None, later: float, standing: Standing) -> None:
    """A token is good until its time is over."""
    token = issue(ledger, expires)
    clock.now += later
    assert ledger.approvals.look_up(token, binding()) == standing
    assert ledger.approvals.spend(token, binding(), decision="reject", by=BOB) == standing


@pytest.mark.parametrize(
    ("use", "decision", "spent_on"),
    [
        pytest.param(approve, "approve", effect().key, id="approve"),
        pytest.param(decide("reject"), "reject", "", id="reject"),
        pytest.param(decide("respond"), "respond", "", id="respond"),
        pytest.param(decide("superseded"), "superseded", "", id="superseded"),
    ],
)
def test_a_token_is_used_once_and_tells_by_whom(ledger: Ledger, use: Use, decision: str, spent_on: str) -> None:
    """After any decision a token is used up, for other decisions too, and names who decided."""
    token = issue(ledger)
    use(ledger, token)
    used = Unusable("used", decision, BOB, spent_on)
    assert ledger.approvals.look_up(token, binding()) == used
    assert ledger.approvals.spend(token, binding(), decision="respond", by=CAROL) == used
    assert swap(ledger, token) == ""
    assert ledger.approvals.look_up(token, binding()) == used


def test_the_token_of_an_effect_is_not_good_for_its_repetition(ledger: Ledger) -> None:
    """A used token claims its own effect again, and no other, not even an equal one."""
    token = issue(ledger)
    assert ledger.effects.claim(effect(), Permit(token, BOB)) == Granted(1)
    ledger.effects.release(effect().key, newest(ledger, effect().key))
    assert ledger.effects.claim(effect(), Permit(token, BOB)) == Granted(2)
    denied = ledger.effects.claim(effect(occurrence=1), Permit(token, BOB))
    assert getattr(denied, "reason", None) == Unusable("used", "approve", BOB, effect().key)


def test_an_edit_moves_the_approval_to_the_edited_call(ledger: Ledger) -> None:
    """The old token is used up, and the new one is good for the edited call alone."""
    token = issue(ledger)
    new = swap(ledger, token)
    standing = ledger.approvals.look_up(token, binding())
    assert isinstance(standing, Unusable)
    assert (standing.fault, standing.decision, standing.by) == ("used", "edit", BOB)
    assert ledger.approvals.look_up(new, EDITED) == Open()
    assert ledger.approvals.look_up(new, binding()) == Unusable("other_call")
    assert approve(ledger, token) == Denied(standing)


def test_the_same_edit_may_be_made_twice(ledger: Ledger) -> None:
    """A step that is taken again gets the token it got before, whatever became of that meanwhile."""
    token = issue(ledger)
    new = swap(ledger, token)
    assert swap(ledger, token) == new
    ledger.approvals.spend(new, EDITED, decision="reject", by=BOB)
    assert swap(ledger, token) == new
    assert getattr(ledger.approvals.look_up(new, EDITED), "decision", "") == "reject"
    assert len(rows(ledger, approvals)) == 2


@pytest.mark.parametrize(
    ("new", "by"),
    [pytest.param(EDITED_OTHERWISE, BOB, id="another edit"), pytest.param(EDITED, CAROL, id="another person")],
)
def test_one_token_gives_one_edit(ledger: Ledger, new: Binding, by: dict[str, object]) -> None:
    """A token that was used for an edit approves no second call."""
    token = issue(ledger)
    assert swap(ledger, token)
    assert swap(ledger, token, new, by) == ""


def test_an_expired_token_can_not_be_edited(ledger: Ledger, clock: Clock) -> None:
    """An edit after the time is over moves nothing."""
    token = issue(ledger, expires=60)
    clock.now += 61
    assert swap(ledger, token) == ""


def test_the_book_holds_no_token_and_all_people(ledger: Ledger, clock: Clock) -> None:
    """Who reads the database can't answer a question, but can see who asked, who decided and when."""
    token = issue(ledger)
    new = swap(ledger, token)
    clock.now += 5
    ledger.approvals.spend(new, EDITED, decision="reject", by={"id": "b\ud800\0b", "roles": ("approver",)})
    stored = rows(ledger, approvals)
    assert not [value for row in stored for value in row.values() if token in str(value) or new in str(value)]
    last = next(row for row in stored if row["digest"] == EDITED.digest)
    assert (last["requester"], last["decided_at"] - last["issued_at"]) == ('{"id": "ann", "roles": ["clerk"]}', 5)
    used = ledger.approvals.look_up(new, EDITED)
    assert getattr(used, "by", None) == {"id": "b\ud800\0b", "roles": ["approver"]}

"""What a person sees of effects whose outcome nobody knows, and what happens when they say what it was."""

from __future__ import annotations

from typing import Any, Literal, cast

import pytest

from reinforced_agent.ledger import Ledger
from reinforced_agent.ledger.effects import Granted, Known, Running, Settlement
from reinforced_agent.ledger.owner import this_owner
from tests.ledger.cases import BOB, ELSEWHERE, Clock, binding, effect, give_away, newest


def lose(ledger: Ledger, **changes: Any) -> str:
    """Claim an effect, and put down that nobody can tell how it ended; return its key."""
    lost = effect(**changes)
    ledger.effects.claim(lost)
    ledger.effects.settle(lost.key, newest(ledger, lost.key), "unknown", {"error": "timed out"})
    return lost.key


def test_unknown_effects_are_listed_with_what_is_needed_to_look_them_up(ledger: Ledger, clock: Clock) -> None:
    """A person sees call, time and what is known, oldest first, and no names of processes."""
    ledger.effects.claim(effect(thread="abandoned"))
    give_away(ledger, until=0)
    clock.now += 10
    lose(ledger, thread="timed out")
    ledger.effects.claim(effect(thread="running"))
    ledger.effects.claim(effect(thread="done"))
    ledger.effects.settle(effect(thread="done").key, newest(ledger, effect(thread="done").key), "committed", {})
    call = {"turn": "turn", "tool": "pay", "digest": "d" * 64, "call_id": "call", "attempt": 1, "status": "unknown"}
    abandoned: dict[str, Any] = {"claimed_at": 1_000_000, "settled_at": None, "outcome": {}}
    timed_out = {"claimed_at": 1_000_010, "settled_at": 1_000_010, "outcome": {"error": "timed out"}}
    assert ledger.effects.unknown() == [
        {"key": effect(thread="abandoned").key, "thread": "abandoned", **call, **abandoned},
        {"key": effect(thread="timed out").key, "thread": "timed out", **call, **timed_out},
    ]


def test_the_list_can_be_of_one_thread(ledger: Ledger) -> None:
    """Unknown effects of other threads are left out on demand."""
    lose(ledger, thread="one")
    key = lose(ledger, thread="two")
    assert [found["key"] for found in ledger.effects.unknown("two")] == [key]
    assert ledger.effects.unknown("three") == []


@pytest.mark.parametrize("status", ["committed", "failed"])
@pytest.mark.parametrize("abandoned", [False, True], ids=["put down as unknown", "abandoned"])
def test_a_person_resolves_an_unknown_effect(
    ledger: Ledger, clock: Clock, status: Literal["committed", "failed"], *, abandoned: bool
) -> None:
    """What a person found out is told from then on, with their name, and the effect leaves the list."""
    ledger.effects.claim(effect())
    if abandoned:
        give_away(ledger, until=0)
    else:
        ledger.effects.settle(effect().key, newest(ledger, effect().key), "unknown", {})
    assert ledger.effects.resolve(effect().key, status, {"content": "seen in the bank"}, BOB)
    told = Known(status, {"content": "seen in the bank", "resolved_by": BOB}, 1)
    assert ledger.effects.claim(effect()) == told
    assert ledger.effects.unknown() == []
    anew = ledger.effects.claim(effect(call_id="new"))
    assert anew == (told if status == "committed" else Granted(2))


@pytest.mark.parametrize("status", ["committed", "failed", "running", "absent", "released"])
def test_only_an_unknown_effect_is_resolved(ledger: Ledger, status: str) -> None:
    """What is known, runs or was never dispatched is not overwritten by a person."""
    key = effect().key
    if status != "absent":
        ledger.effects.claim(effect())
    if status in {"committed", "failed"}:
        ledger.effects.settle(key, newest(ledger, key), cast("Settlement", status), {"content": "its own"})
    if status == "released":
        ledger.effects.release(key, newest(ledger, key))
    before = ledger.effects.find([key])
    assert not ledger.effects.resolve(key, "committed", {"content": "made up"}, BOB)
    assert ledger.effects.find([key]) == before


def test_two_people_resolve_once(ledger: Ledger) -> None:
    """The second answer changes nothing, and is told so."""
    key = lose(ledger)
    assert ledger.effects.resolve(key, "failed", {}, BOB)
    assert not ledger.effects.resolve(key, "committed", {}, {"id": "carol"})
    assert ledger.effects.find([key]) == {key: Known("failed", {"resolved_by": BOB}, 1)}


def test_a_holder_elsewhere_is_unknown_only_after_its_lease(ledger: Ledger, clock: Clock) -> None:
    """A claim on another machine runs until it has given no sign of life for the length of its lease."""
    ledger.effects.claim(effect())
    give_away(ledger, until=clock.now + 30, owner=ELSEWHERE)
    started, clock.now = clock.now, clock.now + 30
    assert ledger.effects.claim(effect()) == Running(started)
    assert ledger.effects.unknown() == []
    clock.now += 1
    assert [found["call_id"] for found in ledger.effects.unknown()] == [binding().call_id]
    assert ledger.effects.claim(effect()) == Known("unknown", {}, 1)


@pytest.mark.parametrize("owner", ["", "nonsense", "a b c d", "a b c d e", " 1  x", "HERE x 1 y", "HERE 1 1"])
def test_an_owner_that_can_not_be_read_is_judged_by_its_lease(ledger: Ledger, clock: Clock, owner: str) -> None:
    """A name of an owner that is none counts as alive until its lease is over."""
    owner = owner.replace("HERE", this_owner().split(" ")[0])
    ledger.effects.claim(effect())
    give_away(ledger, until=clock.now, owner=owner)
    assert ledger.effects.claim(effect()) == Running(clock.now)
    give_away(ledger, until=clock.now - 1, owner=owner)
    assert ledger.effects.claim(effect()) == Known("unknown", {}, 1)


def test_a_clock_that_is_set_back_loses_nobody(ledger: Ledger, clock: Clock) -> None:
    """A holder elsewhere lives longer, not shorter, when the clock goes backwards."""
    ledger.effects.claim(effect())
    give_away(ledger, until=clock.now + 30)
    started, clock.now = clock.now, clock.now - 86_400
    assert ledger.effects.claim(effect()) == Running(started)

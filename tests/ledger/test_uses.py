"""The book of uses: counted by user over all threads, and never beyond an allowance, whoever comes at the same time."""

from __future__ import annotations

import hashlib
from concurrent.futures import ThreadPoolExecutor

from reinforced_agent.ledger import Ledger
from reinforced_agent.ledger.uses import LONGEST_PERIOD, Allowance
from reinforced_agent.tools.names import name_of
from tests.ledger.cases import Clock


ANN, BOB = name_of("", "ann"), name_of("", "bob")
TWO_A_DAY = (Allowance(("pay", "refund"), 2, 86_400),)


def test_uses_count_by_user_and_tools_as_far_back_as_the_allowance_looks(ledger: Ledger, clock: Clock) -> None:
    """Another user, another tool and yesterday don't count; the same key is one use."""
    assert ledger.uses.take("k1", ANN, "pay", TWO_A_DAY)
    assert ledger.uses.take("k1", ANN, "pay", TWO_A_DAY)
    assert ledger.uses.take("k2", ANN, "refund", TWO_A_DAY)
    assert not ledger.uses.take("k3", ANN, "pay", TWO_A_DAY)
    assert ledger.uses.take("k4", BOB, "pay", TWO_A_DAY)
    assert ledger.uses.count(ANN, ["pay"], seconds=86_400) == 1
    ledger.uses.give_back("k2")
    assert ledger.uses.take("k5", ANN, "pay", TWO_A_DAY)
    clock.now += 86_401
    assert ledger.uses.count(ANN, ["pay"], seconds=86_400) == 0


def test_users_of_different_tenants_are_different() -> None:
    """A name is good within its tenant only."""
    assert len({name_of("a", "b"), name_of("ab", ""), name_of("", "ab"), name_of("", "b")}) == 4


def test_a_name_counts_as_one_however_it_is_written(ledger: Ledger) -> None:
    """Writing one's name in capitals gives nobody a second allowance; what was written down as `ann` counts still."""
    assert name_of("Acme ", "Ann ") == name_of("acme", "\uff41nn")
    written_before = hashlib.sha256(b'["", "ann"]').hexdigest()
    assert all(ledger.uses.take(key, written_before, "pay", TWO_A_DAY) for key in ("k1", "k2"))
    assert not ledger.uses.take("k3", name_of("", " ANN"), "pay", TWO_A_DAY)


def test_no_more_is_let_through_than_is_left(ledger: Ledger) -> None:
    """Eight at once, two are let through."""
    with ThreadPoolExecutor(8) as pool:
        taken = list(pool.map(lambda at: ledger.uses.take(f"k{at}", ANN, "pay", TWO_A_DAY), range(8)))
    assert sum(taken) == 2


def test_old_uses_are_forgotten_once_no_quota_counts_them(ledger: Ledger, clock: Clock) -> None:
    """Pruning keeps what a quota of a month still looks at."""
    ledger.uses.take("k1", ANN, "pay", TWO_A_DAY)
    clock.now += LONGEST_PERIOD - 10
    assert ledger.prune(older_than=1) == 0
    clock.now += 20
    assert ledger.prune(older_than=1) == 1

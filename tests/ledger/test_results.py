"""Whole results in the ledger: kept for their conversation, in parts, until they are old."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sqlalchemy import func, select

from reinforced_agent.ledger import Ledger
from reinforced_agent.ledger.result_store import DAY, MemoryResults, ResultStore, WholeResult, reference_of
from reinforced_agent.ledger.results import PART, LedgerResults
from reinforced_agent.ledger.tables import result_parts, results
from tests.ledger.cases import Clock


LONG = "".join(chr(0x4E00 + n % 500) for n in range(3 * PART + 17))


def store_of(ledger: Ledger) -> LedgerResults:
    """Return the store in the database, also where the ledger's own is in memory."""
    return ledger._open().results


def rows(ledger: Ledger) -> tuple[int, int]:
    """Count results and their parts."""
    with ledger._open().database.transaction() as connection:
        counts = [connection.scalar(select(func.count()).select_from(table)) for table in (results, result_parts)]
    return counts[0] or 0, counts[1] or 0


@pytest.mark.parametrize("text", [LONG, "a\x00b\ud800c\\u", ""], ids=["long", "odd-characters", "empty"])
def test_a_result_comes_back_as_it_was(ledger: Ledger, text: str) -> None:
    """Whatever its length and its characters."""
    store = store_of(ledger)
    assert store.keep("t", "r", WholeResult("search", text, len(text) + 5))
    assert store.find("t", "r") == WholeResult("search", text, len(text) + 5)


@pytest.mark.parametrize(("thread", "reference"), [("u", "r"), ("t", "s"), ("", "r"), ("t\0r", "")])
def test_nothing_is_found_elsewhere(ledger: Ledger, thread: str, reference: str) -> None:
    """Thread and reference must both be right."""
    store = store_of(ledger)
    store.keep("t", "r", WholeResult("search", "text", 4))
    assert store.find(thread, reference) is None


def test_an_equal_result_is_kept_once_and_longer(ledger: Ledger, clock: Clock) -> None:
    """Keeping it again makes it young again."""
    store = store_of(ledger)
    for _ in range(3):
        store.keep("t", "r", WholeResult("search", LONG, len(LONG)))
        clock.now += 5 * DAY
    assert rows(ledger) == (1, 4)
    assert store.find("t", "r") is not None


def test_old_results_go_when_new_ones_come(ledger: Ledger, clock: Clock) -> None:
    """What is older than a week is neither found nor kept."""
    store = store_of(ledger)
    store.keep("t", "old", WholeResult("search", LONG, len(LONG)))
    clock.now += 8 * DAY
    assert store.find("t", "old") is None
    store.keep("t", "new", WholeResult("search", "new", 3))
    assert rows(ledger) == (1, 1)


def test_pruning_lets_results_go(ledger: Ledger, clock: Clock) -> None:
    """They count among what is deleted."""
    store_of(ledger).keep("t", "r", WholeResult("search", LONG, len(LONG)))
    clock.now += 100
    assert ledger.prune(older_than=200) == 0
    assert ledger.prune(older_than=50) == 1
    assert rows(ledger) == (0, 0)


def test_several_workers_read_the_same_results(shared_address: str) -> None:
    """What one ledger kept, another one on the same database finds."""
    first, second = Ledger.open(shared_address), Ledger.open(shared_address)
    first.results.keep("t", "r", WholeResult("search", "text", 4))
    found = second.results.find("t", "r")
    for ledger in (first, second):
        ledger.close()
    assert found == WholeResult("search", "text", 4)


def test_a_ledger_in_memory_keeps_results_in_bounds() -> None:
    """They stay with the ledger, and never fill the memory."""
    ledger = Ledger()
    assert isinstance(ledger.results, MemoryResults)
    assert ledger.results is ledger.results


def test_memory_lets_go_of_what_was_not_used_for_longest() -> None:
    """Bytes are bounded."""
    store = MemoryResults(most_bytes=2_500)
    for name in ("a", "b"):
        assert store.keep("t", name, WholeResult("x", "y" * 1_000, 1_000))
    assert store.find("t", "a") is not None
    assert store.keep("t", "c", WholeResult("x", "y" * 1_000, 1_000))
    assert [store.find("t", name) is not None for name in "abc"] == [True, False, True]
    assert not store.keep("t", "huge", WholeResult("x", "y" * 3_000, 3_000))


def test_memory_lets_go_of_what_is_old() -> None:
    """Age is bounded."""
    clock = Clock()
    store = MemoryResults(max_age=10, clock=lambda: clock.now)
    store.keep("t", "a", WholeResult("x", "y", 1))
    clock.now += 11
    assert store.find("t", "a") is None
    assert store._bytes == 0


@pytest.mark.parametrize("bounds", [{"most_bytes": 0}, {"max_age": -1.0}])
def test_memory_without_room_is_refused(bounds: dict[str, float]) -> None:
    """A bound of nothing is a mistake."""
    with pytest.raises(ValueError, match="more than 0"):
        MemoryResults(**bounds)  # type: ignore[arg-type]


@settings(max_examples=30)
@given(thread=st.text(), tool=st.text(), text=st.text())
def test_a_reference_depends_on_conversation_tool_and_text(thread: str, tool: str, text: str) -> None:
    """The same result of another tool or conversation has another name."""
    own = reference_of(thread, tool, text)
    assert own == reference_of(thread, tool, text)
    assert own not in {reference_of(f"{thread}x", tool, text), reference_of(thread, f"{tool}x", text)}


def test_both_stores_fit_the_protocol(ledger: Ledger) -> None:
    """A host may give either, or its own."""
    assert isinstance(store_of(ledger), ResultStore)
    assert isinstance(MemoryResults(), ResultStore)

"""The cost of writing things down is reported."""

from __future__ import annotations

from benchmarks.bench.costs import bench_ledger, bench_recording


def test_the_cost_of_records_is_a_small_share_of_a_run() -> None:
    """Each sink has its time, and making the records is compared with the run it belongs to."""
    found = bench_recording(rounds=5)
    assert set(found) == {"records_us", "log_us", "sql_us", "share"}
    assert 0 < found["share"] < 1


def test_the_cost_of_an_effect_is_told_for_memory_and_disk() -> None:
    """A claim and its outcome take some time in memory, and some on the disk."""
    found = bench_ledger(rounds=5)
    assert found.keys() == {"memory_us", "sqlite_us"}
    assert all(value > 0 for value in found.values())

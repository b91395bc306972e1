"""The benchmark of long results runs and reports what it promises."""

from __future__ import annotations

from benchmarks.bench.sizes import bench_results
from benchmarks.bench.turns import bench_stored, bench_turns


def test_the_benchmark_reports_its_numbers() -> None:
    """Every piece of work took some time."""
    found = bench_results(rounds=1)
    assert set(found) == {"write_ms", "preview_ms", "page_ms", "search_ms"}
    assert all(value > 0 for value in found.values())


def test_the_benchmark_of_long_conversations_reports_its_numbers() -> None:
    """A turn of a long conversation takes longer, which is told as it is."""
    found = bench_turns(rounds=1, before=(1, 20))
    assert {"after_1_ms", "after_20_ms", "growth"} <= set(found)
    assert all(value > 0 for value in found.values())


def test_the_benchmark_of_stored_threads_reports_its_numbers() -> None:
    """The file has a size, and a turn takes time."""
    found = bench_stored(turns=20)
    assert set(found) == {"turns", "mb", "ms", "growth"}
    assert all(value > 0 for value in found.values())

"""The benchmark of long results runs and reports what it promises."""

from __future__ import annotations

from reinforced_agent.evaluation.sizes import bench_results


def test_the_benchmark_reports_its_numbers() -> None:
    """Every piece of work took some time."""
    found = bench_results(rounds=1)
    assert set(found) == {"write_ms", "preview_ms", "page_ms", "search_ms"}
    assert all(value > 0 for value in found.values())

"""The fuzz and the benchmarks run and report what they promise."""

from __future__ import annotations

from benchmarks.bench.bench import bench_checks, bench_graph
from benchmarks.bench.tokens import bench_tokens
from benchmarks.fuzz.fuzz import fuzz, fuzz_side_by_side


def test_hostile_proposals_do_no_harm() -> None:
    """No exception, no call with another meaning; some are read and some refused."""
    found = fuzz(300)
    assert (found["exceptions"], found["wrong"], found["failures"]) == (0, 0, [])
    assert found["accepted"] > 0
    assert found["refused"] > 0
    assert found["accepted"] + found["refused"] == found["proposals"]


def test_shares_are_added_up() -> None:
    """Two processes do the work of one, with seeds of their own."""
    found = fuzz_side_by_side(60)
    assert found["proposals"] == sum(found["mutations"].values()) >= 60


def test_the_benchmarks_report_their_numbers() -> None:
    """Quantiles for each number of tools, and ratios for the graph."""
    checks = bench_checks(rounds=50)
    assert list(checks) == ["tools_10", "tools_100", "tools_1000"]
    assert all(0 < found["p50_us"] <= found["p99_us"] for found in checks.values())
    assert {"vs_bare", "vs_create_agent", "ms"} <= set(bench_graph(rounds=2))


def test_the_first_token_is_timed_beside_its_server_and_create_agent() -> None:
    """Each answer is one stream; what is told are ratios of one run."""
    assert set(bench_tokens(rounds=1)) == {"ms", "vs_server", "vs_create_agent"}

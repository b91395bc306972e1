"""The benchmark of guided decoding runs and reports what it promises."""

from __future__ import annotations

import pytest

from benchmarks.bench.masks import bench_masks


def test_the_benchmark_reports_its_numbers() -> None:
    """A mask costs something, and a kept grammar costs less than a new one."""
    found = bench_masks(rounds=1)
    if found is None:
        pytest.skip("the embedded model is not installed")
    assert all(value > 0 for value in found.values())
    assert found["again_us"] < found["compile_us"]

"""The exact McNemar test and the bootstrap, with the cases in which they have nothing to say."""

from __future__ import annotations

from math import comb, isfinite

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reinforced_agent.evaluation.metrics.cases import ComparedCase
from reinforced_agent.evaluation.metrics.comparison import TableOfFour
from reinforced_agent.evaluation.metrics.significance import bootstrap, lift_interval, mcnemar


def table(helped: int, harmed: int, *, same: int = 0) -> TableOfFour:
    """Write a table by what changed; what didn't has no say."""
    return TableOfFour(kept=same, harmed=harmed, helped=helped, unmended=same)


@pytest.mark.parametrize(
    ("helped", "harmed", "p"),
    [
        # Two-sided: twice the chance of at most min(helped, harmed) heads in helped + harmed throws, at most 1.
        pytest.param(5, 0, 2 * 1 / 32, id="5 to 0: 2·1/32"),
        pytest.param(0, 5, 2 * 1 / 32, id="0 to 5: the same the other way"),
        pytest.param(8, 2, 2 * (1 + 10 + 45) / 1024, id="8 to 2: 2·(1 + 10 + 45)/1024"),
        pytest.param(1, 0, 1.0, id="1 to 0: 2·1/2"),
        pytest.param(4, 4, 1.0, id="4 to 4: nothing to choose between"),
    ],
)
def test_p_is_the_one_computed_by_hand(helped: int, harmed: int, p: float) -> None:
    """From the binomial coefficients beside each case."""
    found = mcnemar(table(helped, harmed, same=50))
    assert found.value == pytest.approx(p)
    assert found.n == helped + harmed


@pytest.mark.parametrize(
    ("same", "why"), [pytest.param(0, "there are no cases", id="empty"), pytest.param(9, "no case changed", id="equal")]
)
def test_where_nothing_changed_there_is_no_p(same: int, why: str) -> None:
    """The reason tells an empty table from one without changes."""
    found = mcnemar(table(0, 0, same=same))
    assert (found.value, found.reason) == (None, why)


@given(st.integers(0, 60), st.integers(0, 60))
def test_p_agrees_with_the_sum_of_binomial_coefficients(helped: int, harmed: int) -> None:
    """For every split, and the same for its mirror."""
    n = helped + harmed
    if n == 0:
        return
    tail = sum(comb(n, k) for k in range(min(helped, harmed) + 1)) / 2**n
    assert mcnemar(table(helped, harmed)).value == pytest.approx(min(1.0, 2 * tail))
    assert mcnemar(table(helped, harmed)).value == mcnemar(table(harmed, helped)).value


@pytest.mark.parametrize("method", ["percentile", "BCa"])
def test_the_interval_holds_the_mean_and_equal_seeds_agree(method: str) -> None:
    """10 helped, 4 harmed, 86 unchanged: the lift is 6 of 100."""
    values = [1.0] * 10 + [-1.0] * 4 + [0.0] * 86
    found = bootstrap(values, method=method, seed=7)  # type: ignore[arg-type]
    assert found.value == pytest.approx(0.06)
    assert found.low is not None
    assert found.high is not None
    # The normal interval is 0.06 ± 1.96·√((0.14 - 0.0036)/100) = 0.06 ± 0.0724.
    assert found.low == pytest.approx(-0.0124, abs=0.015)
    assert found.high == pytest.approx(0.1324, abs=0.015)
    assert found == bootstrap(values, method=method, seed=7)  # type: ignore[arg-type]


def test_cases_are_turned_into_their_change() -> None:
    """Helped, harmed and two unchanged ones: a lift of 0 with an interval around it."""
    pairs = [(False, True), (True, False), (True, True), (False, False)]
    found = lift_interval(ComparedCase(id="c", base_right=base, after_right=after) for base, after in pairs)
    assert (found.value, found.n) == (0.0, 4)
    assert found.low is not None
    assert found.high is not None
    assert found.low < 0 < found.high


@pytest.mark.parametrize(
    ("values", "mean", "why"),
    [
        pytest.param([], None, "no cases", id="none"),
        pytest.param([1.0], 1.0, "one case", id="one"),
        pytest.param([0.0] * 20, 0.0, "all cases are equal", id="equal"),
        pytest.param([1.0] * 3, 1.0, "all cases are equal", id="all helped"),
    ],
)
def test_what_does_not_vary_has_no_interval(values: list[float], mean: float | None, why: str) -> None:
    """And says why, instead of claiming certainty."""
    found = bootstrap(values)
    assert (found.value, found.low, found.high) == (mean, None, None)
    assert why in found.reason


@settings(max_examples=25)
@given(st.lists(st.sampled_from([-1.0, 0.0, 1.0]), min_size=2, max_size=40))
def test_no_interval_holds_anything_but_numbers(values: list[float]) -> None:
    """Also for the odd samples in which the correction for skew isn't defined."""
    found = bootstrap(values)
    assert found.value == pytest.approx(sum(values) / len(values))
    if found.low is None or found.high is None:
        assert found.reason
        return
    assert isfinite(found.low)
    assert isfinite(found.high)
    assert -1 <= found.low <= found.high <= 1

"""Shares and their Wilson intervals, against values computed by hand."""

from __future__ import annotations

from math import isfinite

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reinforced_agent.evaluation.metrics.shares import Number, share, wilson


@pytest.mark.parametrize(
    ("part", "total", "low", "high"),
    [
        # z² = 1.959964² = 3.841459. 8 of 10: weight 0.3841459, middle 0.8 + 0.19207295 = 0.99207295,
        # reach 1.959964·√(0.8·0.2/10 + 0.3841459/40) = 1.959964·√0.0256036475 = 0.31361540,
        # so (0.99207295 - 0.31361540)/1.3841459 = 0.490163 and (0.99207295 + 0.31361540)/1.3841459 = 0.943318.
        pytest.param(8, 10, 0.490163, 0.943318, id="8 of 10"),
        # 0 of 10: middle and reach are both 0.19207295; the upper end is z²/(n + z²) = 3.841459/13.841459.
        pytest.param(0, 10, 0.0, 0.277533, id="none"),
        pytest.param(10, 10, 0.722467, 1.0, id="all: the mirror of none"),
        # 1 of 1: the lower end is 1/(1 + 3.841459).
        pytest.param(1, 1, 0.206549, 1.0, id="a single one"),
    ],
)
def test_the_interval_is_the_one_computed_by_hand(part: int, total: int, low: float, high: float) -> None:
    """Six digits, worked out beside each case."""
    assert wilson(part, total) == pytest.approx((low, high), abs=1e-6)


def test_a_share_carries_its_count_and_interval() -> None:
    """3 of 12 are a quarter."""
    found = share(3, 12)
    assert (found.value, found.n, found.reason) == (0.25, 12, "")
    assert found.low is not None
    assert found.high is not None
    assert found.low < 0.25 < found.high


def test_a_share_of_nothing_has_a_reason_in_place_of_a_value() -> None:
    """No division by zero, and no number that isn't one."""
    assert share(0, 0, of="base errors") == Number(value=None, n=0, reason="there are no base errors")
    assert share(0, 0, of="runs").as_json() == {"value": None, "n": 0, "reason": "there are no runs"}


@pytest.mark.parametrize(
    ("part", "total", "confidence"),
    [
        pytest.param(3, 2, 0.95, id="more than all"),
        pytest.param(-1, 2, 0.95, id="less than none"),
        pytest.param(0, 0, 0.95, id="of nothing"),
        pytest.param(1, 0, 0.95, id="one of nothing"),
        pytest.param(1, 2, 1.0, id="certainty"),
        pytest.param(1, 2, 0.0, id="no confidence"),
    ],
)
def test_what_is_no_share_is_refused(part: int, total: int, confidence: float) -> None:
    """Instead of an interval that means nothing."""
    with pytest.raises(ValueError, match=r"no share|is none"):
        wilson(part, total, confidence=confidence)


def test_written_down_a_share_keeps_six_digits() -> None:
    """As plain data for JSON."""
    assert share(1, 3).as_json() == {"value": 0.333333, "n": 3, "low": 0.061492, "high": 0.79234}


@given(total=st.integers(1, 10_000), data=st.data(), confidence=st.floats(0.01, 0.999))
def test_the_interval_holds_the_share_and_stays_between_0_and_1(
    total: int, data: st.DataObject, confidence: float
) -> None:
    """For every count and confidence."""
    part = data.draw(st.integers(0, total))
    low, high = wilson(part, total, confidence=confidence)
    assert isfinite(low)
    assert isfinite(high)
    assert 0 <= low <= part / total + 1e-12
    assert part / total - 1e-12 <= high <= 1


@given(total=st.integers(1, 2_000), data=st.data())
def test_the_interval_of_the_rest_is_the_mirror(total: int, data: st.DataObject) -> None:
    """What is flagged and what is not tell the same."""
    part = data.draw(st.integers(0, total))
    low, high = wilson(part, total)
    assert wilson(total - part, total) == pytest.approx((1 - high, 1 - low), abs=1e-9)

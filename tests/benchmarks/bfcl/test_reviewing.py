"""Whether a reviewer is worth it, by hand-made cases."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.bfcl.reviewing import Worth, worth_of
from reinforced_agent.evaluation.metrics.cases import ComparedCase


def weighed(*, kept: int = 0, harmed: int = 0, helped: int = 0, unmended: int = 0) -> Worth:
    """Weigh a table of four."""
    counts = {(True, True): kept, (True, False): harmed, (False, True): helped, (False, False): unmended}
    return worth_of(
        ComparedCase(id=f"{before}-{after}-{number}", base_right=before, after_right=after)
        for (before, after), count in counts.items()
        for number in range(count)
    )


@pytest.mark.parametrize(
    ("table", "ruling", "said"),
    [
        pytest.param({}, "no cases", "Nothing is known", id="nothing"),
        pytest.param(
            {"kept": 800, "helped": 60, "unmended": 130, "harmed": 10},
            "it pays",
            "It pays: mended 60 of 190 wrong, spoilt 10 of 810 right.",
            id="pays",
        ),
        pytest.param(
            {"kept": 80, "helped": 4, "unmended": 14, "harmed": 2},
            "not shown yet",
            "Not shown to pay yet: mended 4 of 18 wrong, spoilt 2 of 82 right; such a gain would show after about",
            id="too-few",
        ),
        pytest.param(
            {"kept": 749, "helped": 56, "unmended": 95, "harmed": 100},
            "leave it off",
            "Leave it off: mended 56 of 151 wrong, spoilt 100 of 849 right; it would pay from an error rate of 24.1% "
            "on, and here it is 15.1%.",
            id="harms-more",
        ),
        pytest.param(
            {"kept": 95, "helped": 1, "unmended": 3, "harmed": 1},
            "leave it off",
            "it would pay from an error rate of 4.0% on, and here it is 4.0%.",
            id="even",
        ),
        pytest.param({"kept": 9, "unmended": 1}, "leave it off", "mended 0 of 1 wrong", id="changes-nothing"),
        pytest.param({"kept": 9, "harmed": 1}, "leave it off", "spoilt 1 of 10 right.", id="only-harm"),
    ],
)
def test_the_break_even_decides(table: Any, ruling: str, said: str) -> None:
    """It pays where the whole interval of e·f - (1-e)·b is above zero, and is left off where there is no gain."""
    worth = weighed(**table)
    assert worth.ruling == ruling
    assert said in worth.sentence


COUNTS = st.integers(0, 200)


@given(COUNTS, COUNTS, COUNTS, COUNTS)
def test_the_numbers_agree_with_each_other(kept: int, harmed: int, helped: int, unmended: int) -> None:
    """The net gain is e·f - (1-e)·b, lies within its interval, and has the sign that the break-even says."""
    worth = weighed(kept=kept, harmed=harmed, helped=helped, unmended=unmended)
    net, errors = worth.net, worth.errors.value
    if net.value is None or errors is None or net.low is None or net.high is None:
        assert worth.table.n == 0
        return
    fixed, broke = worth.fixed.value or 0.0, worth.broke.value or 0.0
    assert net.value == pytest.approx(errors * fixed - (1 - errors) * broke)
    assert -1 <= net.low <= net.high <= 1
    if (threshold := worth.break_even.value) is not None and abs(net.value) > 1e-9:
        assert (errors > threshold) is (net.value > 0)


@given(st.integers(1, 60), st.integers(0, 60), st.integers(0, 300))
def test_after_the_cases_that_are_needed_the_gain_is_shown(helped: int, harmed: int, rest: int) -> None:
    """With the same shares and a little more than as many cases as named, the interval leaves zero out."""
    worth = weighed(kept=rest, harmed=harmed, helped=helped)
    if worth.needed is None:
        assert worth.ruling != "not shown yet"
        return
    times = -(-worth.needed * 12 // (10 * worth.table.n)) + 1
    assert weighed(kept=rest * times, harmed=harmed * times, helped=helped * times).ruling == "it pays"

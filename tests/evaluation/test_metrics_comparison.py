"""The table of four and what is made from it, against tables computed by hand."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reinforced_agent.evaluation.metrics.cases import ComparedCase
from reinforced_agent.evaluation.metrics.comparison import (
    TableOfFour,
    break_even,
    by_layer,
    harmfulness,
    helpfulness,
    net_lift,
    table_of_four,
)


def case(base: str, after: str, *layers: str) -> ComparedCase:
    """Write a case as `+` for right and `-` for wrong, without and with the layers."""
    return ComparedCase(id="c", base_right=base == "+", after_right=after == "+", layers=layers)


# 20 cases: 10 stay right, 2 are spoilt, 5 are mended, 3 stay wrong. So 12 are right without and 15 with the layers.
CASES = [
    *[case("+", "+")] * 9,
    case("+", "+", "reviewer"),
    case("+", "-", "reviewer"),
    case("+", "-", "arguments", "reviewer"),
    *[case("-", "+", "arguments")] * 4,
    case("-", "+", "routing", "arguments"),
    *[case("-", "-")] * 2,
    case("-", "-", "routing"),
]
TABLE = TableOfFour(kept=10, harmed=2, helped=5, unmended=3)
EMPTY = table_of_four([])


def test_cases_fall_into_four_cells() -> None:
    """Right or wrong without the layers, by right or wrong with them."""
    table = table_of_four(CASES)
    assert table == TABLE
    assert (table.n, table.base_right, table.base_wrong) == (20, 12, 8)
    assert table.as_json() == {"kept": 10, "harmed": 2, "helped": 5, "unmended": 3}


def test_the_numbers_are_those_computed_by_hand() -> None:
    """Helpfulness 5/8, harmfulness 2/12, net lift 15/20 - 12/20 = 3/20."""
    assert helpfulness(TABLE).value == 5 / 8
    assert harmfulness(TABLE).value == 2 / 12
    assert net_lift(TABLE).value == pytest.approx(0.75 - 0.6)
    # Break-even: (1/6) / (5/8 + 1/6) = (4/24) / (19/24) = 4/19 = 21.05% errors.
    assert break_even(TABLE).value == pytest.approx(4 / 19)


def test_at_the_break_even_error_rate_nothing_is_gained() -> None:
    """With 4 errors in 19 calls, help mends 4·5/8 = 2.5 of them and harm spoils 15·1/6 = 2.5 others."""
    rate = break_even(TABLE).value
    assert rate is not None
    assert rate * 5 / 8 == pytest.approx((1 - rate) * 2 / 12)


def test_every_layer_answers_for_the_cases_it_objected_in() -> None:
    """Arguments: 5 of 8 mended, 1 of 12 spoilt; routing: 1 of 8; reviewer: 2 of 12 spoilt."""
    found = {name: (e.helpfulness.value, e.harmfulness.value) for name, e in by_layer(CASES).items()}
    assert found == {
        "arguments": (5 / 8, 1 / 12),
        "reviewer": (0.0, 2 / 12),
        "routing": (1 / 8, 0.0),
    }


def test_a_layer_is_counted_once_a_case() -> None:
    """Two objections of one layer on the way mend one error."""
    effect = by_layer([case("-", "+", "arguments", "arguments"), case("-", "-")])["arguments"]
    assert effect.helpfulness.value == 0.5
    assert effect.as_json()["harmfulness"] == {"value": None, "n": 0, "reason": "there are no right cases"}


@pytest.mark.parametrize(
    ("table", "missing"),
    [
        pytest.param(EMPTY, "base errors", id="no cases"),
        pytest.param(TableOfFour(kept=3, harmed=1, helped=0, unmended=0), "base errors", id="no errors"),
        pytest.param(TableOfFour(kept=0, harmed=0, helped=1, unmended=2), "right cases", id="nothing right"),
        pytest.param(TableOfFour(kept=3, harmed=0, helped=0, unmended=2), "no case changed", id="nothing changed"),
    ],
)
def test_without_errors_or_changes_there_is_no_break_even(table: TableOfFour, missing: str) -> None:
    """The reason says which part of the equation is missing."""
    found = break_even(table)
    assert found.value is None
    assert missing in found.reason


def test_of_no_cases_every_number_says_why_it_is_missing() -> None:
    """None of them is 0, and none of them is not a number."""
    for found in (helpfulness(EMPTY), harmfulness(EMPTY), net_lift(EMPTY)):
        assert (found.value, found.n) == (None, 0)
        assert found.reason.startswith("there are no ")
    assert by_layer([]) == {}


@given(st.lists(st.tuples(st.booleans(), st.booleans())))
def test_the_lift_is_what_accuracy_gains(pairs: list[tuple[bool, bool]]) -> None:
    """Whatever the cases: accuracy with the layers less accuracy without."""
    cases = [ComparedCase(id=str(n), base_right=base, after_right=after) for n, (base, after) in enumerate(pairs)]
    table = table_of_four(cases)
    assert table.n == len(pairs)
    gained = sum(after for _, after in pairs) - sum(base for base, _ in pairs)
    assert table.helped - table.harmed == gained
    assert net_lift(table).value == (gained / len(pairs) if pairs else None)


@given(st.integers(0, 99), st.integers(0, 99), st.integers(0, 99), st.integers(0, 99))
def test_below_break_even_layers_harm_and_above_they_help(kept: int, harmed: int, helped: int, unmended: int) -> None:
    """The sign of the lift agrees with the base error rate on either side of it."""
    table = TableOfFour(kept=kept, harmed=harmed, helped=helped, unmended=unmended)
    edge, lift = break_even(table).value, net_lift(table).value
    if edge is None or lift is None:
        return
    assert 0 <= edge <= 1
    # Multiplied out, so that rounding can't turn a tie into a difference.
    over = table.base_wrong / table.n - edge
    assert (over > 1e-9) == (table.helped > table.harmed) or abs(over) <= 1e-9
    assert (over < -1e-9) == (table.helped < table.harmed) or abs(over) <= 1e-9

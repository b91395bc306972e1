"""The canonical call and its fingerprint."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reinforced_agent.tools.call import Call, digest


def test_the_fingerprint_sees_tool_and_arguments_only() -> None:
    """Ids, repairs and the order of keys don't change it."""
    one = Call("c1", "pay", {"to": "ann", "sum": 3}, ("fence",))
    two = Call("c2", "pay", {"sum": 3, "to": "ann"})
    assert one.digest == two.digest


@pytest.mark.parametrize(
    ("one", "other"),
    [
        pytest.param({"sum": 5}, {"sum": 5.0}, id="whole"),
        pytest.param({"sum": 0}, {"sum": -0.0}, id="zero"),
        pytest.param({"list": [{"n": 2}]}, {"list": [{"n": 2.0}]}, id="nested"),
    ],
)
def test_the_same_number_has_the_same_fingerprint(one: dict[str, Any], other: dict[str, Any]) -> None:
    """A payment of 5 and one of 5.0 are the same payment."""
    assert digest("pay", one) == digest("pay", other)


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        pytest.param("Pay", {"sum": 3}, id="tool"),
        pytest.param("pay", {"sum": 4}, id="value"),
        pytest.param("pay", {"sum": "3"}, id="type"),
        pytest.param("pay", {"sums": 3}, id="key"),
        pytest.param("pay", {"sum": [3]}, id="shape"),
        pytest.param("pay", {"sum": True}, id="truth"),
        pytest.param("pay", {"sum": 3.5}, id="fraction"),
    ],
)
def test_any_difference_changes_the_fingerprint(tool: str, arguments: dict[str, object]) -> None:
    """Two calls that could act differently never share a fingerprint."""
    assert digest(tool, arguments) != digest("pay", {"sum": 3})  # type: ignore[arg-type]


@given(st.text())
def test_any_text_has_a_fingerprint(text: str) -> None:
    """Even a lone surrogate doesn't raise."""
    assert len(digest("pay", {"memo": text + "\ud800"})) == 64

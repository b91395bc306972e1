"""The canonical call and its fingerprint."""

from __future__ import annotations

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
    ("tool", "arguments"),
    [
        pytest.param("Pay", {"sum": 3}, id="tool"),
        pytest.param("pay", {"sum": 4}, id="value"),
        pytest.param("pay", {"sum": "3"}, id="type"),
        pytest.param("pay", {"sums": 3}, id="key"),
        pytest.param("pay", {"sum": [3]}, id="shape"),
    ],
)
def test_any_difference_changes_the_fingerprint(tool: str, arguments: dict[str, object]) -> None:
    """Two calls that could act differently never share a fingerprint."""
    assert digest(tool, arguments) != digest("pay", {"sum": 3})  # type: ignore[arg-type]


@given(st.text())
def test_any_text_has_a_fingerprint(text: str) -> None:
    """Even a lone surrogate doesn't raise."""
    assert len(digest("pay", {"memo": text + "\ud800"})) == 64

"""Results as text for the model, within a size."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel

from reinforced_agent.tools.results import as_text, cut, write


class Model(BaseModel):
    """A Pydantic result."""

    name: str


@dataclass
class Data:
    """A dataclass result."""

    day: date


@pytest.mark.parametrize(
    ("value", "text"),
    [
        pytest.param("plain", "plain", id="text"),
        pytest.param(None, "", id="nothing"),
        pytest.param({"name": "Zürich"}, '{"name": "Zürich"}', id="real-characters"),
        pytest.param([1, 2.5, True], "[1, 2.5, true]", id="list"),
        pytest.param(Model(name="a"), '{"name": "a"}', id="model"),
        pytest.param(Data(date(2026, 12, 1)), '{"day": "2026-12-01"}', id="dataclass"),
        pytest.param(b"\x00\x01", "[2 bytes of binary data]", id="bytes"),
        pytest.param({1}, "[1]", id="set"),
    ],
)
def test_a_result_becomes_text(value: Any, text: str) -> None:
    """Strings stay; everything else becomes JSON that a model can read."""
    assert as_text(value) == text


def test_what_has_no_json_form_is_named_with_its_place() -> None:
    """A result with strange parts is written all the same, and each of them is told."""
    value = {"rows": [{"ok": 1, "session": object()}], "price": Decimal("1.10"), "mean": float("nan")}
    written = write(value)
    assert json.loads(written.text) == {
        "rows": [{"ok": 1, "session": "[object of type object]"}],
        "price": "1.10",
        "mean": "nan",
    }
    assert written.unwritable == ("rows.0.session: object",)
    assert written.not_finite == ("mean",)


def test_a_result_that_holds_itself_is_named_as_a_whole() -> None:
    """What can't be written at all has a text, too."""
    ring: list[Any] = []
    ring.append(ring)
    assert write(ring).unwritable == ("result: list",)


def test_a_long_text_keeps_head_and_tail() -> None:
    """What is left out is said between what is shown."""
    text = "a" * 500 + "z" * 500
    short = cut(text, tokens=50, notice="[{length} characters, {shown} shown]")
    assert short.startswith("a" * 150)
    assert short.endswith("z" * 50)
    assert "[1000 characters, 200 shown]" in short


@given(st.text(max_size=200))
def test_a_text_within_the_size_is_untouched(text: str) -> None:
    """Nothing changes below the bound, or without one."""
    assert cut(text, tokens=50, notice="") == text
    assert cut(text, tokens=None, notice="") == text

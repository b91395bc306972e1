"""Results as text for the model."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from typing import Any

import pytest
from pydantic import BaseModel

from reinforced_agent.tools.results import as_text, write


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

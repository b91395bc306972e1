"""The demo tools: real behaviour without a network."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reinforced_agent.tools.demo import Shop, demo_toolset
from reinforced_agent.tools.demo.calculator import calculate


def run(folder: Path, name: str, arguments: dict[str, Any]) -> Any:
    """Run a demo tool."""
    spec = demo_toolset(folder)[name]
    assert spec.run is not None
    return spec.run(arguments)


def test_weather_is_labelled_as_sample_data(tmp_path: Path) -> None:
    """Nobody can take the figures for measurements."""
    found = run(tmp_path, "get_weather", {"city": "oslo", "date": "2026-12-01"})
    assert (found["city"], found["source"]) == ("Oslo", "sample climate data")
    assert found["low_c"] < found["high_c"]


def test_a_city_without_a_station_is_refused_with_the_nearest(tmp_path: Path) -> None:
    """A misspelt city is not guessed, but the right one is named."""
    validate = demo_toolset(tmp_path)["get_weather"].validate
    assert validate is not None
    with pytest.raises(ValueError, match="`Oslo`"):
        validate({"city": "Osllo", "date": "2026-12-01"})


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("17 * 23", 391),
        ("90 / 4", 22.5),
        ("(3 + 4) * -2", -14),
        ("2 ** 10", 1024),
        ("7 // 2 + 7 % 2", 4),
        ("0.1 + 0.2", 0.3),
    ],
)
def test_arithmetic_is_right(expression: str, value: float) -> None:
    """Numbers and operators give what they should."""
    assert calculate.run is not None
    assert calculate.run({"expression": expression})["value"] == value


@pytest.mark.parametrize(
    "expression",
    [
        "__import__('os')",
        "1 if 1 else 2",
        "9 ** 9 ** 9",
        "1 / 0",
        "(1).real",
        "'a' * 3",
        "True + 1",
        "1 +",
        "0 ** -1",
        "2 ^ 8",
    ],
)
def test_anything_but_arithmetic_is_refused(expression: str) -> None:
    """No code runs, nothing grows without bound, and the reason is given."""
    assert calculate.run is not None
    with pytest.raises(ValueError, match=r"`expression`|write \*\*"):
        calculate.run({"expression": expression})


@given(st.text(max_size=60))
def test_no_text_breaks_the_calculator(text: str) -> None:
    """Whatever is sent, the answer is a number or a ValueError."""
    assert calculate.run is not None
    try:
        calculate.run({"expression": text or "1"})
    except ValueError:
        return


def test_orders_are_found_by_number_customer_and_status(tmp_path: Path) -> None:
    """The shop answers from its database."""
    assert run(tmp_path, "get_order", {"order_id": "A-1003"})["customer"] == "Hill School"
    found = run(tmp_path, "search_orders", {"customer": "bakery", "status": "open"})
    assert [order["order_id"] for order in found["orders"]] == ["A-1007"]
    with pytest.raises(LookupError, match="A-1001"):
        run(tmp_path, "get_order", {"order_id": "A-9999"})


def test_the_snapshot_serves_while_the_database_is_down(tmp_path: Path) -> None:
    """An outage stops the live look-up, not its stand-in; afterwards the shop opens again."""
    toolset, shop = demo_toolset(tmp_path), Shop(tmp_path)
    live, stand_in = toolset["get_order"].run, toolset["get_order_from_snapshot"].run
    assert live is not None
    assert stand_in is not None
    shop.close_down()
    with pytest.raises(sqlite3.OperationalError):
        live({"order_id": "A-1003"})
    assert stand_in({"order_id": "A-1003"})["as_of"] == "last night's snapshot"
    shop.open_for_business()
    assert live({"order_id": "A-1003"})["status"] == "shipped"


def test_a_message_lands_in_the_outbox(tmp_path: Path) -> None:
    """Sending appends one line to the file."""
    message = {"to": "ann@example.org", "subject": "Hi", "body": "Grüße"}
    run(tmp_path, "send_email", message)
    assert json.loads((tmp_path / "outbox.jsonl").read_text(encoding="utf-8")) == message

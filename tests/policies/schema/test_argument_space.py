"""Space around a value that can have none."""

from __future__ import annotations

from typing import Any

import pytest

from reinforced_agent.tools.call import JSON
from tests.policies.schema.workbench import accepted, tool


WHOLE = {"type": "integer"}
DATE = {"type": "string", "format": "date"}


@pytest.mark.parametrize(
    ("field", "sent", "canonical", "repairs"),
    [
        pytest.param(WHOLE, " 5 ", 5, ("space_stripped", "number_from_text"), id="whole-number"),
        pytest.param({"type": "number"}, "0.5\n", 0.5, ("space_stripped", "number_from_text"), id="number"),
        pytest.param({"type": "boolean"}, " true", True, ("space_stripped", "boolean_from_text"), id="yes"),
        pytest.param(DATE, " 2027-02-28", "2027-02-28", ("space_stripped",), id="date"),
        pytest.param(
            {"anyOf": [DATE, {"type": "null"}]}, "2027-02-28 ", "2027-02-28", ("space_stripped",), id="any-of"
        ),
        pytest.param(
            {"type": "string", "format": "email"}, " a@b.org ", "a@b.org", ("space_stripped",), id="e-mail-address"
        ),
        pytest.param({"type": "string"}, " 5 ", " 5 ", (), id="text"),
        pytest.param({"anyOf": [{"type": "string"}, WHOLE]}, " 5 ", " 5 ", (), id="text-or-number"),
        pytest.param({"type": "string", "format": "own"}, " x ", " x ", (), id="unknown-form"),
    ],
)
def test_space_around(field: Any, sent: JSON, canonical: JSON, repairs: tuple[str, ...]) -> None:
    """It is taken off numbers, yes and no, and forms that have none; a plain text keeps it."""
    found = accepted(tool({"value": field}, ("value",)), {"value": sent})

    assert found.arguments == {"value": canonical}
    assert found.repairs == repairs

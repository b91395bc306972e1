"""Values that nobody said are asked for instead of made up."""

from __future__ import annotations

from typing import Any

import pytest

from reinforced_agent.models.local.missing import missing, question
from reinforced_agent.models.local.prompt import Tool, Turn


TOOL = Tool(
    "book_seat",
    "Book a seat.",
    {
        "properties": {
            "day": {"type": "string", "format": "date", "description": "Day of travel."},
            "guest": {"type": "string", "format": "email"},
            "seat": {"type": "string", "pattern": r"^[A-Z]\d+$"},
            "wish": {"type": "string"},
            "count": {"type": "integer"},
        },
        "required": ["day", "guest", "seat", "wish", "count"],
    },
    (Turn("Seat C7", '{"day": "2026-03-14", "seat": "C7"}'),),
)
RIGHT = {"day": "2026-12-03", "guest": "Ann@example.org", "seat": "B12", "wish": "by the window", "count": 2}
SAID = "Seat b12 for ann@example.org on 3 December 2026"


@pytest.mark.parametrize(
    ("arguments", "said", "names"),
    [
        pytest.param({}, SAID, [], id="all-said"),
        pytest.param({"day": "2026-12-04"}, SAID, ["day"], id="another-day"),
        pytest.param({}, "Seat b12 for ann@example.org", ["day"], id="no-day"),
        pytest.param({"guest": "ann@example.com"}, SAID, ["guest"], id="another-address"),
        pytest.param({"seat": "B13"}, SAID, ["seat"], id="another-number"),
        pytest.param({"wish": "on the aisle", "count": 7}, SAID, [], id="free-text-and-numbers"),
        pytest.param({"day": None}, SAID, [], id="nothing-written"),
    ],
)
def test_a_value_with_a_form_must_have_been_said(arguments: dict[str, Any], said: str, names: list[str]) -> None:
    """Dates, addresses and numbers of a kind are looked for in what was said; free text is not."""
    assert missing(TOOL, {**RIGHT, **arguments}, [said]) == names


def test_an_earlier_message_counts() -> None:
    """A follow-up may leave unsaid what was said before."""
    assert missing(TOOL, RIGHT, ["The same for two", SAID]) == []


def test_the_question_names_what_is_missing() -> None:
    """It says what is needed and shows the form."""
    assert question(TOOL, ["day", "seat"]) == (
        "I can do that, but something is missing: day of travel (such as 2026-03-14); seat (such as C7). "
        "Which do you mean?"
    )

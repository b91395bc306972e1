"""The check a tool brings along."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel, field_validator

from reinforced_agent.tools.call import JSON
from tests.policies.schema.workbench import accepted, objected, refused, tool


TEXT = {"type": "string"}


def _later_than_2026(arguments: Mapping[str, JSON]) -> None:
    if str(arguments.get("date", "2027")) < "2027":
        why = "the date is in the past; today is 2027-01-01."
        raise ValueError(why)


def test_own_check_of_the_tool_speaks_to_the_model() -> None:
    """The text of a ValueError is the problem."""
    of = tool({"date": {"type": "string", "format": "date"}}, validate=_later_than_2026)

    assert accepted(of, {"date": "2027-02-03"}).repairs == ()
    assert "the date is in the past; today is 2027-01-01." in objected(of, {"date": "2026-02-03"}).message


class Stay(BaseModel):
    """A model with a check of its own."""

    nights: int

    @field_validator("nights")
    @classmethod
    def _even(cls, nights: int) -> int:
        if nights % 2:
            why = "only even numbers of nights are sold"
            raise ValueError(why)
        return nights


def test_own_check_by_a_pydantic_model_names_the_field() -> None:
    """Errors that know their field are told by field, without the words of the library."""

    def check(arguments: Mapping[str, JSON]) -> None:
        Stay.model_validate(arguments)

    of = tool(parameters=Stay.model_json_schema(), validate=check)

    verdict = objected(of, {"nights": 3})

    assert verdict.fields == ("nights",)
    assert "`nights` is not accepted: only even numbers of nights are sold." in verdict.message


def test_broken_own_check_fails_closed() -> None:
    """A check that breaks refuses the call; the model is not told details, the operator is."""

    def broken(_arguments: Mapping[str, JSON]) -> None:
        why = "db-7.internal is down"
        raise OSError(why)

    verdict = refused(tool({"city": TEXT}, validate=broken), {"city": "A"})

    assert "db-7" not in verdict.message
    assert "db-7" in verdict.operator


def test_own_check_cannot_change_the_call() -> None:
    """The check looks at a copy."""

    def greedy(arguments: Mapping[str, Any]) -> None:
        arguments["stops"].clear()

    of = tool({"stops": {"type": "array", "items": TEXT}}, validate=greedy)

    assert accepted(of, {"stops": ["Oslo"]}).arguments == {"stops": ["Oslo"]}

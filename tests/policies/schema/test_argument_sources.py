"""Schemas of one shape behave alike wherever they come from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pytest
from pydantic import BaseModel, ConfigDict, Field, TypeAdapter

from reinforced_agent.policies.verdicts import ErrorKind
from tests.policies.schema.workbench import accepted, objected, tool


TEXT = {"type": "string"}
WHOLE = {"type": "integer"}


class Guest(BaseModel):
    """A guest as a Pydantic model."""

    model_config = ConfigDict(extra="ignore")
    name: str
    age: int | None = Field(default=None, ge=0)
    tags: list[str] = []


@dataclass
class GuestData:
    """The same as a dataclass."""

    name: str
    age: int | None = None
    tags: list[str] | None = None


RAW = {
    "$schema": "http://json-schema.org/draft-07/schema#",
    "type": "object",
    "properties": {
        "name": TEXT,
        "age": {"anyOf": [WHOLE, {"type": "null"}]},
        "tags": {"type": "array", "items": {"$ref": "#/definitions/Tag"}},
    },
    "definitions": {"Tag": TEXT},
}


@pytest.mark.parametrize(
    "schema",
    [
        pytest.param(Guest.model_json_schema(), id="pydantic"),
        pytest.param(TypeAdapter(GuestData).json_schema(), id="dataclass"),
        pytest.param(RAW, id="raw-draft-07"),
    ],
)
def test_every_source_of_a_schema_behaves_alike(schema: dict[str, Any]) -> None:
    """Models, dataclasses and raw schemas of one shape accept, coerce and refuse alike."""
    of = tool(parameters=schema)

    assert accepted(of, {"name": "Li", "age": "41", "tags": '["a"]'}).arguments == {
        "name": "Li",
        "age": 41,
        "tags": ["a"],
    }
    assert accepted(of, {"name": "Li", "age": None}).arguments == {"name": "Li", "age": None}
    assert objected(of, {"name": "Li", "nick": "L"}).kind is ErrorKind.UNKNOWN_ARGUMENT
    assert "`age`" in objected(of, {"name": "Li", "age": "old"}).message

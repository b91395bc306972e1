"""Parameters of tools made ready: dialects, closing, and what can't be used."""

from __future__ import annotations

from typing import Any

import pytest

from reinforced_agent.policies.schema import ToolSchemaError
from reinforced_agent.policies.schema.dialect import normalise
from tests.policies.schema.workbench import accepted, objected, tool


TEXT = {"type": "string"}


@pytest.mark.parametrize(
    ("written", "plain"),
    [
        pytest.param({"type": "dict"}, {"type": "object"}, id="dict"),
        pytest.param({"type": "float"}, {"type": "number"}, id="float"),
        pytest.param({"type": "tuple", "items": TEXT}, {"type": "array", "items": TEXT}, id="tuple"),
        pytest.param({"type": "any", "description": "x"}, {"description": "x"}, id="any"),
        pytest.param({"type": "STRING"}, {"type": "string"}, id="upper-case"),
        pytest.param({"type": ["int", "none"]}, {"type": ["integer", "null"]}, id="list-of-types"),
        pytest.param({"type": "string", "nullable": True}, {"type": ["string", "null"]}, id="nullable"),
        pytest.param({"minimum": 3, "exclusiveMinimum": True}, {"exclusiveMinimum": 3}, id="exclusive-flag"),
        pytest.param({"minimum": 3, "exclusiveMinimum": False}, {"minimum": 3}, id="exclusive-flag-off"),
        pytest.param({"properties": {"a": TEXT}}, {"type": "object", "properties": {"a": TEXT}}, id="type-implied"),
        pytest.param(
            {"type": "array", "enum": ["a", "b"]}, {"type": "array", "items": {"enum": ["a", "b"]}}, id="enum-on-a-list"
        ),
        pytest.param(
            {"type": "array", "items": [TEXT, {}]}, {"type": "array", "prefixItems": [TEXT, {}]}, id="tuple-items"
        ),
        pytest.param({"dependencies": {"a": ["b"]}}, {"dependentRequired": {"a": ["b"]}}, id="dependencies"),
        pytest.param({"required": True}, {}, id="required-flag"),
        pytest.param(
            {"type": "object", "properties": {"ab": TEXT}, "required": "ab"},
            {"type": "object", "properties": {"ab": TEXT}, "required": ["ab"]},
            id="required-as-text",
        ),
        pytest.param({"type": "file"}, {"type": "string"}, id="file"),
        pytest.param({"$schema": "https://example.org/own", "title": 1}, {}, id="unknown-dialect-and-odd-title"),
        pytest.param({"examples": "a"}, {}, id="examples-that-are-no-list"),
        pytest.param({"examples": ["a"]}, {"examples": ["a"]}, id="examples"),
        pytest.param({"minLength": "1", "maximum": "2.5"}, {"minLength": 1, "maximum": 2.5}, id="limits-as-texts"),
        pytest.param({"uniqueItems": "True"}, {"uniqueItems": True}, id="flag-as-text"),
        pytest.param({"pattern": r"^a\Z"}, {"pattern": "^a$"}, id="end-in-python"),
        pytest.param({"pattern": r"^a\\Z"}, {"pattern": r"^a\\Z"}, id="backslash-before-a-letter"),
        pytest.param(
            {"type": "object", "properties": {"type": TEXT, "enum": TEXT}},
            {"type": "object", "properties": {"type": TEXT, "enum": TEXT}},
            id="fields-called-like-keywords",
        ),
    ],
)
def test_dialects_of_real_tool_lists(written: dict[str, Any], plain: dict[str, Any]) -> None:
    """What authors write is brought to plain JSON Schema, and the input stays as it was."""
    before = repr(written)

    assert normalise({"properties": {"value": written}})["properties"]["value"] == plain
    assert repr(written) == before


@pytest.mark.parametrize(
    ("parameters", "words"),
    [
        pytest.param({"type": "string"}, "always an object", id="not-an-object"),
        pytest.param({"properties": {"a": {"type": "strnig"}}}, "unknown type 'strnig'", id="unknown-type"),
        pytest.param({"properties": {"a": "text"}}, "must be an object, not str", id="no-schema"),
        pytest.param({"properties": ["a"]}, "map names", id="list-of-properties"),
        pytest.param({"properties": {"a": {"type": "string", "pattern": "(["}}}, "regex", id="broken-pattern"),
        pytest.param({"properties": {"a": {"$ref": "#/$defs/Gone"}}}, "leads nowhere", id="reference-to-nothing"),
        pytest.param(
            {"properties": {"a": {"$ref": "https://example.org/s.json"}}}, "leads out", id="reference-outside"
        ),
        pytest.param({"properties": {"a": {"$ref": "#/properties/a"}}}, "back to itself", id="reference-to-itself"),
        pytest.param({"properties": {"a": {"minimum": "three"}}}, "three", id="limit-as-a-word"),
        pytest.param({"properties": {"a": {"minLength": "-1"}}}, "-1", id="negative-length-as-text"),
        pytest.param({"properties": {"a": TEXT}, "required": "ab"}, "list of names", id="required-as-unknown-text"),
        pytest.param({"properties": {"a": {"anyOf": "x"}}}, "must be a list", id="alternatives-as-text"),
    ],
)
def test_unusable_schemas_are_the_hosts_error(parameters: Any, words: str) -> None:
    """A schema that can't be used is refused when the tool is made ready, with tool and reason."""
    with pytest.raises(ToolSchemaError, match="plan_trip") as caught:
        tool(parameters=parameters)

    assert words in str(caught.value)


def test_silent_schemas_are_closed_at_every_declared_object() -> None:
    """Unknown fields are refused wherever fields are declared, also where the schema doesn't say so."""
    inner = {"type": "object", "properties": {"b": TEXT}}
    of = tool({"a": inner, "list": {"type": "array", "items": inner}, "free": {"type": "object"}})

    assert objected(of, {"x": 1}).fields == ("x",)
    assert objected(of, {"a": {"x": 1}}).fields == ("a.x",)
    assert objected(of, {"list": [{"b": ""}, {"x": 1}]}).fields == ("list[1].x",)
    assert accepted(of, {"free": {"x": 1}}).repairs == ()


@pytest.mark.parametrize("extra", [True, {}, {"type": "integer"}])
def test_only_the_schema_itself_opens_an_object(extra: Any) -> None:
    """An explicit permission for other fields holds, at the top as well as inside."""
    open_object = {"type": "object", "properties": {"b": TEXT}, "additionalProperties": extra}

    assert accepted(tool(parameters=open_object), {"x": 1}).arguments == {"x": 1}
    assert accepted(tool({"a": open_object}), {"a": {"x": 1}}).arguments == {"a": {"x": 1}}


def test_joined_objects_are_closed_together() -> None:
    """Fields of schemas that are joined count for the whole, not each against the other."""
    of = tool(
        parameters={
            "$defs": {"Base": {"type": "object", "properties": {"id": TEXT}, "required": ["id"]}},
            "allOf": [{"$ref": "#/$defs/Base"}, {"type": "object", "properties": {"size": {"type": "integer"}}}],
        }
    )

    assert accepted(of, {"id": "a", "size": "2"}).arguments == {"id": "a", "size": 2}
    assert objected(of, {"id": "a", "colour": "red"}).fields == ("colour",)


def test_conditions_keep_their_meaning() -> None:
    """A condition is not closed: it goes on looking at its own fields only."""
    of = tool(
        parameters={
            "type": "object",
            "properties": {"kind": TEXT, "vat": TEXT, "name": TEXT},
            "if": {"properties": {"kind": {"const": "firm"}}, "required": ["kind"]},
            "then": {"required": ["vat"]},
        }
    )

    assert accepted(of, {"kind": "person", "name": "Li"}).repairs == ()
    assert "`vat` is missing" in objected(of, {"kind": "firm", "name": "Li"}).message


def test_required_fields_that_nobody_declared() -> None:
    """A required field is a field, even where the author forgot to describe it."""
    of = tool({"a": TEXT}, ("a", "b"))

    assert accepted(of, {"a": "x", "b": [1]}).repairs == ()
    assert objected(of, {"a": "x"}).fields == ("b",)


def test_recursive_schemas() -> None:
    """A schema that contains itself is followed as deep as the arguments go."""
    of = tool(
        parameters={
            "$defs": {
                "Node": {
                    "type": "object",
                    "properties": {"label": TEXT, "children": {"type": "array", "items": {"$ref": "#/$defs/Node"}}},
                    "required": ["label"],
                }
            },
            "$ref": "#/$defs/Node",
        }
    )

    found = accepted(of, {"label": "a", "children": [{"label": "b", "children": '[{"label": "c"}]'}]})

    assert found.arguments == {"label": "a", "children": [{"label": "b", "children": [{"label": "c"}]}]}
    assert objected(of, {"label": "a", "children": [{"label": "b", "x": 1}]}).fields == ("children[0].x",)


def test_arguments_without_end_are_refused() -> None:
    """Nesting beyond any real call is refused before a schema looks at it."""
    value: Any = "x"
    for _ in range(5_000):
        value = [value]

    assert "nested too deeply" in objected(tool({"a": {}}), {"a": value}).message


def test_hostile_patterns_give_up() -> None:
    """A pattern that would search for ever ends as a misfit."""
    of = tool({"a": {"type": "string", "pattern": "^(a|a)*(?=b)$"}})

    assert objected(of, {"a": "a" * 60 + "c"}).fields == ("a",)

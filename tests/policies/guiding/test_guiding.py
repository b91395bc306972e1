"""Masks: looser than the checks in every form, and what refusals take away from them."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

import jsonschema_rs
import pytest

from reinforced_agent.policies.guiding import (
    InexpressibleError,
    Mask,
    Offer,
    Refused,
    mask_of,
    narrowed,
    request_for,
    strict_parameters,
    without_fillers,
)
from reinforced_agent.policies.guiding.wire import grammar_of
from tests.models.guided_server import accepts, strict_fault
from tests.policies.schema.workbench import tool


TEXT, WHOLE = {"type": "string"}, {"type": "integer"}
UNIT = {"type": "string", "enum": ["m", "ft", 'a "b" \\ ü']}
PLACE = {"type": "object", "properties": {"city": TEXT, "zip": TEXT}, "required": ["city"]}
TREE = {
    "type": "object",
    "properties": {"root": {"$ref": "#/$defs/node"}},
    "required": ["root"],
    "$defs": {
        "node": {
            "type": "object",
            "properties": {"name": TEXT, "below": {"type": "array", "items": {"$ref": "#/$defs/node"}}},
            "required": ["name"],
        }
    },
}
SHAPE = {
    "type": "object",
    "properties": {
        "shape": {
            "oneOf": [
                {"type": "object", "properties": {"r": {"type": "number"}}, "required": ["r"]},
                {"type": "object", "properties": {"a": WHOLE, "b": WHOLE}, "required": ["a", "b"]},
            ]
        }
    },
    "required": ["shape"],
}
JOINED = {
    "type": "object",
    "properties": {"by": TEXT},
    "required": ["by"],
    "anyOf": [{"properties": {"mail": TEXT}, "required": ["mail"]}, {"properties": {"phone": TEXT}}],
}


def fields(*required: str, **properties: Any) -> dict[str, Any]:
    """Write the parameters of a tool."""
    return {"type": "object", "properties": properties, "required": list(required)}


STRICT = [
    pytest.param(fields("a", a=TEXT), {"a": "x"}, id="text"),
    pytest.param(fields("a", a=TEXT, b=WHOLE), {"a": "x"}, id="left out"),
    pytest.param(fields("a", a=TEXT, b=WHOLE), {"a": "x", "b": 3}, id="not left out"),
    pytest.param(fields(a=TEXT, b=WHOLE, c=TEXT), {"b": 3}, id="nothing is needed"),
    pytest.param(fields(), {}, id="no fields"),
    pytest.param(fields("u", u=UNIT), {"u": 'a "b" \\ ü'}, id="listed, with signs"),
    pytest.param(fields(u=UNIT), {}, id="listed, left out"),
    pytest.param(fields("p", p=PLACE), {"p": {"city": "Brest"}}, id="object with a field left out"),
    pytest.param(fields(p=PLACE), {"p": {"city": "Brest", "zip": "29200"}}, id="object"),
    pytest.param(fields("p", p={"type": "array", "items": PLACE}), {"p": [{"city": "Brest"}]}, id="list of objects"),
    pytest.param(fields(t={"type": "array", "items": TEXT}), {"t": ["a", "b"]}, id="list"),
    pytest.param(fields("n", n={"type": ["string", "null"]}), {"n": None}, id="null that is meant"),
    pytest.param(fields(n={"type": ["string", "null"], "default": None}), {}, id="null that says the same"),
    pytest.param(fields("v", v={"anyOf": [WHOLE, TEXT]}), {"v": 3}, id="either"),
    pytest.param(fields("v", v={"type": "number", "minimum": 3, "maximum": 4}), {"v": 3.5}, id="range"),
    pytest.param(fields("v", v={"type": "string", "format": "date"}), {"v": "2027-02-28"}, id="format"),
    pytest.param(fields("v", v={"const": 5}), {"v": 5}, id="constant"),
    pytest.param(fields("v", v={"type": "bool"}), {"v": True}, id="another dialect"),
    pytest.param(SHAPE, {"shape": {"a": 1, "b": 2}}, id="one of two objects"),
]
LAX = [
    pytest.param(fields("a", a={}), {"a": [1, {"b": None}]}, "may be anything", id="anything"),
    pytest.param(fields("a", a={"type": "array"}), {"a": [1, "x"]}, "may be anything", id="list of anything"),
    pytest.param(
        fields("a", a={"type": "object"}), {"a": {"k": 1}}, "may hold fields that aren't declared", id="open object"
    ),
    pytest.param(
        fields("a", a={"type": "object", "additionalProperties": WHOLE}), {"a": {"k": 1}}, "declared", id="map"
    ),
    pytest.param(TREE, {"root": {"name": "x", "below": [{"name": "y"}]}}, "declared", id="recursive"),
    pytest.param(JOINED, {"by": "x", "mail": "m"}, "may be anything", id="fields of alternatives"),
    pytest.param(fields(n={"type": ["string", "null"]}), {"n": None}, "need not mean the same", id="null or nothing"),
    pytest.param(
        fields(n={"type": ["integer", "null"], "default": 9}), {}, "need not mean the same", id="null and a default"
    ),
    pytest.param(
        fields("p", p={"anyOf": [PLACE, fields("q", q=TEXT, r=TEXT)]}), {"p": {"q": "x"}}, "choice", id="two objects"
    ),
    pytest.param(
        fields("t", t={"type": "array", "prefixItems": [TEXT, WHOLE]}), {"t": ["a", 1]}, "anything", id="pair"
    ),
]


def filled(value: Any, schema: Mapping[str, Any]) -> Any:
    """Write a value as a strict model does: null for what is left out."""
    if isinstance(value, dict):
        fitting = [one for one in schema.get("anyOf", [schema]) if set(value) <= one.get("properties", {}).keys()]
        return {name: filled(value.get(name), inner) for name, inner in fitting[0]["properties"].items()}
    if isinstance(value, list):
        inner = next(one for one in schema.get("anyOf", [schema]) if "items" in one)
        return [filled(item, inner["items"]) for item in value]
    return value


@pytest.mark.parametrize(("parameters", "arguments"), STRICT)
def test_strict_parameters(parameters: Any, arguments: Any) -> None:
    """They are what OpenAI takes, allow a right call with null for what is left out, and can be read back."""
    mask = mask_of(tool(parameters=parameters))
    strict = strict_parameters(mask)
    written = filled(arguments, strict)
    assert strict_fault(strict) == ""
    assert jsonschema_rs.is_valid(strict, written)
    assert without_fillers(written, mask) == arguments


@pytest.mark.parametrize(("parameters", "arguments", "why"), LAX)
def test_what_strict_cannot_express(parameters: Any, arguments: Any, why: str) -> None:
    """Such a tool is not strict, since something right could not be written, or null could not be read back."""
    del arguments
    with pytest.raises(InexpressibleError, match=why):
        strict_parameters(mask_of(tool(parameters=parameters)))


RIGHT = [pytest.param(*case.values[:2], id=case.id) for case in (*STRICT, *LAX)]


@pytest.mark.parametrize(("parameters", "arguments"), RIGHT)
def test_nothing_right_is_masked(parameters: Any, arguments: Any) -> None:
    """Arguments that the checks accept can be written as JSON and under the grammar."""
    compiled = tool(parameters=parameters)
    mask = mask_of(compiled)
    assert compiled.is_valid(arguments)
    assert jsonschema_rs.is_valid(mask, arguments)
    pytest.importorskip("llguidance", reason="the parser of grammars is not installed")
    call = json.dumps({"name": "plan_trip", "arguments": arguments}, ensure_ascii=False)
    assert accepts(grammar_of([Offer("plan_trip", mask)]), call)


@pytest.mark.parametrize(
    ("text", "allowed"),
    [
        pytest.param("It is 3 m [sic] {really}.", True, id="words"),
        pytest.param("高 3 米。\nGut.", True, id="words of another script, in lines"),
        pytest.param("<think>Hm.</think> Three.", True, id="a thought before the words"),
        pytest.param('{"name":"plan_trip","arguments":{"a":"x"}}', True, id="no blanks"),
        pytest.param('{\n  "name": "plan_trip",\n  "arguments": {\n "a": "x\\n\\u00fc"}}', True, id="lines"),
        pytest.param('{"name": "plan_trip", "arguments": {"a": "x", "b": -1}}', True, id="with an optional field"),
        pytest.param('{"name": "trip", "arguments": {"a": "x"}}', False, id="another tool"),
        pytest.param('{"name": "plan_trip", "arguments": {"b": 1}}', False, id="a missing field"),
        pytest.param('{"name": "plan_trip", "arguments": {"a": "x", "c": 1}}', False, id="an unknown field"),
        pytest.param('{"name": "plan_trip", "arguments": {"a": "x", "b": "1"}}', False, id="a wrong type"),
        pytest.param('{"name": "plan_trip", "arguments": {"a": "x"', False, id="a cut-off call"),
        pytest.param('{"name": "plan_trip", "arguments": {"a": "x"}} Done.', False, id="words after a call"),
        pytest.param('```json\n{"name": "plan_trip", "arguments": {"a": "x"}}\n```', False, id="a fenced call"),
        pytest.param("<tool_call>", False, id="a call in the way of another model"),
        pytest.param("[plan_trip(a='x')]", False, id="a call as Python"),
    ],
)
def test_a_grammar(text: str, *, allowed: bool) -> None:
    """It allows one call as JSON, in any spacing, or an answer that doesn't begin like a call."""
    pytest.importorskip("llguidance", reason="the parser of grammars is not installed")
    mask = mask_of(tool(parameters=fields("a", a=TEXT, b=WHOLE)))
    assert accepts(grammar_of([Offer("plan_trip", mask)]), text) is allowed


def test_bounds_are_told_in_words() -> None:
    """What a strict schema can't hold stands in the description, for the model to read."""
    field = {"type": "integer", "description": "Nights.", "minimum": 1, "default": 2}
    strict = strict_parameters(mask_of(tool(parameters=fields(nights=field))))
    told = strict["properties"]["nights"]["description"]
    assert told == "Nights. (minimum: 1; default: 2) (null to leave it out)"


def of_two(**masks: Mask) -> Callable[..., dict[str, Any]]:
    """Return what narrows the masks of tools, as what is left by tool."""
    offers = [Offer(name, {"type": "object", "properties": mask, "required": []}) for name, mask in masks.items()]

    def left(*refused: Refused) -> dict[str, Any]:
        return {offer.name: offer.mask["properties"] for offer in narrowed(offers, refused)}

    return left


COLOURS = {"enum": ["red", "green", "blue"]}
left = of_two(paint={"colour": COLOURS, "gloss": {"type": "boolean"}, "text": TEXT}, ask={})


def objected(kind: str, value: Any = "red", field: str = "colour", **more: Any) -> Refused:
    """Make a refused call."""
    return Refused("paint", {field: value}, kind, (field,), **more)


@pytest.mark.parametrize(
    ("refused", "colours"),
    [
        pytest.param([objected("ungrounded_value")], ["green", "blue"], id="nobody gave it"),
        pytest.param([objected("policy")], ["green", "blue"], id="a rule objects"),
        pytest.param([objected("policy"), objected("policy", "green")], ["blue"], id="a rule objects to two"),
        pytest.param(
            [objected("ungrounded_value", one) for one in ("red", "green", "blue")],
            ["red", "green", "blue"],
            id="nothing would be left",
        ),
        pytest.param([objected("invalid_arguments")] * 2, ["red", "green", "blue"], id="the form was wrong"),
        pytest.param([objected("irrelevant")] * 2, ["red", "green", "blue"], id="the call as a whole"),
        pytest.param(
            [Refused("paint", {"colour": "red", "text": "x"}, "ungrounded_value", ("colour", "text"))],
            ["red", "green", "blue"],
            id="one of two fields",
        ),
    ],
)
def test_refused_values(refused: list[Refused], colours: list[str]) -> None:
    """A listed value that was refused for itself can't be written again, as long as another one can."""
    assert left(*refused)["paint"]["colour"]["enum"] == colours


def test_refused_yes_and_free_text() -> None:
    """Of yes and no, the other is left; a free text has no list to be left out of."""
    found = left(objected("ungrounded_value", True, "gloss"), objected("ungrounded_value", "x", "text"))["paint"]  # noqa: FBT003
    assert found["gloss"] == {"enum": [False]}
    assert found["text"] == TEXT


@pytest.mark.parametrize(
    ("refused", "tools"),
    [
        pytest.param([Refused("paint", {}, "wrong_order", newest=True)], ["ask"], id="another one has to run first"),
        pytest.param([Refused("paint", {}, "wrong_order")], ["paint", "ask"], id="that was before"),
        pytest.param([Refused("paint", {}, "irrelevant", newest=True)], ["paint", "ask"], id="it may insist"),
        pytest.param([Refused("paint", {}, "wrong_order", ("colour",), newest=True)], ["paint", "ask"], id="a field"),
        pytest.param(
            [Refused(name, {}, "wrong_order", newest=True) for name in ("paint", "ask")], ["paint", "ask"], id="all"
        ),
    ],
)
def test_refused_tools(refused: list[Refused], tools: list[str]) -> None:
    """A tool before which another has to run can't be called next, unless none would be left."""
    assert list(left(*refused)) == tools


def test_an_answer_is_always_left() -> None:
    """Whatever was refused, the model may answer."""
    schema = request_for("vllm", [])
    assert jsonschema_rs.is_valid(schema.body["structured_outputs"]["json"], {"answer": "I can't."})

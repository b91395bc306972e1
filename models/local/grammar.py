"""Turn the schema of a value into a grammar: bounded in length, strict in form, free in meaning."""

import json
from collections.abc import Mapping
from typing import Any


LONGEST = 300
"""Characters of a string at most, however long the request."""
_ITEMS = 8
_DEPTH = 4
# Shapes that help to write a value but leave room for every wrong one: an address without a domain or the 31st of
# November must stay possible, or the layers that check meaning would never see what the model meant.
_SHAPES = {"date": r"[0-9]{4}-[0-9]{2}-[0-9]{2}", "email": r'[^\s"\\]{1,80}'}

# One blank after a comma and a colon, as in the examples: a model that must write without loses its way in lists.
_SPACING = {"item_separator": ", ", "key_separator": ": ", "whitespace_flexible": False}


def value_grammar(schema: Mapping[str, Any], root: Mapping[str, Any], longest: int = LONGEST) -> str:
    """Return the llguidance grammar of one value and of the sign that ends it.

    Args:
        schema: JSON Schema of the value. Only what gives it its form is kept (type, enum, the shape of dates and
            addresses, required fields inside); patterns and ranges are left to the checks, since a masked model would
            bend a value that ought to be refused into one that passes and is wrong.
        root: the schema in which references are looked up.
        longest: characters of a string at most.
    """
    from llguidance import LLMatcher  # noqa: PLC0415 - optional

    bounded = {**bound(schema, root, longest), "x-guidance": _SPACING}
    rule = 'start: " " value END\nEND: "," | "}"\nvalue: %json ' + json.dumps(bounded)
    text: str = LLMatcher.grammar_from_lark(rule)
    return text


def answer_grammar(longest: int = LONGEST) -> str:
    """Return the grammar of a plain answer: one paragraph that is no JSON."""
    from llguidance import LLMatcher  # noqa: PLC0415

    text: str = LLMatcher.grammar_from_regex(rf"[^\s{{\[<`][^\n{{}}<>]{{0,{longest}}}")
    return text


def bound(schema: Any, root: Mapping[str, Any], longest: int, depth: int = 0) -> dict[str, Any]:
    """Return a schema that keeps the form of values and bounds their length."""
    if not isinstance(schema, Mapping) or depth > _DEPTH:
        return {"type": "string", "maxLength": longest}
    if "$ref" in schema:
        return bound(resolve(str(schema["$ref"]), root), root, longest, depth + 1)
    for key in ("enum", "const"):
        if key in schema:
            return {key: schema[key]}
    for key in ("anyOf", "oneOf"):
        if schema.get(key):
            return {"anyOf": [bound(option, root, longest, depth + 1) for option in schema[key]]}
    if schema.get("allOf"):
        return bound(schema["allOf"][0], root, longest, depth + 1)
    return _bound_type(schema, root, longest, depth)


def _bound_type(schema: Mapping[str, Any], root: Mapping[str, Any], longest: int, depth: int) -> dict[str, Any]:
    kind = schema.get("type", "object" if "properties" in schema else "string")
    match kind:
        case list():
            return {"anyOf": [_bound_type({**schema, "type": one}, root, longest, depth) for one in kind]}
        case "string" if shape := _SHAPES.get(str(schema.get("format"))):
            return {"type": "string", "pattern": f"^{shape}$"}
        case "string":
            return {"type": "string", "minLength": 1, "maxLength": min(longest, schema.get("maxLength") or longest)}
        case "object":
            return _bound_object(schema, root, longest, depth)
        case "array":
            items = bound(schema.get("items"), root, longest, depth + 1)
            return {"type": "array", "items": items, "maxItems": _ITEMS, "minItems": 1}
        case "integer" | "number" | "boolean" | "null":
            return {"type": kind}
        case _:
            return {"type": "string", "maxLength": longest}


def _bound_object(schema: Mapping[str, Any], root: Mapping[str, Any], longest: int, depth: int) -> dict[str, Any]:
    fields = schema.get("properties") or {}
    if not fields and depth:
        return {"type": "object", "additionalProperties": {"type": "string", "maxLength": longest}}
    required = [name for name in schema.get("required") or () if name in fields]
    # Leaving an optional field out says the same as null and leaves the model one way less to go wrong.
    kept = {name: field if name in required else without_null(field) for name, field in fields.items()}
    properties = {name: bound(field, root, longest, depth + 1) for name, field in kept.items()}
    return {"type": "object", "properties": properties, "required": required, "additionalProperties": False}


def without_null(schema: Any) -> Any:
    """Return a schema without the option of null."""
    if not isinstance(schema, Mapping):
        return schema
    if isinstance(schema.get("type"), list):
        return {**schema, "type": [kind for kind in schema["type"] if kind != "null"] or "null"}
    if schema.get("anyOf"):
        kept = [option for option in schema["anyOf"] if option != {"type": "null"}]
        return {**schema, "anyOf": kept or schema["anyOf"]}
    if None in schema.get("enum", ()):
        return {**schema, "enum": [value for value in schema["enum"] if value is not None] or [None]}
    return schema


def resolve(reference: str, root: Mapping[str, Any]) -> Any:
    """Return what a local reference such as #/$defs/Size points to, None if nothing."""
    found: Any = root
    for part in reference.removeprefix("#/").split("/"):
        found = found.get(part) if isinstance(found, Mapping) else None
    return found

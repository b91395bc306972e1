"""Turn the tool descriptions of BFCL, which name Python types, into JSON Schema."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from benchmarks.bfcl.checker import legal_name


_TYPES: Mapping[str, str | None] = {
    "string": "string",
    "integer": "integer",
    "float": "number",
    "number": "number",
    "boolean": "boolean",
    "array": "array",
    "list": "array",
    "tuple": "array",
    "dict": "object",
    "object": "object",
    "any": None,
}
"""JSON Schema types by BFCL's names; a value of any type has none."""

_KEPT = ("description", "enum", "default", "format", "minimum", "maximum", "minItems", "maxItems", "required")


class ForeignSchemaError(ValueError):
    """A tool description has a form that is not known; the text says which part."""


def convert_tool(tool: Any) -> dict[str, Any]:
    """Return name, description and parameters (JSON Schema) of a tool; dots in its name become underscores.

    Raises:
        ForeignSchemaError: When a part is missing or names an unknown type.

    """
    try:
        return {
            "name": legal_name(tool["name"]),
            "description": tool["description"],
            "parameters": _convert(tool["parameters"]),
        }
    except (KeyError, TypeError, AttributeError) as error:
        name = tool.get("name", "?") if isinstance(tool, Mapping) else "?"
        msg = f"the tool {name!r} is described in an unknown form ({type(error).__name__}: {error})"
        raise ForeignSchemaError(msg) from error


def _convert(schema: Mapping[str, Any]) -> dict[str, Any]:
    """Convert a schema and everything in it."""
    converted = {key: schema[key] for key in _KEPT if key in schema}
    named = _TYPES[schema["type"]]
    if named is not None:
        converted = {"type": named, **converted}
    if "properties" in schema:
        converted["properties"] = {name: _convert(part) for name, part in schema["properties"].items()}
    if "items" in schema:
        converted["items"] = _convert(schema["items"])
    return converted

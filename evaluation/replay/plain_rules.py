"""Plain rules over the schema of a tool, without any repair: what the layers are compared with.

They take names, types and lists of values literally, so they flag what the layers can straighten without a loss. They
look at the fields of a call and at the elements of lists, not inside objects, so they miss what the layers find there.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final


MALFORMED: Final = "malformed"
UNKNOWN_TOOL: Final = "unknown_tool"
MISSING: Final = "missing_required"
UNKNOWN_FIELD: Final = "unknown_field"
TYPE: Final = "type"
ENUM: Final = "enum"
RULES: Final = (MALFORMED, UNKNOWN_TOOL, MISSING, UNKNOWN_FIELD, TYPE, ENUM)
"""The rules, in the order they are listed."""

_TYPES: Final[Mapping[str, tuple[type, ...]]] = {
    "string": (str,),
    "integer": (int,),
    "number": (int, float),
    "float": (int, float),
    "boolean": (bool,),
    "array": (list,),
    "tuple": (list,),
    "object": (dict,),
    "dict": (dict,),
    "null": (type(None),),
}
"""Type names of JSON Schema, and those that the benchmark adds; any other name allows everything."""


def broken_rules(response: Mapping[str, Any]) -> dict[str, str]:
    """Return the rules a recorded response breaks, each with the first place where it does."""
    found: dict[str, str] = {}
    if response["decode_error"]:
        found[MALFORMED] = "the text"
    tools = {tool["name"]: tool for tool in response["tools"]}
    for call in response["calls"] or ():
        for rule, place in _check(call, tools):
            found.setdefault(rule, place)
    return {rule: found[rule] for rule in RULES if rule in found}


def _check(call: Mapping[str, Any], tools: Mapping[str, Mapping[str, Any]]) -> Iterator[tuple[str, str]]:
    """Check one call."""
    tool = tools.get(call["name"])
    if tool is None:
        yield UNKNOWN_TOOL, call["name"]
    elif not isinstance(call["arguments"], dict):
        yield MALFORMED, "the arguments"
    else:
        yield from _check_fields(call["arguments"], tool.get("parameters") or {})


def _check_fields(arguments: Mapping[str, Any], schema: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Check the arguments of a call against the fields that are declared."""
    fields: Mapping[str, Any] = schema.get("properties") or {}
    for name in schema.get("required") or ():
        if name not in arguments:
            yield MISSING, name
    for name, value in arguments.items():
        if name in fields:
            yield from _check_value(value, fields[name], name)
        else:
            yield UNKNOWN_FIELD, name


def _check_value(value: Any, schema: Any, place: str) -> Iterator[tuple[str, str]]:
    """Check one value, or the elements of a list."""
    if not isinstance(schema, dict):
        return
    if not _is_of(value, schema.get("type")):
        yield TYPE, place
    elif isinstance(value, list):
        for number, item in enumerate(value):
            yield from _check_value(item, schema.get("items"), f"{place}[{number}]")
    if "enum" in schema and not isinstance(value, list) and value not in schema["enum"]:
        yield ENUM, place


def _is_of(value: Any, declared: str | Sequence[str] | None) -> bool:
    """Tell whether a value is of a declared type; `True` is no number, and 5.0 no whole one."""
    if declared is None:
        return True
    names = [declared] if isinstance(declared, str) else declared
    allowed = [_TYPES.get(name, (object,)) for name in names]
    if isinstance(value, bool):
        return any(bool in kinds or object in kinds for kinds in allowed)
    return any(isinstance(value, kinds) for kinds in allowed)

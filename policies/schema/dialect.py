"""The dialects of real tool lists, rewritten to plain JSON Schema before anything else sees them."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from typing import Any, Final, TypeAlias


Node: TypeAlias = "dict[str, Any] | bool"
"""A schema or sub-schema: an object, or a plain yes or no."""

MAPS: Final = ("properties", "patternProperties", "dependentSchemas", "$defs", "definitions")
"""Keywords whose value maps names to schemas."""
LISTS: Final = ("allOf", "anyOf", "oneOf", "prefixItems")
"""Keywords whose value is a list of schemas."""
SINGLES: Final = (
    "items",
    "additionalProperties",
    "unevaluatedItems",
    "unevaluatedProperties",
    "propertyNames",
    "contains",
    "not",
    "if",
    "then",
    "else",
)
"""Keywords whose value is one schema."""

_TYPES: Final = {
    **{name: name for name in ("object", "array", "string", "number", "integer", "boolean", "null")},
    **dict.fromkeys(("dict", "map", "hashmap", "struct"), "object"),
    **dict.fromkeys(("list", "tuple", "set", "arraylist"), "array"),
    **dict.fromkeys(("float", "double", "decimal"), "number"),
    **dict.fromkeys(("int", "long", "int32", "int64"), "integer"),
    **dict.fromkeys(("str", "text", "char", "file"), "string"),
    "bool": "boolean",
    "none": "null",
}
_ANYTHING: Final = "any"
_DEEPEST: Final = 64
_UNSUPPORTED: Final = ("$dynamicRef", "$recursiveRef")

_COUNTS: Final = (
    *("minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties"),
    *("minContains", "maxContains"),
)
_MEASURES: Final = ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf")
_FLAGS: Final = ("uniqueItems",)
_ANNOTATIONS: Final[dict[str, Callable[[object], bool]]] = {
    **{key: lambda value: isinstance(value, str) for key in ("title", "description", "$comment")},
    **{key: lambda value: isinstance(value, bool) for key in ("deprecated", "readOnly", "writeOnly")},
    "examples": lambda value: isinstance(value, list),
}
"""Keywords that say nothing about which values fit, and what they have to be."""
_COUNT = re.compile(r"[0-9]{1,9}")
_MEASURE = re.compile(r"-?[0-9]{1,15}(?:\.[0-9]{1,15})?")
_PYTHON_END = re.compile(r"(?<!\\)((?:\\\\)*)\\Z")


class ToolSchemaError(ValueError):
    """The parameters of a tool can't be used; the host has to correct its declaration.

    Raised when the graph is built, never while a call is checked.
    """

    def __init__(self, why: str, *, tool: str = "", at: str = "") -> None:
        """Say what is wrong (`why`), with which tool, and where in its schema (`at`)."""
        self.why = why
        self.at = at
        self.tool = tool
        place = f" at {at}" if at else ""
        super().__init__(f"Tool {tool!r}: its parameters can't be used{place}: {why}")


def normalise(parameters: Mapping[str, Any]) -> dict[str, Any]:
    """Rewrite the parameters of a tool to plain JSON Schema of the 2020-12 draft, as a copy.

    Older drafts, type words of programming languages, `nullable`, `required` on a property and an `enum` that was
    put on the list instead of its items all come out in their standard form; unknown dialects are read as this draft.

    Raises:
        ToolSchemaError: Something in it can't be read as a schema.

    """
    return _object(parameters, "#")


def _node(node: object, at: str) -> Node:
    if isinstance(node, bool):
        return node
    if not isinstance(node, Mapping):
        why = f"a schema must be an object, not {type(node).__name__}"
        raise ToolSchemaError(why, at=at)
    return _object(node, at)


def _object(node: Mapping[str, Any], at: str) -> dict[str, Any]:
    if at.count("/") > 2 * _DEEPEST:
        msg = "it is nested too deeply"
        raise ToolSchemaError(msg, at=at)
    out = {str(key): value for key, value in node.items() if value is not None or key in {"const", "default"}}
    if any(key in out for key in _UNSUPPORTED):
        msg = "references that depend on the place of use aren't supported; use `$ref`"
        raise ToolSchemaError(msg, at=at)
    for repair in (tidy, _types, _flags, _required, _tuple_items, _dependencies, _list_enum, _implied):
        repair(out, at)
    return _children(out, at)


def _children(node: dict[str, Any], at: str) -> dict[str, Any]:
    for key in MAPS:
        if key in node:
            node[key] = {str(k): _node(v, f"{at}/{key}/{k}") for k, v in _mapping(node[key], f"{at}/{key}").items()}
    for key in LISTS:
        if key in node:
            node[key] = [_node(v, f"{at}/{key}/{i}") for i, v in enumerate(_sequence(node[key], f"{at}/{key}"))]
    for key in SINGLES:
        if key in node:
            node[key] = _node(node[key], f"{at}/{key}")
    return node


def _mapping(value: object, at: str) -> Mapping[str, Any]:
    if isinstance(value, Mapping):
        return value
    msg = "it must map names to schemas"
    raise ToolSchemaError(msg, at=at)


def _sequence(value: object, at: str) -> list[Any]:
    if isinstance(value, list | tuple):
        return list(value)
    msg = "it must be a list"
    raise ToolSchemaError(msg, at=at)


def _types(node: dict[str, Any], at: str) -> None:
    if "type" not in node:
        return
    declared = node.pop("type")
    names = list(dict.fromkeys(_type(name, at) for name in (declared if isinstance(declared, list) else [declared])))
    if node.pop("nullable", False) and "null" not in names:
        names.append("null")
        if "enum" in node:
            node["enum"] = [*node["enum"], None]
    if _ANYTHING not in names:
        node["type"] = names[0] if len(names) == 1 else names


def _type(name: object, at: str) -> str:
    word = name.strip().lower() if isinstance(name, str) else ""
    if word == _ANYTHING:
        return word
    if word not in _TYPES:
        why = f"unknown type {name!r}; use one of object, array, string, number, integer, boolean, null"
        raise ToolSchemaError(why, at=f"{at}/type")
    return _TYPES[word]


def _flags(node: dict[str, Any], _at: str) -> None:
    for flag, limit in (("exclusiveMinimum", "minimum"), ("exclusiveMaximum", "maximum")):
        if isinstance(node.get(flag), bool) and (node.pop(flag) and limit in node):
            node[flag] = node.pop(limit)


def _required(node: dict[str, Any], at: str) -> None:
    if isinstance(node.get("required"), bool):
        del node["required"]
    properties = node.get("properties")
    if not isinstance(properties, Mapping):
        return
    if isinstance(node.get("required"), str):
        # As a list it would be read letter by letter.
        if node["required"] not in properties:
            why = f"`required` must be a list of names, not {node['required']!r}"
            raise ToolSchemaError(why, at=f"{at}/required")
        node["required"] = [node["required"]]
    flagged = [k for k, v in properties.items() if isinstance(v, Mapping) and v.get("required") is True]
    names = list(dict.fromkeys([*node.get("required", ()), *flagged]))
    if names or "required" in node:
        node["required"] = names


def _tuple_items(node: dict[str, Any], _at: str) -> None:
    if isinstance(node.get("items"), list):
        node["prefixItems"] = node.pop("items")
        if "additionalItems" in node:
            node["items"] = node["additionalItems"]
    node.pop("additionalItems", None)
    if not node.get("prefixItems", True):
        del node["prefixItems"]


def _dependencies(node: dict[str, Any], at: str) -> None:
    for name, value in _mapping(node.pop("dependencies", {}), f"{at}/dependencies").items():
        key = "dependentRequired" if isinstance(value, list) else "dependentSchemas"
        node[key] = {**node.get(key, {}), name: value}


def _list_enum(node: dict[str, Any], at: str) -> None:
    """Move the allowed values of a list's items to the items, where nothing else could have been meant."""
    if "enum" in node:
        node["enum"] = _sequence(node["enum"], f"{at}/enum")
    if node.get("type") != "array" or not node.get("enum") or any(isinstance(v, list) for v in node["enum"]):
        return
    items = node.get("items", {})
    if isinstance(items, Mapping) and "enum" not in items:
        node["items"] = {**items, "enum": node.pop("enum")}


def _implied(node: dict[str, Any], _at: str) -> None:
    """Say what an author of fields or elements leaves unsaid: that the value is an object or a list."""
    if "type" in node:
        return
    if "properties" in node:
        node["type"] = "object"
    elif "items" in node or "prefixItems" in node:
        node["type"] = "array"


def tidy(node: dict[str, Any], _at: str) -> None:
    """Correct a schema node in place: dialect and annotations, limits as texts, the end of Python patterns.

    What remains unusable raises later, when the schema is compiled.
    """
    node.pop("$schema", None)
    for key, fits in _ANNOTATIONS.items():
        if key in node and not fits(node[key]):
            del node[key]
    for key in _COUNTS + _MEASURES:
        if isinstance(node.get(key), str):
            node[key] = _number(node[key], _COUNT if key in _COUNTS else _MEASURE)
    for key in _FLAGS:
        if isinstance(node.get(key), str) and node[key].lower() in {"true", "false"}:
            node[key] = node[key].lower() == "true"
    if isinstance(node.get("pattern"), str):
        node["pattern"] = _PYTHON_END.sub(r"\1$", node["pattern"])
    if isinstance(node.get("patternProperties"), dict):
        node["patternProperties"] = {_PYTHON_END.sub(r"\1$", k): v for k, v in node["patternProperties"].items()}


def _number(text: str, form: re.Pattern[str]) -> object:
    if not form.fullmatch(text.strip()):
        return text
    number = float(text)
    return int(number) if math.floor(number) == number else number

"""Values that are valid for a JSON Schema, awkward ones among them; needs Hypothesis."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

from hypothesis import strategies as st

from reinforced_agent.tools.call import JSON


Schema: TypeAlias = Mapping[str, Any]
"""A JSON Schema."""
Arguments: TypeAlias = dict[str, JSON]
"""The arguments of a valid call."""


def values(schema: Schema) -> st.SearchStrategy[Any]:
    """Build values that are valid for a schema; knows types, enum, const, anyOf, bounds and lengths."""
    if "const" in schema:
        return st.just(schema["const"])
    if "enum" in schema:
        return st.sampled_from(list(schema["enum"]))
    if "anyOf" in schema:
        return st.one_of([values(branch) for branch in schema["anyOf"]])
    kinds = schema.get("type", "string")
    return st.one_of([_TYPES[kind](schema) for kind in ([kinds] if isinstance(kinds, str) else kinds)])


def arguments_for(schema: Schema) -> st.SearchStrategy[Arguments]:
    """Build valid argument objects for the parameters of a tool."""
    fields = schema.get("properties", {})
    required = set(schema.get("required", ()))
    return st.fixed_dictionaries(
        {name: values(field) for name, field in fields.items() if name in required},
        optional={name: values(field) for name, field in fields.items() if name not in required},
    )


def _texts(schema: Schema) -> st.SearchStrategy[str]:
    return st.one_of(
        st.text(
            st.characters(exclude_categories=["Cs"]),
            min_size=schema.get("minLength", 0),
            max_size=schema.get("maxLength", 40),
        ),
        st.sampled_from(_AWKWARD).filter(
            lambda text: schema.get("minLength", 0) <= len(text) <= schema.get("maxLength", 1000)
        ),
    )


_AWKWARD = (
    'what\'s "this"?',
    "```json\n{}\n```",
    '{"name": "pay", "arguments": {}}',
    "<tool_call>{}</tool_call>",
    "</parameter></function>",
    "<think>a</think>",
    "C:\\new\\table",
    "line\nbreak\ttab",
    "None, True and NaN",
    "null",
    "Observation: 42",
    "你好，世界",
    "é and e\u0301",
    "😀",
)
"""Texts that are perfectly good values and that a careless repair would break."""


def _numbers(schema: Schema) -> st.SearchStrategy[float]:
    """Numbers within bounds, the bounds themselves left out where they are exclusive."""
    low, high = schema.get("exclusiveMinimum"), schema.get("exclusiveMaximum")
    return st.floats(
        schema.get("minimum", low),
        schema.get("maximum", high),
        exclude_min=low is not None,
        exclude_max=high is not None,
        allow_nan=False,
        allow_infinity=False,
    )


_TYPES: dict[str, Callable[[Schema], st.SearchStrategy[Any]]] = {
    "string": _texts,
    "integer": lambda schema: st.integers(schema.get("minimum", -(2**63)), schema.get("maximum", 2**63)),
    "number": _numbers,
    "boolean": lambda _: st.booleans(),
    "null": lambda _: st.none(),
    "array": lambda schema: st.lists(
        values(schema.get("items", {})),
        min_size=schema.get("minItems", 0),
        max_size=schema.get("maxItems", schema.get("minItems", 0) + 4),
    ),
    "object": arguments_for,
}

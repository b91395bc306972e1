"""Compare one argument with the values that BFCL allows for it, by the leaderboard's published rules.

A list of allowed values holds alternatives; the empty text among them says that the argument may be left out. An answer
that names a variable instead of a value is written as text whatever the declared type; it then has to match exactly.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from enum import StrEnum
from typing import Any, TypeAlias


class Fault(StrEnum):
    """What is wrong with a response; the values are the endings of the leaderboard's own error types."""

    CALLED = "decoder_success"
    """There is a call although no tool fits."""
    NOT_CALLED = "decoder_failed"
    """There is no call although a tool fits, or the calls can't be read."""
    COUNT = "wrong_count"
    NAME = "wrong_func_name"
    MISSING_REQUIRED = "missing_required"
    MISSING_OPTIONAL = "missing_optional"
    """An argument is missing that the schema lets out, but the answer doesn't."""
    UNEXPECTED = "unexpected_param"
    NO_MATCH = "cannot_find_match"
    """A wanted call has no counterpart among those that are left."""
    TYPE = "simple"
    NESTED_TYPE = "nested"
    TEXT = "string"
    LIST = "list/tuple"
    KEY = "dict_key"
    ENTRY = "dict_value"
    LIST_LENGTH = "list_dict_count"
    VALUE = "others"


Allowed: TypeAlias = Sequence[Any]
"""The alternatives of one argument."""
Schema: TypeAlias = Mapping[str, Any]

OMITTED = ""
"""Stands among the allowed values when the argument may be left out."""

_TYPES: Mapping[str | None, type] = {
    "string": str,
    "integer": int,
    "number": float,
    "boolean": bool,
    "array": list,
    "object": dict,
    None: str,
}
"""Python types by JSON Schema type; a value of any type counts as text."""

_IGNORED = re.compile(r"[ ,./\-_*^]")


def judge_value(value: Any, schema: Schema, allowed: Allowed) -> Fault | None:
    """Say what is wrong with the value of one argument; `None` when it is allowed.

    Args:
        value: What the model wrote, as JSON.
        schema: JSON Schema of the argument.
        allowed: The alternatives.

    """
    wanted, inner = _types(schema)
    if wanted is float and type(value) is int:
        value = float(value)
    if fault := _judge_type(value, allowed, wanted, inner):
        return fault
    if not _is_a(value, wanted) or _stands_for_variable(allowed, wanted):
        return None if value in allowed else Fault.VALUE
    if wanted is list:
        compare = _judge_objects if inner is dict else _judge_list
        return compare(value, allowed)
    return _COMPARISONS.get(wanted, _judge_plain)(value, allowed)


def _types(schema: Schema) -> tuple[type, type | None]:
    """Return the type of a value, and that of its items."""
    wanted = _TYPES[schema.get("type")]
    return wanted, _TYPES[(schema.get("items") or {}).get("type")] if wanted is list else None


def _judge_type(value: Any, allowed: Allowed, wanted: type, inner: type | None) -> Fault | None:
    """Check the type, and one level below it; the type of the alternatives is accepted as well."""
    if not _is_a(value, wanted):
        return None if _is_a(value, _type_of(allowed)) else Fault.TYPE
    if inner is None or any(_items_fit(value, option, inner) for option in allowed):
        return None
    return Fault.NESTED_TYPE if _is_a(value, _type_of(allowed)) else Fault.TYPE


def _items_fit(items: Sequence[Any], option: Any, inner: type) -> bool:
    """Tell whether all items have the declared type, or that of the first item of an alternative."""
    return type(option) is not list or all(_judge_type(item, option, inner, None) is None for item in items)


def _is_a(value: Any, kind: type | None) -> bool:
    """Tell whether a value is of exactly this type: a truth value is no number."""
    return type(value) is kind


def _type_of(allowed: Allowed) -> type | None:
    """Return the type of the first alternative that is a value."""
    return next((type(option) for option in allowed if option != OMITTED), None)


def _stands_for_variable(allowed: Allowed, wanted: type) -> bool:
    """Tell whether the alternatives are of another type than declared, as the names of variables are."""
    return _type_of(allowed) not in {None, wanted}


def normalise(value: Any) -> Any:
    """Write a text without blanks, `,./-_*^`, capitals and kinds of quotes; anything else stays."""
    return _IGNORED.sub("", value).lower().replace("'", '"') if type(value) is str else value


def _judge_plain(value: Any, allowed: Allowed) -> Fault | None:
    """Compare a number or a truth value."""
    return None if value in allowed else Fault.VALUE


def _judge_text(value: str, allowed: Allowed) -> Fault | None:
    """Compare a text, normalised."""
    texts = {normalise(option) for option in allowed if type(option) is str}
    return None if normalise(value) in texts else Fault.TEXT


def _judge_list(value: Sequence[Any], allowed: Allowed) -> Fault | None:
    """Compare a list item by item, in order; texts directly in it are normalised."""
    options = [[normalise(item) for item in option] for option in allowed if isinstance(option, list | str)]
    return None if [normalise(item) for item in value] in options else Fault.LIST


def _judge_object(value: Mapping[str, Any], allowed: Allowed) -> Fault | None:
    """Compare an object with each alternative, whose entries are alternatives in turn; the last fault is told."""
    fault: Fault | None = Fault.KEY
    for option in allowed:
        if option == OMITTED:
            continue
        fault = _judge_entries(value, option)
        if fault is None:
            return None
    return fault


def _judge_entries(value: Mapping[str, Any], option: Mapping[str, Allowed]) -> Fault | None:
    """Compare an object with one alternative."""
    if any(key not in value and OMITTED not in entries for key, entries in option.items()):
        return Fault.KEY
    for key, entry in value.items():
        if key not in option:
            return Fault.KEY
        if normalise(entry) not in [normalise(one) for one in option[key]]:
            return Fault.ENTRY
    return None


def _judge_objects(value: Sequence[Any], allowed: Allowed) -> Fault | None:
    """Compare a list of objects with each alternative, in order; the last fault is told."""
    fault: Fault | None = Fault.LIST_LENGTH
    for option in allowed:
        fault = _judge_row(value, option)
        if fault is None:
            return None
    return fault


def _judge_row(value: Sequence[Any], option: Sequence[Any]) -> Fault | None:
    """Compare a list of objects with one alternative."""
    if len(value) != len(option):
        return Fault.LIST_LENGTH
    if not all(isinstance(item, Mapping) for item in value):
        return Fault.NESTED_TYPE
    faults = (_judge_object(item, [wanted]) for item, wanted in zip(value, option, strict=True))
    return next((fault for fault in faults if fault), None)


_COMPARISONS: Mapping[type, Callable[[Any, Allowed], Fault | None]] = {str: _judge_text, dict: _judge_object}

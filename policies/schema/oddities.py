"""Harmless oddities of real tool lists: what cannot be meant in two ways is corrected or left out."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from typing import Any, Final


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

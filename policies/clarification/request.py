"""What the user has to be asked for, as plain data, and how a field is named in plain words."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any, Final

from pydantic import JsonValue as JSON  # noqa: N814  # the same type as `tools.call.JSON`, in a form that has a schema
from typing_extensions import TypedDict

from reinforced_agent.policies.same import Same
from reinforced_agent.policies.schema import CompiledTool
from reinforced_agent.policies.schema.closing import target
from reinforced_agent.policies.schema.dialect import Node
from reinforced_agent.policies.schema.fields import alike, nodes_at
from reinforced_agent.policies.schema.view import View
from reinforced_agent.policies.text.folds import first_sentence
from reinforced_agent.tools.spec import ToolSpec


class MissingField(TypedDict):
    """A value that only the user can give."""

    tool: str
    """The tool whose call needs it."""
    field: str
    """Its path in the arguments, such as `items[0].sku`."""
    description: str
    """What it is, in the words of the schema; else its name in words."""
    type: str
    """Its JSON type; empty where the schema allows several."""
    format: str
    """The form that a text must have, such as `date` or `email`; empty where none is named."""
    allowed: list[JSON]
    """The values to choose from; empty where none are listed."""


_STEP: Final = re.compile(r"\[([0-9]+)\]|\['([^']*)'\]|([^.\[\]]+)")
_CAMEL: Final = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")


def missing_field(spec: ToolSpec, field: str) -> MissingField:
    """Describe the value at a path in the arguments of a tool."""
    return dict(_missing_field(Same(spec), field))  # type: ignore[return-value]


@lru_cache(maxsize=1024)
def _missing_field(same: Same[ToolSpec], field: str) -> MissingField:
    tool = CompiledTool.compile(same.value)
    steps = _steps(field)
    nodes = nodes_at(tool, steps)
    views = alike(tool, nodes)
    return {
        "tool": same.value.name,
        "field": field,
        "description": _described(nodes, tool) or in_words(steps),
        "type": _type(views),
        "format": next((view.format for view in views if view.format), ""),
        "allowed": list(dict.fromkeys(_scalars(views))),
    }


def _steps(field: str) -> list[str | int]:
    """Take a path apart, as `path_text` wrote it."""
    found = _STEP.finditer(field)
    return [int(match[1]) if match[1] else match[2] or match[3] for match in found]


def in_words(steps: list[str | int]) -> str:
    """Write the name of a field as words: `items[0].unitPrice` is "unit price"."""
    name = next((step for step in reversed(steps) if isinstance(step, str)), "")
    return " ".join(_CAMEL.sub(" ", name).replace("_", " ").replace("-", " ").split()).lower()


def _described(nodes: list[Node], tool: CompiledTool) -> str:
    """Return the first sentence of what a schema says about a field, or about the type it refers to."""
    told: list[dict[str, Any]] = [node for node in nodes if isinstance(node, dict)]
    told += [inner for node in told if "$ref" in node and isinstance(inner := target(node["$ref"], tool.schema), dict)]
    text = next((str(node["description"]) for node in told if node.get("description")), "")
    return first_sentence(text)


def _type(views: list[View]) -> str:
    """Name the one JSON type that a value may have; the null of an optional field doesn't count."""
    kinds = frozenset[str]().union(*(view.kinds for view in views if not view.alternatives)) - {"null"}
    if "number" in kinds:
        kinds -= {"integer"}
    return next(iter(kinds)) if len(kinds) == 1 else ""


def _scalars(views: list[View]) -> list[JSON]:
    """List the values to choose from, those of a list's elements too."""
    return [
        value for view in views for value in view.options if value is not None and not isinstance(value, dict | list)
    ]

"""Find required values of a known form that nobody has said, so that they are asked for instead of made up."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from reinforced_agent.models.local.conversation import QUESTION
from reinforced_agent.models.local.dates import iso_dates
from reinforced_agent.models.local.fill import is_date
from reinforced_agent.models.local.prompt import Tool


_TOLD_WHOLE = frozenset({"email", "uri", "uuid", "hostname", "ipv4", "ipv6"})
"""Formats whose values are copied letter by letter or not at all."""
_PARTS = re.compile(r"[^\W_]+")


def missing(tool: Tool, arguments: Mapping[str, Any], said: Sequence[str]) -> list[str]:
    """Return the required fields whose written value has a form of its own and occurs in nothing that was said.

    Free text and plain numbers are left alone: they may be put in other words.
    """
    text = "\n".join(said)
    return [
        name
        for name in tool.parameters.get("required") or ()
        if isinstance(value := arguments.get(name), str) and not _is_said(value, tool.properties.get(name), text)
    ]


def _is_said(value: str, schema: Any, text: str) -> bool:
    if not isinstance(schema, Mapping):
        return True
    if is_date(schema):
        return value in iso_dates(text)
    if schema.get("format") in _TOLD_WHOLE:
        return value.lower() in text.lower()
    if "pattern" in schema:
        numbered = [part for part in _PARTS.findall(value.lower()) if any(map(str.isdigit, part))]
        return all(part in text.lower() for part in numbered)
    return True


def question(tool: Tool, names: Sequence[str]) -> str:
    """Ask for what is missing in the words of its description, with a value from the tool's examples as a pattern."""
    asked = "; ".join(f"{_described(tool, name)}{_such_as(tool, name)}" for name in names)
    return f"{QUESTION}{asked}. Which do you mean?"


def _described(tool: Tool, name: str) -> str:
    schema = tool.properties.get(name)
    words = str(schema.get("description") or "").rstrip(".") if isinstance(schema, Mapping) else ""
    return words[:1].lower() + words[1:] or name.replace("_", " ")


def _such_as(tool: Tool, name: str) -> str:
    values = [value for shown in tool.examples if (value := json.loads(shown.reply).get(name)) is not None]
    return f" (such as {values[0]})" if values else ""

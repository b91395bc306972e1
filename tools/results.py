"""Write what a tool returned as text for the model, within a size."""

from __future__ import annotations

import dataclasses
import json
from typing import Any

from pydantic import BaseModel
from pydantic_core import to_jsonable_python


CHARACTERS_A_TOKEN = 4
"""Rough size of a token, for bounds where the model's tokenizer isn't at hand."""


def as_text(value: Any) -> str:
    """Write a result as text: strings stay, everything else becomes JSON with real characters."""
    if isinstance(value, str):
        return value
    if value is None:
        return ""
    if isinstance(value, bytes):
        return f"[{len(value)} bytes of binary data]"
    if isinstance(value, BaseModel) or dataclasses.is_dataclass(value):
        value = to_jsonable_python(value, serialize_unknown=True)
    if hasattr(value, "content") and hasattr(value, "tool_call_id"):
        return as_text(value.content)
    return json.dumps(to_jsonable_python(value, serialize_unknown=True), ensure_ascii=False, default=str)


def cut(text: str, *, tokens: int | None, notice: str) -> str:
    """Keep the head and the tail of a text that is too long, with a notice between them.

    Args:
        text: The whole text.
        tokens: Size allowed, in tokens of 4 characters; `None` = any.
        notice: Template with `{length}` and `{shown}`, both in characters.

    """
    if tokens is None or len(text) <= tokens * CHARACTERS_A_TOKEN:
        return text
    shown = tokens * CHARACTERS_A_TOKEN
    head = shown * 3 // 4
    words = notice.format(length=len(text), shown=shown)
    return f"{text[:head]}\n{words}\n{text[-(shown - head) :]}"

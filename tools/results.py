"""Write what a tool returned as text for the model, within a size."""

from __future__ import annotations

import json
from typing import Any

from pydantic_core import to_jsonable_python


CHARACTERS_A_TOKEN = 4
"""Rough size of a token, for bounds where the model's tokenizer isn't at hand."""


def as_text(value: Any) -> str:
    """Write a result as text: strings stay, everything else becomes JSON with real characters.

    A value that can't be written is named, never raised about: the tool has run, and the run must go on.
    """
    try:
        return storable(_as_text(value))
    except Exception as error:  # noqa: BLE001  # objects of hosts may fail in any way when they are looked at
        return f"[a result of type {type(value).__name__} that can't be written as text: {type(error).__name__}]"


def storable(text: str) -> str:
    """Replace lone surrogates, which no checkpoint and no request can carry."""
    return text.encode("utf-8", "replace").decode("utf-8")


def message_of(error: BaseException) -> str:
    """Return the message of an exception, also of one that can't be written."""
    try:
        return storable(str(error))
    except Exception:  # noqa: BLE001  # exceptions of hosts may fail in any way when they are looked at
        return "no message can be read"


def _as_text(value: Any) -> str:
    """Write a result as text."""
    if isinstance(value, str):
        return value
    if value is None:
        return ""
    if isinstance(value, bytes):
        return f"[{len(value)} bytes of binary data]"
    if hasattr(value, "tool_call_id") and hasattr(value, "content"):
        # A message of a LangChain tool: its content is the result.
        return str(value.text)
    plain = to_jsonable_python(value, serialize_unknown=True, bytes_mode="base64", inf_nan_mode="strings")
    return json.dumps(plain, ensure_ascii=False, default=str)


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

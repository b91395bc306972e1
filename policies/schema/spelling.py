"""Writes paths, values and lists of them as short texts that are safe to show to a model."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from typing import Final

from reinforced_agent.policies.schema.view import kind_of
from reinforced_agent.tools.call import JSON


_LONGEST: Final = 48
_LONGEST_SENTENCE: Final = 200
_SENTENCE: Final = re.compile(r"(?<=[.!?])\s+(?=[A-Z(])|(?<=[。！？])|\n")
_PLAIN_KEY = re.compile(r"[\w-]+")
_SAFE = re.compile(r"[^`{}\[\]<>\\\"\x00-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]*")


def path_text(path: Iterable[str | int]) -> str:
    """Write a path as `items[0].sku`; steps that are no plain names appear in quotes, shortened."""
    text = ""
    for step in path:
        if isinstance(step, int):
            text += f"[{step}]"
        elif _PLAIN_KEY.fullmatch(step) and len(step) <= _LONGEST:
            text += f".{step}" if text else step
        else:
            label = shown(step) or "…"
            text += f"[{label!r}]" if text else label
    return text


def shown(value: JSON) -> str | None:
    """Write a short scalar value as it may be shown; `None` for anything that had better not be repeated."""
    if isinstance(value, dict | list):
        return None
    try:
        text = value if isinstance(value, str) else json.dumps(value)
    except ValueError:
        return None
    if not text.strip() or len(text) > _LONGEST or not _SAFE.fullmatch(text):
        return None
    return text


def first_sentence(text: str) -> str:
    """Return the first sentence of a description without its full stop, cut where it is long."""
    sentence = _SENTENCE.split(text.strip(), maxsplit=1)[0].strip().rstrip(".。")
    return sentence if len(sentence) <= _LONGEST_SENTENCE else f"{sentence[:_LONGEST_SENTENCE].rstrip()} …"


def got_facts(value: JSON) -> Mapping[str, str]:
    """Describe a wrong value: its JSON type in `got`, and the value itself where it is short and harmless."""
    text = shown(value)
    return {"got": kind_of(value)} if text is None or value is None else {"got": kind_of(value), "value": text}


def code_list(values: Iterable[JSON]) -> str:
    """Write values as a list in code marks: "`a`, `b`"."""
    return ", ".join(
        f"`{value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)}`" for value in values
    )

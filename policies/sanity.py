"""Judge what a tool returned before the model sees it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeAlias


@dataclass(frozen=True, slots=True)
class Fine:
    """The result may be used."""


@dataclass(frozen=True, slots=True)
class SoftError:
    """The tool returned normally, but what it returned says that it failed."""

    message: str


@dataclass(frozen=True, slots=True)
class Empty:
    """The tool returned nothing."""


Sanity: TypeAlias = Fine | SoftError | Empty

_FAILED = frozenset({"error", "failed", "failure"})


def judge_result(text: str) -> Sanity:
    """Tell a usable result from an empty one and from an error that was returned instead of raised."""
    if not text.strip():
        return Empty()
    value = _object_in(text)
    if value is None:
        return Fine()
    status = value.get("status")
    error = value.get("error")
    if isinstance(status, str) and status.lower() in _FAILED:
        return SoftError(_words(value.get("message") or error or status))
    if error and set(value) <= {"error", "message", "code", "detail", "details"}:
        return SoftError(_words(error if isinstance(error, str) else value.get("message") or error))
    return Fine()


def _object_in(text: str) -> Mapping[str, object] | None:
    """Return the JSON object a text consists of, if it is one."""
    if not text.lstrip().startswith("{"):
        return None
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def _words(value: object) -> str:
    """Write the message of an error, short."""
    return str(value)[:500]

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
_ABOUT_ERRORS = frozenset({"status", "error", "errors", "message", "code", "detail", "details", "success", "ok"})
"""Fields of a result that reports an error and nothing else."""


def judge_result(text: str) -> Sanity:
    """Tell a usable result from an empty one and from an error that was returned instead of raised."""
    if not text.strip():
        return Empty()
    value = _object_in(text)
    if value is None:
        return Fine()
    if not set(value) <= _ABOUT_ERRORS:
        # Whatever else it holds may be the answer: a payment that failed is a record, not a failure of the tool.
        return Fine()
    status, error = value.get("status"), value.get("error")
    failed = isinstance(status, str) and status.lower() in _FAILED
    if not failed and not error:
        return Fine()
    return SoftError(_words(error if isinstance(error, str) else value.get("message") or error or status))


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

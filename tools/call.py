"""A proposed tool call, as the model sent it and in its one canonical form."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TypeAlias


JSON: TypeAlias = "bool | int | float | str | list[JSON] | dict[str, JSON] | None"
"""Any value that JSON can express."""


EXACT = 2**53
"""Whole numbers below survive any JSON implementation, also written as fractions: each is a float of its own."""


@dataclass(frozen=True, slots=True)
class RawCall:
    """One call exactly as the model or its provider delivered it."""

    id: str
    """The provider's id, byte for byte; empty when there was none."""
    name: str
    """The tool name as written by the model; not yet resolved."""
    arguments: str | Mapping[str, JSON] | None
    """The wire text, or the mapping some providers send instead, or nothing."""


@dataclass(frozen=True)
class Call:
    """The canonical call: the only form that validation, approval, digest and execution see."""

    id: str
    """Unique within the turn; the tool message answers to it."""
    tool: str
    """The registered name of the tool."""
    arguments: Mapping[str, JSON]
    """Arguments after loss-free repair and coercion."""
    repairs: tuple[str, ...] = field(default=())
    """Names of the repairs that turned the raw call into this one; empty when none was needed."""

    @cached_property
    def digest(self) -> str:
        """The SHA-256 fingerprint of tool and arguments, in hex; ids and repairs don't count."""
        return digest(self.tool, self.arguments)


def digest(tool: str, arguments: Mapping[str, JSON]) -> str:
    """Fingerprint a call: equal for equal tool and arguments, whatever their key order; 5 and 5.0 are one number.

    Returns:
        64 hex digits (SHA-256 of the compact, key-sorted JSON text).

    """
    text = canonical_json([tool, _one_number({**arguments})])
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def _one_number(value: JSON) -> JSON:
    """Write whole numbers in one way, as long as no digit is lost."""
    if isinstance(value, dict):
        return {key: _one_number(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [_one_number(inner) for inner in value]
    exact = isinstance(value, float) and value.is_integer() and abs(value) < EXACT
    return int(value) if exact and isinstance(value, float) else value


def canonical_json(value: JSON) -> str:
    """Write a value as compact JSON with sorted keys and real characters instead of escapes."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)

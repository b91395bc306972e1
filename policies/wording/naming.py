"""Which texts may name another tool than the one that was called, and why: a message must lead to no write of its own.

A reader of these texts is a model that does what it is told. So a text names a tool beside the one it is about only for
one of the reasons below, and a test holds every placeholder of every catalogue against this list.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, Literal, TypeAlias


Reason: TypeAlias = Literal["nearest", "demanded", "declared", "ran", "proposed"]
"""The registered name nearest to a misspelt one; what a rule of the host demands first or excludes; a stand-in, or a
look-up, that the host declared; what ran already; a step or a call that the model itself proposed."""

_READ_FROM: Final[tuple[str, ...]] = ("untrusted_value", "orders")
"""Texts for people about what a tool that ran has returned."""

OTHER_TOOLS: Final[Mapping[str, Mapping[str, Reason]]] = {
    "near": {
        "unknown_tool_near": "nearest",
        "unreadable_tool_near": "nearest",
        "ambiguous_tool": "nearest",
        "leaked_unknown_tool_near": "nearest",
    },
    "source": {"requires_from": "demanded", "unchecked_from": "demanded", **dict.fromkeys(_READ_FROM, "ran")},
    "first": {"after": "demanded", "after_siblings": "demanded"},
    "others": {"forbidden_with": "demanded", "use": "declared"},
    "allowed": {"order": "demanded"},
    "lookup": {"lookup": "declared"},
    "other": {"served": "ran", "served_on": "ran"},
    "by": {"by_tool": "ran"},
    "tools": {"not_carried_out": "proposed"},
    "steps": {
        "now": "proposed",
        "off_plan_next": "proposed",
        "too_early": "proposed",
        "ask_early": "proposed",
        "after": "proposed",
        "cycle": "proposed",
    },
}
"""By placeholder and code of the text, why it may hold the name of another tool."""

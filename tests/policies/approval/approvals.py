"""Tools, calls and situations that the tests of approval share."""

from __future__ import annotations

from typing import Any

from reinforced_agent.policies.approval import ApprovalPolicy, Assessment, Condition
from reinforced_agent.policies.approval.conditions import Look, holds
from reinforced_agent.policies.situation import Situation
from reinforced_agent.tools.call import Call
from reinforced_agent.tools.spec import Risk, ToolSpec


PAY = ToolSpec(
    name="pay",
    description="Pay money.",
    parameters={
        "type": "object",
        "properties": {
            "amount": {"type": "number"},
            "urgent": {"type": "boolean", "default": False},
            "note": {"type": ["string", "null"], "default": None},
            "recipient": {"$ref": "#/$defs/Recipient"},
            "items": {"type": "array", "items": {"$ref": "#/$defs/Item"}},
            "copies": {"type": "array", "items": {"type": "string"}},
            "labels": {"type": "object", "additionalProperties": {"type": "string"}},
        },
        "$defs": {
            "Recipient": {
                "type": "object",
                "properties": {
                    "account": {"type": "string"},
                    "name": {"type": "string"},
                    "country": {"type": "string", "default": "DE"},
                },
            },
            "Item": {"type": "object", "properties": {"price": {"type": "number"}, "sku": {"type": "string"}}},
        },
    },
)
"""A write with fields of every kind."""

LOOK_UP = ToolSpec(
    name="look_up",
    description="Look something up.",
    parameters={"type": "object", "properties": {"query": {"type": "string"}}},
    risk=Risk.READ,
)


def situation(spec: ToolSpec = PAY, **known: Any) -> Situation:
    """Describe what is known beside a call."""
    return Situation(spec=spec, **known)


def met(
    condition: Condition, arguments: dict[str, Any], *, every: bool = False, repairs: tuple[str, ...] = (), **known: Any
) -> bool | None:
    """Put a call of `pay` to a condition."""
    call = Call("c1", "pay", arguments, repairs)
    return holds(condition, Look(call, situation(**known)), every=every)


def assess(
    policy: ApprovalPolicy,
    arguments: dict[str, Any] | None = None,
    *,
    spec: ToolSpec = PAY,
    repairs: tuple[str, ...] = (),
    **known: Any,
) -> Assessment:
    """Put a call of a tool to a policy."""
    return policy.assess(Call("c1", spec.name, arguments or {}, repairs), situation(spec, **known))

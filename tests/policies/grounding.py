"""Tools, calls and verdicts for the tests of the grounding layer."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from reinforced_agent.policies.grounding import check_grounding
from reinforced_agent.policies.situation import Situation
from reinforced_agent.policies.verdicts import Revise, Verdict
from reinforced_agent.tools.call import Call
from reinforced_agent.tools.spec import Risk, ToolSpec


TEXT = {"type": "string"}
NUMBER = {"type": "number"}
BY_USER = {"type": "string", "x-ground": "user"}


def tool(properties: Mapping[str, Any], *, required: tuple[str, ...] = (), risk: Risk = Risk.WRITE) -> ToolSpec:
    """Describe a tool that does something with the fields."""
    parameters = {"type": "object", "properties": properties, "required": list(required)}
    return ToolSpec(name="act", description="", parameters=parameters, risk=risk)


def verdict(spec: ToolSpec, arguments: dict[str, Any], request: str, **more: Any) -> Verdict:
    """Judge a call by the default policy."""
    return check_grounding(Call("c1", "act", arguments), Situation(spec=spec, request=request, **more))


def named(found: Verdict) -> tuple[str, ...]:
    """Return the fields of an objection; none for acceptance."""
    return found.fields if isinstance(found, Revise) else ()

"""The tool through which the model hands in a plan; it is never run."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Final

from reinforced_agent.tools.spec import Risk, ToolSpec


PLAN_TOOL: Final = "propose_plan"
"""Its name; only this tool is offered while the model plans, so that it can't meet another of that name."""

_ID: Final = {"type": ["string", "integer"], "description": "Short and unique, such as 1."}

PARAMETERS: Final[Mapping[str, Any]] = MappingProxyType(
    {
        "type": "object",
        "properties": {
            "steps": {
                "type": "array",
                "description": "The steps in the order in which they are done; empty when no tool is needed.",
                "items": {
                    "type": "object",
                    "properties": {
                        "id": _ID,
                        "tool": {"type": "string", "description": "Name of the tool."},
                        "purpose": {"type": "string", "description": "What the step is for, in one short sentence."},
                        "depends_on": {
                            "type": ["array", "null"],
                            "items": _ID,
                            "description": "Ids of the steps whose result or effect this one needs.",
                        },
                        "arguments": {
                            "type": ["object", "null"],
                            "additionalProperties": True,
                            "description": "The arguments that are known now; leave out what an earlier step brings.",
                        },
                        "missing": {
                            "type": ["array", "null"],
                            "items": {"type": "string"},
                            "description": "Parameters that are needed, and that only the user can tell.",
                        },
                    },
                    "required": ["id", "tool", "purpose"],
                },
            }
        },
        "required": ["steps"],
    }
)

SPEC: Final = ToolSpec(
    name=PLAN_TOOL,
    description="Hand in the plan for the task. Nothing is run by it.",
    parameters=PARAMETERS,
    risk=Risk.READ,
)

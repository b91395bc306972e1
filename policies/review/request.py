"""The tool through which a reviewing model hands in its verdicts; it is never run."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Final

from reinforced_agent.policies.review.opinions import Fault
from reinforced_agent.tools.spec import Risk, ToolSpec


VERDICT_TOOL: Final = "give_verdicts"
"""Its name; only this tool is offered to a reviewing model, so that it can't meet another of that name."""

PARAMETERS: Final[Mapping[str, Any]] = MappingProxyType(
    {
        "type": "object",
        "properties": {
            "verdicts": {
                "type": "array",
                "description": "One verdict for each call.",
                "items": {
                    "type": "object",
                    "properties": {
                        "call": {"type": "integer", "description": "Number of the call."},
                        "verdict": {"type": "string", "enum": ["good", "fix", "ask_user"]},
                        "fault": {"type": "string", "enum": [fault.value for fault in Fault]},
                        "field": {"type": "string", "description": "The argument concerned, if it is one."},
                        "reason": {"type": "string", "description": "One short sentence.", "maxLength": 300},
                        "score": {"type": "number", "description": "How sure you are that the call is right, 0 to 1."},
                    },
                    "required": ["call", "verdict"],
                },
            }
        },
        "required": ["verdicts"],
    }
)

SPEC: Final = ToolSpec(
    name=VERDICT_TOOL,
    description="Hand in your verdicts on the calls.",
    parameters=PARAMETERS,
    risk=Risk.READ,
)

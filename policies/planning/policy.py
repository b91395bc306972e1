"""Whether tasks are planned before anything runs, within which bounds, and through which tool."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Final, Literal, TypeAlias, get_args

from reinforced_agent.policies.approval.policy import ApprovalRule
from reinforced_agent.tools.spec import Risk, ToolSpec


Mode: TypeAlias = Literal["off", "auto", "always"]

_MODES: Final[tuple[Mode, ...]] = get_args(Mode)

PLAN_TOOL: Final = "propose_plan"
"""The tool through which the model hands in a plan, never run; no other is offered meanwhile, so names can't meet."""

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


class PlanningError(ValueError):
    """The planning policy can't be used; the text says what to change."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Planning:
    """When the model makes a plan, which is checked before anything runs.

    >>> careful = Planning(mode="always", approve=True, most_steps=6)

    """

    mode: Mode = "auto"
    """`off`: never. `auto`: where a rule of the host orders tools that are offered, and without a plan where there is
    none. `always`: for every message of the user; a turn without a sound plan ends."""
    approve: bool | ApprovalRule = False
    """Whether a person agrees to the plan before it is followed, and who; calls that ask a person still do so."""
    most_steps: int = 12
    """Steps a plan may have."""
    replans: int = 1
    """How often the rest is planned anew after a step failed for good."""

    def __post_init__(self) -> None:
        """Refuse what could only fail when it is too late.

        Raises:
            PlanningError: On a word that is no mode, or a bound that no plan could keep.

        """
        if self.mode not in _MODES:
            msg = f"planning={self.mode!r} is unknown: write one of {', '.join(map(repr, _MODES))}, or a `Planning`."
            raise PlanningError(msg)
        if self.most_steps < 1:
            msg = f"Planning.most_steps is {self.most_steps!r}, but must be above zero."
            raise PlanningError(msg)
        if self.replans < 0:
            msg = f"Planning.replans is {self.replans!r}, but can't be below zero; 0 never plans anew."
            raise PlanningError(msg)

    @property
    def rule(self) -> ApprovalRule | None:
        """Who has to agree to a plan; `None` where nobody is asked."""
        if isinstance(self.approve, ApprovalRule):
            return self.approve if self.approve.ask else None
        return ApprovalRule() if self.approve else None


def planning_of(wished: Any) -> Planning:
    """Take a word for a policy.

    Raises:
        PlanningError: When it is neither.

    """
    return wished if isinstance(wished, Planning) else Planning(mode=wished)

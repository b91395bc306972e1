"""Decide when an agent is built whether, and by which rules, it plans."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from langchain_core.language_models import BaseChatModel

from reinforced_agent.graph.records.logs import masking_logger
from reinforced_agent.models.plan_tool import can_plan
from reinforced_agent.policies.grounding import GroundingPolicy
from reinforced_agent.policies.planning import PlanBook, Planning, PlanningError, planning_of
from reinforced_agent.policies.planning.policy import Mode
from reinforced_agent.tools.toolset import Toolset


_logger = masking_logger(__name__)


def plan_book(
    planning: Planning | Mode,
    model: BaseChatModel,
    toolset: Toolset,
    layers: Iterable[Any],
    grounding: GroundingPolicy | None,
) -> PlanBook | None:
    """Return the rules about plans; `None` where nothing is planned.

    Raises:
        PlanningError: When the policy can't be used, or a plan is a must and the model makes none.

    """
    policy = planning_of(planning)
    if policy.mode == "off":
        return None
    if can_plan(model):
        return PlanBook(policy, toolset.values(), layers=layers, grounding=grounding or GroundingPolicy())
    if policy.mode == "always":
        msg = "The embedded model makes no plans: give another model, or planning='off'."
        raise PlanningError(msg)
    _logger.warning("The embedded model makes no plans: planning='auto' has no effect with it.")
    return None

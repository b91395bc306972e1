"""Plans before acting: whether one pays, what the model wrote, whether it can be followed, and how far it is."""

from reinforced_agent.policies.planning.book import PlanBook
from reinforced_agent.policies.planning.checking import Checked, Fault, Missing
from reinforced_agent.policies.planning.following import LAYER, PlanLayer, StepState, followed, is_open
from reinforced_agent.policies.planning.policy import PLAN_TOOL, Planning, PlanningError, planning_of
from reinforced_agent.policies.planning.reading import Draft, NoPlan, PlanReader, Unreadable
from reinforced_agent.policies.planning.steps import Plan, Step


__all__ = [
    "LAYER",
    "PLAN_TOOL",
    "Checked",
    "Draft",
    "Fault",
    "Missing",
    "NoPlan",
    "Plan",
    "PlanBook",
    "PlanLayer",
    "PlanReader",
    "Planning",
    "PlanningError",
    "Step",
    "StepState",
    "Unreadable",
    "followed",
    "is_open",
    "planning_of",
]

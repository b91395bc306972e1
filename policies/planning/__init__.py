"""Plans before acting: whether one pays, what the model wrote, whether it can be followed, and how far it is."""

from reinforced_agent.policies.planning.book import PlanBook
from reinforced_agent.policies.planning.checking import Checked, Fault
from reinforced_agent.policies.planning.policy import Planning, PlanningError, planning_of
from reinforced_agent.policies.planning.progress import PlanLayer, followed
from reinforced_agent.policies.planning.reading import Draft, NoPlan, Unreadable
from reinforced_agent.policies.planning.steps import Plan, Step


__all__ = [
    "Checked",
    "Draft",
    "Fault",
    "NoPlan",
    "Plan",
    "PlanBook",
    "PlanLayer",
    "Planning",
    "PlanningError",
    "Step",
    "Unreadable",
    "followed",
    "planning_of",
]

"""What a turn keeps about its planning, as plain data; the plan itself is in the channel `steps`."""

from __future__ import annotations

from typing import Literal

from typing_extensions import TypedDict

from reinforced_agent.graph.call_record import CallRecord


class PlanWork(TypedDict, total=False):
    """Where the planning of a turn stands."""

    phase: Literal["draft", "held", "following", "none"]
    """The model is asked for a plan; a person is asked about it; it is followed; the turn goes on without one."""
    reason: str
    """Why the turn is planned."""
    retries: dict[str, int]
    """How often the model was asked to revise its plan, by error kind."""
    draft: str
    """The last plan with faults, as JSON; empty where it could not be read."""
    feedback: str
    """What was wrong with it."""
    advice: str
    """What a person said about a plan they didn't agree to."""
    advised: int
    """How often they did so."""
    replans: int
    """How often the rest was planned anew."""
    handled: list[str]
    """Ids of failed steps that a new plan has taken into account."""
    since: int
    """The proposal in which the plan was made; later calls can belong to its steps."""
    held: CallRecord
    """The question to a person, in the form of a call."""
    asked: list[str]
    """Parameters that the user was asked for."""

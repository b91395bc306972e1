"""Where the run goes next: each route returns the reason, and the plan maps reasons to nodes."""

from __future__ import annotations

from typing import Literal, TypeAlias

from langchain_core.runnables import RunnableConfig
from langgraph.types import Send

from reinforced_agent.graph.budget.budget import limit_reached, run_of, seconds_left
from reinforced_agent.graph.deps import Bindings
from reinforced_agent.graph.planning.progress import replan_due
from reinforced_agent.graph.queries.calls import ended_by_tools, given_up, has_fallback, having, in_hand
from reinforced_agent.graph.state import State
from reinforced_agent.policies.status import RECHECKED, RUNNABLE, Status


Executions: TypeAlias = list[Send]
"""One branch a call; the branches run side by side."""


def route_after_plan(state: State, *, bound: Bindings) -> Literal["begin", "not done yet", "asked or over"]:
    """Begin as soon as there is a plan, or none is wanted."""
    if bound.plans is None:
        return "begin"
    turn = state["turn"]
    if turn.get("outcome") or state["proposal"].get("answer") is not None:
        return "asked or over"
    if turn.get("planning", {}).get("phase") in {"draft", "held"}:
        return "not done yet"
    return "asked or over" if limit_reached(state, bound.limits) else "begin"


def route_after_propose(state: State) -> Literal["call", "no call"]:
    """Check what the model proposed, unless it answered or could not be reached."""
    proposal = state["proposal"]
    if state["turn"].get("outcome") or proposal.get("answer") is not None:
        return "no call"
    return "call"


def route_after_check(
    state: State, config: RunnableConfig, *, bound: Bindings
) -> Literal["revise", "risky", "open, refused or limit"] | Executions:
    """Ask a person first, then run what passed; only when nothing can run does the model get another try."""
    records = in_hand(state)
    if having(records, Status.WAITING):
        return "risky"
    if having(records, *RUNNABLE):
        return executions(state, config, bound)
    # A call that shares the outcome of one that has run already has nothing to wait for either.
    if having(records, Status.OPEN, Status.REFUSED, Status.SHARED) or _is_over(state, bound):
        return "open, refused or limit"
    return "revise"


def route_after_approve(
    state: State, config: RunnableConfig, *, bound: Bindings
) -> Literal["check again", "not answered", "nothing to run"] | Executions:
    """Go on when every question is answered."""
    records = in_hand(state)
    if having(records, *RECHECKED):
        return "check again"
    if having(records, Status.WAITING):
        return "not answered"
    if having(records, *RUNNABLE):
        return executions(state, config, bound)
    return "nothing to run"


def route_after_inspect(
    state: State, *, bound: Bindings
) -> Literal["go on", "bad result", "step failed", "ended or limit"]:
    """Let a fallback serve where a result is missing, else tell the model; the rest of a plan may have to be redone."""
    if any(has_fallback(record, bound.toolset) for record in in_hand(state)):
        return "bad result"
    if not (given_up(state) or ended_by_tools(state, bound.toolset)) and replan_due(state, bound):
        return "step failed"
    return "ended or limit" if _is_over(state, bound) else "go on"


def route_after_fall_back(
    state: State, *, bound: Bindings
) -> Literal["alternative", "go on", "step failed", "nothing left"]:
    """Check the alternative like any call, or tell the model, or end; the rest of a plan may have to be redone."""
    if having(in_hand(state), Status.PROPOSED):
        return "alternative"
    if not (given_up(state) or ended_by_tools(state, bound.toolset)) and replan_due(state, bound):
        return "step failed"
    return "nothing left" if _is_over(state, bound) else "go on"


def _is_over(state: State, bound: Bindings) -> bool:
    """Tell whether the model may not be asked any more."""
    ended = state["turn"].get("outcome") or given_up(state) or ended_by_tools(state, bound.toolset)
    return bool(ended or limit_reached(state, bound.limits))


def executions(state: State, config: RunnableConfig, bound: Bindings) -> Executions:
    """Send every call that may run on its own way, with the time that is left for all of them."""
    turn = state["turn"]
    order = {
        "turn": turn["id"],
        "requester": turn["requester"],
        "locale": turn.get("locale", "en"),
        "left": seconds_left(turn, bound.limits),
        "sent": bound.stopwatch(),
        "run": run_of(config),
    }
    return [Send("execute", {**order, "record": record}) for record in having(in_hand(state), *RUNNABLE)]

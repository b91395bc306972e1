"""How far the plan of a turn is, derived from its calls: for the state, the layers, the routes and the model."""

from __future__ import annotations

from functools import partial
from typing import Any

from reinforced_agent.graph.budget.budget import limit_reached
from reinforced_agent.graph.deps import Bindings
from reinforced_agent.graph.state import State, Update, merge_calls
from reinforced_agent.policies.limits import Limits
from reinforced_agent.policies.planning.messages import listed, say
from reinforced_agent.policies.planning.progress import followed, is_open, ready
from reinforced_agent.policies.status import Status
from reinforced_agent.policies.verdicts import ErrorKind


def steps_now(state: State, bound: Bindings) -> list[dict[str, Any]]:
    """Return the plan with the status each step has by now; empty where there is none."""
    steps: list[dict[str, Any]] = state.get("steps") or []
    if not steps or bound.plans is None:
        return steps
    since = state["turn"].get("planning", {}).get("since", 0)
    calls = state.get("calls", {}).values()
    return followed(steps, calls, since=since, patience=partial(_patience, bound.limits))


def _patience(limits: Limits, kind: str) -> int:
    """Return how often a failure may come back before a step counts as failed."""
    return limits.retries_for(ErrorKind(kind))


def with_progress(state: State, update: Update, bound: Bindings) -> Update:
    """Add to an update what it means for the plan, if there is one."""
    if not state.get("steps"):
        return update
    after: State = {**state, "calls": merge_calls(state.get("calls"), update.get("calls"))}
    return {**update, "steps": steps_now(after, bound)}


def closing(state: State, bound: Bindings, *, answered: bool) -> Update:
    """Return the plan as the turn leaves it: what the model's answer did without was skipped."""
    steps = steps_now(state, bound)
    asked = state["turn"].get("planning", {}).get("asked")
    if answered and not asked:
        steps = [{**step, "status": "skipped"} if is_open(step) else step for step in steps]
    return {"steps": steps} if steps else {}


def open_steps(state: State, bound: Bindings, locale: str) -> list[str]:
    """Name the steps that nothing came of, for the account at the end of a run."""
    return [
        say("open_step", locale, step=step["id"], tool=step["tool"], purpose=step["purpose"]).rstrip(" :：")
        for step in steps_now(state, bound)
        if is_open(step)
    ]


def replan_due(state: State, bound: Bindings) -> bool:
    """Tell whether a step failed for good and the rest has to be planned anew; without a plan it never has to."""
    if not state.get("steps") or bound.plans is None:
        return False
    turn = state["turn"]
    work = turn.get("planning", {})
    spent = work.get("replans", 0) >= bound.plans.policy.replans
    if work.get("phase") != "following" or spent or turn.get("outcome") or limit_reached(state, bound.limits):
        return False
    if not state["proposal"].get("closed"):
        return False
    steps = steps_now(state, bound)
    lost = [step for step in steps if step["status"] == "failed" and step["id"] not in work.get("handled", ())]
    return any(not _was_rejected(step, state) or any(map(is_open, steps)) for step in lost)


def _was_rejected(step: dict[str, Any], state: State) -> bool:
    """Tell whether a person stood in the way of a step: with nothing left to do there is nothing to plan."""
    tried = [state["calls"][one] for one in step["calls"] if one in state.get("calls", {})]
    return bool(tried) and tried[-1]["status"] == Status.REJECTED


def plan_notice(state: State, bound: Bindings) -> str:
    """Tell the model the plan, how far it is, and what to do now."""
    if bound.plans is None or state["turn"].get("planning", {}).get("phase") != "following":
        return ""
    steps, locale = steps_now(state, bound), state["turn"].get("locale", "en")
    if not steps:
        return ""
    if now := ready(steps):
        todo = say("now", locale, steps=listed([f"{step['id']}: {step['tool']}" for step in now], locale))
    else:
        todo = say("blocked" if any(map(is_open, steps)) else "nothing_open", locale)
    return "\n".join([say("plan", locale), *lines(steps, locale), todo])


def lines(steps: list[dict[str, Any]], locale: str) -> list[str]:
    """Write a plan, one line a step."""
    return [_line(step, locale) for step in steps]


def _line(step: dict[str, Any], locale: str) -> str:
    after = say("after", locale, steps=say("list", locale).join(step["depends_on"])) if step["depends_on"] else ""
    return f"{step['id']}. [{say(step['status'], locale)}] `{step['tool']}`: {step['purpose']}{after}"

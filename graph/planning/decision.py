"""Act on what a person decided about a plan."""

from __future__ import annotations

from typing import Any, assert_never

from reinforced_agent.graph.budget.budget import limit_reached
from reinforced_agent.graph.call_record import CallRecord
from reinforced_agent.graph.context import Context
from reinforced_agent.graph.plan_record import PlanWork
from reinforced_agent.graph.planning.approval import decided, objection, renamed, use_token
from reinforced_agent.graph.planning.planner import book_of, checked, follow, kept_steps, work_of
from reinforced_agent.graph.queries.effects import Place, renewed, rule_of
from reinforced_agent.graph.state import Update
from reinforced_agent.policies.approval import Decided
from reinforced_agent.policies.planning import Plan, Unreadable
from reinforced_agent.policies.planning.messages import say
from reinforced_agent.policies.planning.steps import plan_of
from reinforced_agent.policies.redaction import masked


_MOST_ADVICE = 3
"""How often a person's objection leads to another plan in one turn."""


def act_on(answer: object, context: Context, place: Place) -> Update:
    """Follow the plan, change it, have it made anew, or end the turn; an unusable answer leaves the question open."""
    record = work_of(place.state)["held"]
    choice = decided(answer, record, place)
    if isinstance(choice, str):
        return _still_held(record, choice, place)
    if problem := objection(choice, record, context, place):
        return _still_held(record, problem, place)
    plan = _edited(choice, place) if choice.type == "edit" else _plan_in(record)
    if isinstance(plan, str):
        return _still_held({**record, "note": plan}, plan, place)
    if problem := use_token(choice, record, context, place):
        return _still_held(renewed({**record, "note": problem}, place), problem, place)
    return _carry_out(choice, plan, context, place)


def _carry_out(choice: Decided, plan: Plan, context: Context, place: Place) -> Update:
    """Do what was decided."""
    record = work_of(place.state)["held"]
    match choice.type:
        case "approve":
            return _quiet(follow(plan, place))
        case "edit" if rule_of(record).four_eyes:
            return _still_held(renamed(record, plan, context, place), "", place)
        case "edit":
            return _quiet(follow(plan, place))
        case "reject" | "respond":
            return _advised(choice.message.strip(), place)
        case _:
            assert_never(choice.type)


def _still_held(record: CallRecord, problem: str, place: Place) -> Update:
    """Ask again, and say what was wrong."""
    work: PlanWork = {**work_of(place.state), "held": record}
    return {"turn": {**place.state["turn"], "planning": work, "problem": problem}}


def _quiet(update: Update) -> Update:
    """Forget what was wrong with earlier answers."""
    return {**update, "turn": {**update["turn"], "problem": ""}}


def _edited(choice: Decided, place: Place) -> Plan | str:
    """Read and check the plan that a person wrote, or say what is wrong with it."""
    read = book_of(place).read_edit(dict(choice.arguments), locale=place.locale)
    if isinstance(read, Unreadable):
        return read.message
    found = checked(read.plan, place)
    # What a person leaves open, the calls will show.
    faults = [fault.message for fault in found.faults if not fault.soft]
    return "\n".join(faults) if faults else found.plan


def _plan_in(record: CallRecord) -> Plan:
    """Return the plan that is asked about."""
    steps: Any = record["arguments"]["steps"]
    return plan_of(steps)


def _advised(message: str, place: Place) -> Update:
    """Have a plan made with what the person said; without a word, or after too many, the turn ends."""
    work = work_of(place.state)
    count, turn = work.get("advised", 0) + 1, place.state["turn"]
    if message and count <= _MOST_ADVICE and not limit_reached(place.state, place.bound.limits):
        again: PlanWork = {**work, "phase": "draft", "advice": message, "advised": count}
        return {"turn": {**turn, "planning": again, "problem": ""}, "steps": kept_steps(place)}
    code = "rejected_because" if message else "rejected"
    detail = masked(say(code, "en", reason=message))
    ended: PlanWork = {**work, "phase": "none"}
    return {
        "turn": {**turn, "planning": ended, "outcome": "plan_rejected", "detail": detail, "problem": ""},
        "proposal": {"closed": True},
    }

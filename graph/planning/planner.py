"""Make a plan: ask the model, read what it says, check it before anything runs, and decide how the turn goes on."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, assert_never, cast

from langchain_core.messages import AIMessage, AnyMessage, HumanMessage
from langgraph.config import get_stream_writer

from reinforced_agent.graph.answers.model_failure import ended_without_reply
from reinforced_agent.graph.budget.budget import limit_reached, seconds_left, spent_by, used_up_tools
from reinforced_agent.graph.checks.situation import Situations
from reinforced_agent.graph.clarification import tell_open_question
from reinforced_agent.graph.plan_record import PlanWork
from reinforced_agent.graph.planning.approval import held
from reinforced_agent.graph.planning.progress import lines, steps_now
from reinforced_agent.graph.prompt.messages import output_of
from reinforced_agent.graph.prompt.window import in_context
from reinforced_agent.graph.queries.calls import exhausted_tools
from reinforced_agent.graph.queries.effects import Place, withdraw
from reinforced_agent.graph.state import Proposal, Spoken, State, Turn, Update
from reinforced_agent.policies.planning import Checked, Draft, Fault, NoPlan, Plan, PlanBook, Unreadable
from reinforced_agent.policies.planning.checking import Outlook
from reinforced_agent.policies.planning.messages import say
from reinforced_agent.policies.planning.policy import PLAN_TOOL
from reinforced_agent.policies.redaction import masked
from reinforced_agent.policies.verdicts import ErrorKind


EVENT = "reinforced_agent.plan"
"""Value of `type` in the custom events that carry a new plan."""


def book_of(place: Place) -> PlanBook:
    """Return the rules about plans.

    Raises:
        AssertionError: Where planning is off.

    """
    if place.bound.plans is None:
        msg = "a plan is made although planning is off"
        raise AssertionError(msg)
    return place.bound.plans


def work_of(state: State) -> PlanWork:
    """Return where the planning of the turn stands."""
    return state["turn"].get("planning", {})


def opened(update: Update, place: Place) -> Update:
    """Complete the opening of a turn: note whether it is planned, and make void what was asked about the last plan."""
    before = place.state.get("turn", {})
    if before.get("planning", {}).get("phase") == "held" and not before.get("outcome"):
        withdraw(before["planning"]["held"], place, by=before["requester"])
    resumed = "continues" in update["turn"] and bool(before.get("planning", {}).get("asked"))
    if reason := book_of(place).reason(resumed=resumed):
        update["turn"]["planning"] = {"phase": "draft", "reason": reason}
    return update


def begun(place: Place) -> Place:
    """Begin a new plan where a step of the one that is followed has failed, else go on with the drafts."""
    work = work_of(place.state)
    if work.get("phase") == "draft":
        return place
    failed = [step["id"] for step in steps_now(place.state, place.bound) if step["status"] == "failed"]
    again: PlanWork = {
        **work,
        "phase": "draft",
        "retries": {},
        "replans": work.get("replans", 0) + 1,
        "handled": failed,
    }
    turn: Turn = {**place.state["turn"], "planning": again}
    return Place({**place.state, "turn": turn}, place.thread, place.bound)


def unreachable(place: Place, error: Exception, seconds: float) -> Update:
    """End the turn when no plan came."""
    planned: Turn = {**place.state["turn"], "planning": {**_settled(place), "phase": "none"}}
    return {"turn": ended_without_reply(planned, error, seconds, place.bound), "proposal": {"closed": True}}


def plan_request(place: Place) -> list[AnyMessage]:
    """Return what the model is shown when it is asked for a plan: the chat, what to do, and what was wrong before."""
    work, locale = work_of(place.state), place.locale
    parts = [book_of(place).brief(locale, _withheld(place))]
    if told := tell_open_question(place.state, place.bound):
        parts.append(told)
    if steps := steps_now(place.state, place.bound):
        parts.append("\n".join([say("replan", locale), *lines(steps, locale)]))
    if work.get("advice"):
        parts.append(say("advice", locale, message=work["advice"]))
    shown = in_context({**place.state, "proposal": {"closed": True}}, parts, place.bound)
    return [*shown, *_last_draft(work)]


def _last_draft(work: PlanWork) -> list[AnyMessage]:
    """Return the last plan with what was wrong with it."""
    if not work.get("feedback"):
        return []
    before = [AIMessage(work["draft"])] if work.get("draft") else []
    return [*before, HumanMessage(work["feedback"])]


def take_in(message: AIMessage, place: Place, seconds: float) -> Update:
    """Read and check a plan, and decide how the turn goes on."""
    turn: Turn = {**place.state["turn"], "step": place.state["turn"]["step"] + 1}
    turn["seconds"] = turn.get("seconds", 0.0) + seconds
    after = Place({**place.state, "turn": turn}, place.thread, place.bound)
    update = _decide(message, after)
    work = update["turn"]["planning"]
    problem = next(iter(work.get("retries", {})), "") if work.get("feedback") else ""
    update["turn"]["spoken"] = [*turn.get("spoken", ()), _spoken(message, turn["step"], seconds, problem)]
    return update


def _decide(message: AIMessage, place: Place) -> Update:
    """Read what the model said."""
    read = book_of(place).read(output_of(message), locale=place.locale)
    match read:
        case Draft(plan=plan) if not plan:
            return {**without_plan(place), "steps": kept_steps(place)}
        case Draft(plan=plan):
            return _judge(plan, place)
        case NoPlan():
            if book_of(place).policy.mode != "always":
                return without_plan(place)
            return _send_back([Fault(ErrorKind.MALFORMED, say("none_given", place.locale, tool=PLAN_TOOL))], "", place)
        case Unreadable(kind=kind, message=text):
            return _send_back([Fault(kind, text)], "", place)
        case _:
            assert_never(read)


def checked(plan: Plan, place: Place) -> Checked:
    """Check a plan against what is known and what is left."""
    policy, limits = book_of(place).policy, place.bound.limits
    outlook = Outlook(
        locale=place.locale,
        most_steps=policy.most_steps,
        rounds=limits.steps - place.state["turn"]["step"],
        money=_money_left(place),
        seconds=seconds_left(place.state["turn"], limits),
        withheld=_withheld(place),
        done=frozenset(step["id"] for step in kept_steps(place)),
    )
    return book_of(place).check(plan, Situations(place).of, outlook)


def _money_left(place: Place) -> float | None:
    """Return the money that is left; no bound where a person is asked about what costs more."""
    limits = place.bound.limits
    if limits.money is None or limits.too_expensive == "ask":
        return None
    return limits.money - spent_by(place.state)["money"]


def _withheld(place: Place) -> frozenset[str]:
    """Return the tools that can't be called now."""
    parts = (place.state, place.bound.toolset, place.bound.limits)
    return exhausted_tools(*parts) | used_up_tools(*parts) | frozenset(place.bound.ledger.paused())


def _judge(plan: Plan, place: Place) -> Update:
    """Send a plan with faults back, ask the user for what is missing, or take the plan."""
    found = checked(plan, place)
    first = not work_of(place.state).get("retries")
    faults = [fault for fault in found.faults if first or not fault.soft]
    if faults:
        return _send_back(faults, _written(plan), place)
    if found.missing:
        return _ask_user(found, place)
    if (rule := book_of(place).policy.rule) is not None:
        work: PlanWork = {**_settled(place), "phase": "held", "held": held(found.plan, rule, place)}
        return {"turn": {**place.state["turn"], "planning": work}, "steps": _merged(found.plan, place)}
    return follow(found.plan, place)


def _written(plan: Plan) -> str:
    """Write a plan as the model may have written it."""
    kept = ("id", "tool", "purpose", "depends_on", "arguments")
    steps = [{name: step.plain()[name] for name in kept} for step in plan.steps]
    return json.dumps({"steps": steps}, ensure_ascii=False)


def _send_back(faults: list[Fault], draft: str, place: Place) -> Update:
    """Ask for a better plan while the budget of every kind of fault allows it."""
    work, limits, turn = work_of(place.state), place.bound.limits, place.state["turn"]
    retries = dict(work.get("retries", {}))
    kinds = list(dict.fromkeys(fault.kind for fault in faults))
    spent = any(retries.get(kind.value, 0) >= limits.retries_for(kind) for kind in kinds)
    if spent or limit_reached(place.state, limits):
        return _give_up(faults, place)
    asked = {kind.value: retries.pop(kind.value, 0) + 1 for kind in kinds}
    messages = dict.fromkeys(fault.message for fault in faults)
    feedback = [say("faults", place.locale), *(f"- {one}" for one in messages), say("again", place.locale)]
    again: PlanWork = {
        **work,
        "phase": "draft",
        "retries": {**asked, **retries},
        "draft": draft,
        "feedback": "\n".join(feedback),
    }
    return {"turn": {**turn, "planning": again}}


def _give_up(faults: list[Fault], place: Place) -> Update:
    """Go on without a plan, or end the turn where one is a must; a plan that was begun needs no other."""
    if book_of(place).policy.mode != "always" or place.state.get("steps"):
        return without_plan(place)
    detail = masked("; ".join(f"{fault.kind.value}: {fault.message}" for fault in faults))[:2_000]
    work: PlanWork = {**_settled(place), "phase": "none"}
    turn: Turn = {**place.state["turn"], "planning": work, "outcome": "no_plan", "detail": detail}
    return {"turn": turn, "proposal": {"closed": True}}


def without_plan(place: Place) -> Update:
    """Let the turn go on without a plan, or with what is left of the one before."""
    steps = steps_now(place.state, place.bound)
    work: PlanWork = {**_settled(place), "phase": "following" if steps else "none"}
    return {"turn": {**place.state["turn"], "planning": work}, "steps": steps}


def follow(plan: Plan, place: Place) -> Update:
    """Take a plan that is sound."""
    steps = _merged(plan, place)
    work: PlanWork = {**_settled(place), "phase": "following", "since": place.state["turn"]["step"]}
    work.pop("held", None)
    get_stream_writer()({"type": EVENT, "steps": steps})
    return {"turn": {**place.state["turn"], "planning": work}, "steps": steps}


def _settled(place: Place) -> PlanWork:
    """Return where the planning stands, without the traces of making this plan."""
    traces = ("draft", "feedback", "advice")
    left = {name: value for name, value in work_of(place.state).items() if name not in traces}
    return cast("PlanWork", left)


def kept_steps(place: Place) -> list[dict[str, Any]]:
    """Return the steps of an earlier plan that are behind it."""
    if not work_of(place.state).get("replans"):
        return []
    return [step for step in steps_now(place.state, place.bound) if step["status"] in {"done", "failed"}]


def _merged(plan: Plan, place: Place) -> list[dict[str, Any]]:
    """Put the new steps after those that were done; one whose id is taken gets another."""
    kept = kept_steps(place)
    taken = {step["id"] for step in kept}
    number = work_of(place.state).get("replans", 0) + 1
    ids = {one: f"{one}.{number}" if one in taken else one for one in plan.ids}
    new = [step.plain() for step in plan.steps]
    return [
        *kept,
        *(
            {**step, "id": ids[step["id"]], "depends_on": [ids.get(one, one) for one in step["depends_on"]]}
            for step in cast("list[dict[str, Any]]", new)
        ),
    ]


def _ask_user(found: Checked, place: Place) -> Update:
    """End the turn with a question for the values that only the user can tell."""
    work: PlanWork = {**_settled(place), "phase": "none", "asked": [one.field for one in found.missing]}
    lacks: dict[str, list[str]] = {}
    for one in found.missing:
        lacks.setdefault(one.tool, []).append(one.field)
    known = {step.tool: dict(step.arguments) for step in reversed(found.plan.steps) if step.tool in lacks}
    turn: Turn = {**place.state["turn"], "planning": work, "outcome": "asked"}
    proposal: Proposal = {"order": [], "lacks": lacks, "asks": known, "closed": True}
    return {"turn": turn, "steps": _merged(found.plan, place), "proposal": proposal}


def _spoken(message: AIMessage, step: int, seconds: float, problem: str) -> Spoken:
    """Put on record what a plan cost."""
    usage: Mapping[str, Any] = message.usage_metadata or {}
    spoken: Spoken = {
        "step": step,
        "kind": "plan",
        "input_tokens": usage.get("input_tokens", 0),
        "output_tokens": usage.get("output_tokens", 0),
        "model_seconds": seconds,
        "read_seconds": 0.0,
    }
    return {**spoken, "problem": problem} if problem else spoken

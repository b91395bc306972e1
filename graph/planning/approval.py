"""Ask a person about a plan, in the form of any question about a call, and take down what they decide."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, cast

from reinforced_agent.graph.approval.request import ApprovalRequest, argument_lines
from reinforced_agent.graph.call_record import CallRecord, Decision
from reinforced_agent.graph.context import Context, person_of
from reinforced_agent.graph.planning.progress import lines
from reinforced_agent.graph.queries.effects import Place, author_of, person_in, renewed, rule_of, terms_of
from reinforced_agent.ledger.approvals import Open, Unusable
from reinforced_agent.policies.approval import DECISIONS, ApprovalRule, Decided, Waiting, may_decide, read_answer
from reinforced_agent.policies.messages.outcomes import tell
from reinforced_agent.policies.planning import Plan
from reinforced_agent.policies.planning.messages import say
from reinforced_agent.policies.planning.policy import PARAMETERS, PLAN_TOOL
from reinforced_agent.policies.status import Status
from reinforced_agent.policies.text.visible import visible
from reinforced_agent.tools.call import digest
from reinforced_agent.tools.spec import Risk


def held(plan: Plan, rule: ApprovalRule, place: Place) -> CallRecord:
    """Put a plan into the form of a call that waits, with a token of its own."""
    record: Any = {
        "id": f"plan-{place.state['turn']['step']}",
        "tool": PLAN_TOOL,
        "status": Status.WAITING.value,
        "risk": Risk.WRITE.value,
        **_content(plan),
        **terms_of(rule, place.bound),
    }
    return renewed(record, place)


def _content(plan: Plan) -> CallRecord:
    """Return a plan as arguments of a call."""
    kept = ("id", "tool", "purpose", "depends_on", "arguments")
    arguments = {"steps": [{name: step.plain()[name] for name in kept} for step in plan.steps]}
    return cast("CallRecord", {"arguments": arguments, "digest": digest(PLAN_TOOL, arguments)})  # type: ignore[arg-type]


def question_about(record: CallRecord, place: Place) -> ApprovalRequest:
    """Show the plan, and what may be decided about it."""
    turn = place.state["turn"]
    effect = visible(say("approve", place.locale, request=" ".join(turn["request"].split())[:300]))
    shown = {"name": PLAN_TOOL, "args": dict(record["arguments"])}
    review: Any = {"action_name": PLAN_TOOL, "allowed_decisions": list(DECISIONS), "args_schema": dict(PARAMETERS)}
    own = {"call_id": record["id"], "reason": effect, "effect": effect}
    call: Any = {**{name: record.get(name, empty) for name, empty in _SHOWN.items()}, **own}
    return {
        "action_requests": [{**shown, "description": "\n".join([effect, *_shown_steps(record, place)])}],  # type: ignore[typeddict-item]
        "review_configs": [review],
        "calls": [call],
        "requester": turn["requester"]["user_id"],
        "problem": visible(turn.get("problem", "")),
    }


def _shown_steps(record: CallRecord, place: Place) -> Iterator[str]:
    """Write the steps, each with the arguments that are known already."""
    steps = cast("list[dict[str, Any]]", record["arguments"]["steps"])
    for step in steps:
        (line,) = lines([{**step, "status": "pending"}], place.locale)
        yield visible(" ".join(line.split("\n")))
        spec = place.bound.toolset.get(step["tool"])
        yield from argument_lines(step["arguments"], spec) if spec else ()


_SHOWN: dict[str, Any] = {
    "token": "",
    "tool": "",
    "digest": "",
    "risk": "",
    "roles": [],
    "four_eyes": False,
    "expires_at": "",
    "note": "",
}
"""Fields of the record that a question shows, with what stands for a missing one."""


def decided(answer: object, record: CallRecord, place: Place) -> Decided | str:
    """Read an answer: one decision, or what is wrong with it."""
    waiting = [Waiting(record["id"], record["token"])]
    read = read_answer(answer, waiting, positional=place.bound.positional_answers)
    return read.decided[0] if read.decided else " ".join(read.problems)


def objection(choice: Decided, record: CallRecord, context: Context, place: Place) -> str:
    """Say why this person may not decide so; empty where they may."""
    return (
        may_decide(
            choice.type,
            rule_of(record),
            requester=person_in(author_of(record, place.state)),
            decider=person_in(person_of(context)),
            locale=context.locale,
        )
        or ""
    )


def use_token(choice: Decided, record: CallRecord, context: Context, place: Place) -> str:
    """Use up the token; return what is wrong with it, or nothing. The same decision by the same person counts once."""
    by = person_of(context)
    standing = place.bound.ledger.approvals.spend(
        record["token"], place.binding(record), decision=choice.type, by=dict(by)
    )
    if isinstance(standing, Open) or _is_the_same(standing, {"type": choice.type, "by": by}):
        return ""
    codes = {"expired": "token_expired", "used": "token_used"}
    return tell(codes.get(standing.fault, "token_foreign"), context.locale)


def _is_the_same(standing: Unusable, decision: Decision) -> bool:
    """Tell a decision that a run took down before it was cut off from a second one."""
    return (standing.fault, standing.decision, standing.by) == ("used", decision["type"], decision["by"])


def renamed(record: CallRecord, plan: Plan, context: Context, place: Place) -> CallRecord:
    """Hold a plan that one of two people changed; it is theirs now, so that the other has to agree."""
    by = person_of(context)
    changed: CallRecord = {**record, **_content(plan), "author": by}
    return renewed({**changed, "note": tell("edited_by_one", context.locale, who=by["user_id"])}, place)

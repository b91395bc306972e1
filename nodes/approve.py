"""Ask a person about the calls that wait, once per pass, and take down what was decided."""

from __future__ import annotations

from typing import Any, TypedDict, assert_never

from langgraph.runtime import Runtime
from langgraph.types import interrupt

from reinforced_agent.graph.bindings import Bindings
from reinforced_agent.graph.records import having, in_hand
from reinforced_agent.graph.settle import settle
from reinforced_agent.graph.state import CallRecord, Context, Edit, State, Update, person_of
from reinforced_agent.policies.approval import DECISIONS, Decided, DecisionType, Waiting, read_answer
from reinforced_agent.policies.status import Status
from reinforced_agent.policies.verdicts import ErrorKind
from reinforced_agent.policies.wording.outcomes import tell
from reinforced_agent.tools.call import canonical_json


class ActionRequest(TypedDict):
    """One call as LangChain's inboxes render it."""

    name: str
    args: dict[str, Any]
    description: str


class ReviewConfig(TypedDict):
    """What may be decided about the call at the same position."""

    action_name: str
    allowed_decisions: list[DecisionType]


class HeldCall(TypedDict):
    """Our part of the question, at the same position: what an answer must name, and why it is asked."""

    token: str
    call_id: str
    tool: str
    digest: str
    risk: str
    reason: str
    note: str
    """What was wrong with the person's last edit; empty otherwise."""


class ApprovalRequest(TypedDict):
    """The payload of the interrupt: a LangChain `HITLRequest` with our fields beside it."""

    action_requests: list[ActionRequest]
    review_configs: list[ReviewConfig]
    calls: list[HeldCall]
    problem: str
    """What was wrong with the last answer; empty otherwise."""


def approve(state: State, runtime: Runtime[Context], *, bound: Bindings) -> Update:
    """Ask; an answer that can't be used changes nothing and is asked for again."""
    waiting = having(in_hand(state), Status.WAITING)
    answer = interrupt(_request(waiting, state, bound))
    held = [Waiting(record["id"], record["token"]) for record in waiting]
    read = read_answer(answer, held, positional=bound.positional_answers)
    person = person_of(runtime.context or Context())
    by_id = {record["id"]: record for record in waiting}
    locale = state["turn"].get("locale", "en")
    decided: dict[str, CallRecord] = {}
    for item in read.decided:
        record = _decide(by_id[item.id], item, locale)
        decided[item.id] = {**record, "decision": {"type": item.type, "by": person, "message": item.message}}
    return {**settle(state, decided, bound.toolset), "turn": {**state["turn"], "problem": " ".join(read.problems)}}


def _request(waiting: list[CallRecord], state: State, bound: Bindings) -> ApprovalRequest:
    """Show the canonical arguments, why the person is asked, and what will happen."""
    return {
        "action_requests": [
            {"name": record["tool"], "args": dict(record["arguments"]), "description": _describe(record, bound)}
            for record in waiting
        ],
        "review_configs": [{"action_name": record["tool"], "allowed_decisions": list(DECISIONS)} for record in waiting],
        "calls": [
            {
                "token": record["token"],
                "call_id": record["id"],
                "tool": record["tool"],
                "digest": record["digest"],
                "risk": record["risk"],
                "reason": record["reason"],
                "note": record.get("note", ""),
            }
            for record in waiting
        ],
        "problem": state["turn"].get("problem", ""),
    }


def _describe(record: CallRecord, bound: Bindings) -> str:
    """Say in words what will happen."""
    purpose = bound.toolset[record["tool"]].description.split("\n", 1)[0]
    return f"{purpose}\n{record['tool']} {canonical_json(dict(record['arguments']))}\n{record['reason']}"


def _decide(record: CallRecord, decided: Decided, locale: str) -> CallRecord:
    """Give the call the status the person chose; the token is used up either way."""
    used: CallRecord = {**record, "token": ""}
    match decided.type:
        case "approve":
            return {**used, "status": Status.APPROVED}
        case "edit":
            edit: Edit = {"name": decided.name, "arguments": dict(decided.arguments)}
            return {**record, "status": Status.EDITED, "edit": edit}
        case "reject":
            reason = decided.message.strip()
            code = "rejected_because" if reason else "rejected"
            feedback = tell(code, locale, reason=reason)
            return {**used, "status": Status.REJECTED, "kind": ErrorKind.REJECTED_BY_PERSON, "feedback": feedback}
        case "respond":
            return {**used, "status": Status.ANSWERED, "result": tell("answered", locale, message=decided.message)}
        case _:
            assert_never(decided.type)

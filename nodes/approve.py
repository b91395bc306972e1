"""Ask a person about the calls that wait, once per pass, and take down what was decided."""

from __future__ import annotations

from typing import assert_never

from langchain_core.runnables import RunnableConfig
from langgraph.runtime import Runtime
from langgraph.types import interrupt

from reinforced_agent.graph.agent import UndecidedError
from reinforced_agent.graph.approval.request import ApprovalRequest, request_for
from reinforced_agent.graph.call_record import CallRecord, Decision, Edit
from reinforced_agent.graph.context import Context, context_of, person_of
from reinforced_agent.graph.deps import Bindings
from reinforced_agent.graph.execution.breakers import pause_note
from reinforced_agent.graph.execution.outcomes import recalled
from reinforced_agent.graph.execution.settle import settle
from reinforced_agent.graph.execution.wording import judge
from reinforced_agent.graph.queries.calls import having, in_hand
from reinforced_agent.graph.queries.effects import Place, author_of, is_outdated, person_in, renewed, rule_of, thread_of
from reinforced_agent.graph.state import State, Update
from reinforced_agent.ledger.approvals import Open, Standing, Unusable
from reinforced_agent.ledger.effects import Known
from reinforced_agent.policies.approval import Decided, Waiting, may_decide, read_answer
from reinforced_agent.policies.messages.outcomes import tell
from reinforced_agent.policies.status import Status
from reinforced_agent.policies.verdicts import ErrorKind


def approve(state: State, runtime: Runtime[Context], config: RunnableConfig, *, bound: Bindings) -> Update:
    """Ask; an answer that can't be used runs nothing and is asked for again.

    Raises:
        UndecidedError: From the `LedgerError`, when a decision can't be written down; the question waits on then.

    """
    waiting = having(in_hand(state), Status.WAITING)
    request: ApprovalRequest = request_for(waiting, state, bound)
    answer = interrupt(request)
    try:
        return _take_in(answer, waiting, state, context_of(runtime.context), Place(state, thread_of(config), bound))
    except Exception as error:
        raise UndecidedError from error


def _take_in(answer: object, waiting: list[CallRecord], state: State, context: Context, place: Place) -> Update:
    """Take down what an answer decides."""
    bound = place.bound
    held = [Waiting(record["id"], record["token"]) for record in waiting]
    read = read_answer(answer, held, positional=bound.positional_answers)
    by_id = {record["id"]: record for record in waiting}
    problems = list(read.problems)
    decided: dict[str, CallRecord] = {}
    for item in read.decided:
        record, problem = _take_down(by_id[item.id], item, context, place)
        decided[item.id] = record
        problems += [problem] if problem else []
    return {**settle(state, decided, bound), "turn": {**state["turn"], "problem": " ".join(problems)}}


def _take_down(record: CallRecord, decided: Decided, context: Context, place: Place) -> tuple[CallRecord, str]:
    """Take down one decision, or leave the call waiting and say why."""
    by = person_of(context)
    decision: Decision = {"type": decided.type, "by": by, "message": decided.message}
    author = person_in(author_of(record, place.state))
    not_theirs = may_decide(
        decided.type, rule_of(record), requester=author, decider=person_in(by), locale=context.locale
    )
    if not_theirs is not None:
        return record, not_theirs
    standing = _use(record, decision, place)
    if isinstance(standing, Open) and (paused := _paused(record, decided, place)):
        return record, paused
    if isinstance(standing, Open) or _is_the_same(standing, decision):
        return {**_decide(record, decided, place), "decision": decision}, ""
    if standing.decision == "approve":
        # It runs, or has run, already; what came of it is told, and nothing runs again.
        return {**record, "status": Status.APPROVED, "decision": {**decision, "type": "approve"}}, ""
    ran = place.known_by_token(record)
    if isinstance(ran, Known):
        # A run that was cut off has run it as a person had changed it.
        return judge({**record, **recalled(record, ran), "decision": decision}, place), ""
    problem = tell(_FAULTS[standing.fault], context.locale)
    return renewed({**record, "note": problem}, place), problem


_FAULTS = {
    "forged": "token_foreign",
    "other_call": "token_foreign",
    "outdated": "token_foreign",
    "expired": "token_expired",
    "used": "token_used",
}
"""What the person is told, by what is wrong with the token of a call that waits."""


def _use(record: CallRecord, decision: Decision, place: Place) -> Standing:
    """Use up the token for decisions that run nothing; the claim, or another check of the call, uses up the others."""
    approvals, binding = place.bound.ledger.approvals, place.binding(record)
    gone = record["tool"] not in place.bound.toolset
    if decision["type"] == "edit" or (decision["type"] == "approve" and not gone):
        return approvals.look_up(record["token"], binding)
    return approvals.spend(record["token"], binding, decision=decision["type"], by=decision["by"])


def _paused(record: CallRecord, decided: Decided, place: Place) -> str:
    """Say that an operator has paused the tool that would run; the call waits on, and its token stays good."""
    if decided.type not in {"approve", "edit"}:
        return ""
    tool = decided.name if decided.type == "edit" else record["tool"]
    return pause_note(tool, place.bound.ledger.pauses.all(), place.locale) if tool in place.bound.toolset else ""


def _is_the_same(standing: Unusable, decision: Decision) -> bool:
    """Tell a decision that a run took down before it was cut off from a second one."""
    same = (standing.fault, standing.decision, standing.by) == ("used", decision["type"], decision["by"])
    return same and decision["type"] != "approve"


def _decide(record: CallRecord, decided: Decided, place: Place) -> CallRecord:
    """Give the call the status the person chose; one whose tool or rules have changed since is checked again first."""
    locale = place.locale
    match decided.type:
        case "approve" if record["tool"] not in place.bound.toolset:
            feedback = tell("tool_gone", locale, tool=record["tool"])
            refused: CallRecord = {**record, "token": "", "status": Status.REFUSED, "feedback": feedback}
            return {**refused, "kind": ErrorKind.UNKNOWN_TOOL}
        case "approve" if is_outdated(record, place.bound):
            return {**record, "status": Status.OUTDATED}
        case "approve":
            return {**record, "status": Status.APPROVED, "note": ""}
        case "edit":
            edit: Edit = {"name": decided.name, "arguments": dict(decided.arguments)}
            return {**record, "status": Status.EDITED, "edit": edit}
        case "reject":
            reason = decided.message.strip()
            feedback = tell("rejected_because" if reason else "rejected", locale, reason=reason)
            kind = ErrorKind.REJECTED_BY_PERSON
            return {**record, "token": "", "status": Status.REJECTED, "kind": kind, "feedback": feedback}
        case "respond":
            result = tell("answered", locale, message=decided.message)
            return {**record, "token": "", "status": Status.ANSWERED, "result": result}
        case _:
            assert_never(decided.type)

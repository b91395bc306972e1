"""Pass every new call through the layers and put the verdicts on record."""

from __future__ import annotations

import secrets
from collections.abc import Collection
from typing import assert_never

from reinforced_agent.graph.bindings import Bindings
from reinforced_agent.graph.records import (
    consecutive_failures,
    exhausted_tools,
    having,
    in_hand,
    may_revise,
    past_calls,
)
from reinforced_agent.graph.state import CallRecord, State, Update, merge_calls, plain
from reinforced_agent.policies.problems import Problem
from reinforced_agent.policies.risk import LAYER as RISK
from reinforced_agent.policies.rulebook import Examination
from reinforced_agent.policies.situation import Situation
from reinforced_agent.policies.status import Status
from reinforced_agent.policies.verdicts import Accept, Ask, ErrorKind, Refuse, Revise, Verdict, signal
from reinforced_agent.policies.wording import for_model, for_operator
from reinforced_agent.policies.wording.outcomes import tell
from reinforced_agent.tools.call import Call
from reinforced_agent.tools.spec import Risk, ToolSpec


FORMAT = "format"
"""Name of the layer that reads."""


def check(state: State, *, bound: Bindings) -> Update:
    """Judge the calls that are new or were edited by a person."""
    judged: dict[str, CallRecord] = {}
    for record in having(in_hand(state), Status.PROPOSED, Status.EDITED):
        judged[record["id"]] = _judge(record, state, bound, judged)
    return {"calls": plain(judged)}


def _judge(record: CallRecord, state: State, bound: Bindings, before: dict[str, CallRecord]) -> CallRecord:
    """Judge one call in the light of the turn and of the calls beside it."""
    if record["status"] == Status.EDITED:
        return _judge_edit(record, state, bound, before)
    if record.get("problems"):
        return _settle(record, _unread(record, state), state, bound)
    examination = _examine(record, state, bound, before)
    return _conclude(record, examination, state, bound, before)


def _examine(record: CallRecord, state: State, bound: Bindings, before: dict[str, CallRecord]) -> Examination:
    """Put one call before the layers."""
    locale = state["turn"].get("locale", "en")
    siblings = tuple(other.get("digest", "") for other in before.values())

    def situation(spec: ToolSpec) -> Situation:
        return Situation(
            spec=spec,
            request=state["turn"]["request"],
            history=past_calls(state),
            siblings=siblings,
            identical_failures=bound.limits.identical_failures,
            facts={name: fact["value"] for name, fact in state.get("facts", {}).items()},
            locale=locale,
        )

    return bound.rules.examine(
        record["raw_name"],
        record["arguments"],
        call_id=record["id"],
        repairs=tuple(record.get("repairs", ())),
        locale=locale,
        situation=situation,
        stand_in="serves" in record,
    )


def _unread(record: CallRecord, state: State) -> Revise:
    """Turn what the reader found into the verdict of the first layer."""
    problems = tuple(
        Problem(str(item["code"]), ErrorKind(item["kind"]), str(item["field"]), item["facts"])  # type: ignore[arg-type]
        for item in record["problems"]
    )
    return Revise(
        layer=FORMAT,
        kind=problems[0].kind,
        message=for_model(problems, tool=record["raw_name"], locale=state["turn"].get("locale", "en")),
        operator=for_operator(problems, tool=record["raw_name"]),
        fields=tuple(problem.field for problem in problems if problem.field),
    )


def _conclude(
    record: CallRecord, examination: Examination, state: State, bound: Bindings, before: dict[str, CallRecord]
) -> CallRecord:
    """Put the verdicts on record and give the call its status."""
    verdicts = [signal(verdict) for verdict in (Accept(layer=FORMAT), *examination.verdicts)]
    known = _canonical({**record, "verdicts": verdicts}, examination.call)
    twin = _twin(known, state, before)
    if examination.call is None or isinstance(examination.decision, Revise | Refuse):
        return _settle(known, examination.decision, state, bound)
    if examination.call.tool in exhausted_tools(state, bound.toolset, bound.limits):
        return _withhold(known, state)
    if twin is not None and not bound.toolset[examination.call.tool].pollable:
        return {**known, "status": Status.SHARED, "shares": twin["id"]}
    return _settle(known, examination.decision, state, bound, questions=_reasons(examination))


def _canonical(record: CallRecord, call: Call | None) -> CallRecord:
    """Put the canonical call on record, if there is one."""
    if call is None:
        return record
    return {
        **record,
        "tool": call.tool,
        "arguments": dict(call.arguments),
        "repairs": list(call.repairs),
        "digest": call.digest,
    }


def _settle(
    record: CallRecord, verdict: Verdict, state: State, bound: Bindings, *, questions: Collection[str] = ()
) -> CallRecord:
    """Give a call the status its verdict asks for."""
    match verdict:
        case Accept():
            return {**record, "status": Status.ACCEPTED, "risk": _risk(record, bound)}
        case Ask():
            return _hold(record, verdict, questions, state, bound)
        case Revise():
            return _revise(record, verdict, state, bound)
        case Refuse():
            spent = _was(state, record, Status.REFUSED)
            return {**_objected(record, verdict, Status.REFUSED), "spent": spent}
        case _:
            assert_never(verdict)


def _objected(record: CallRecord, verdict: Revise | Refuse, status: Status) -> CallRecord:
    """Put an objection on record; a call that no layer saw gets it as its first verdict."""
    return {
        **record,
        "status": status,
        "kind": verdict.kind.value,
        "feedback": verdict.message,
        "verdicts": record.get("verdicts") or [signal(verdict)],
    }


def _revise(record: CallRecord, verdict: Revise, state: State, bound: Bindings) -> CallRecord:
    """Ask the model again, within the budget; a stand-in made by a fallback has no model to ask."""
    if "serves" not in record and may_revise(state, verdict.kind, bound.limits):
        return _objected(record, verdict, Status.REVISE)
    return {**_objected(record, verdict, Status.REFUSED), "spent": "serves" not in record}


def _hold(record: CallRecord, verdict: Ask, questions: Collection[str], state: State, bound: Bindings) -> CallRecord:
    """Hold a call for a person, who is not asked twice about the same call."""
    if _was(state, record, Status.REJECTED):
        feedback = tell("rejected_before", state["turn"].get("locale", "en"))
        return {**record, "status": Status.REFUSED, "kind": ErrorKind.REJECTED_BY_PERSON, "feedback": feedback}
    return {
        **record,
        "status": Status.WAITING,
        "kind": verdict.kind.value,
        "risk": _risk(record, bound),
        "reason": " ".join([*(question for question in questions if question != verdict.message), verdict.message]),
        "asked": sorted(questions),
        "token": secrets.token_urlsafe(24),
    }


def _withhold(record: CallRecord, state: State) -> CallRecord:
    """Keep a tool that failed too often from being called again."""
    count = consecutive_failures(state, record["tool"])
    feedback = tell("failed_often", state["turn"].get("locale", "en"), tool=record["tool"], count=count)
    spent = any(past.tool == record["tool"] and past.status == Status.OPEN for past in past_calls(state))
    kind = ErrorKind.TOOL_ERROR_TRANSIENT.value
    return {**record, "status": Status.OPEN, "kind": kind, "feedback": feedback, "spent": spent}


def _twin(record: CallRecord, state: State, before: dict[str, CallRecord]) -> CallRecord | None:
    """Find an equal call of the same proposal that runs, waits, or has run: it must not happen twice."""
    others = merge_calls({other["id"]: other for other in in_hand(state)}, before)
    alive = {Status.ACCEPTED, Status.WAITING, Status.APPROVED, Status.DONE, Status.UNKNOWN, Status.ANSWERED}
    equal = (other for other in others.values() if other.get("digest") == record.get("digest", "-"))
    return next((other for other in equal if other["id"] != record["id"] and other["status"] in alive), None)


def _judge_edit(record: CallRecord, state: State, bound: Bindings, before: dict[str, CallRecord]) -> CallRecord:
    """Check a person's edit like a fresh call; an invalid one goes back to the person with the reason.

    The edit counts as approval, unless it moves the call to a riskier tool or raises a question that was not put.
    """
    edit, locale = record["edit"], state["turn"].get("locale", "en")
    fresh: CallRecord = {**record, "raw_name": edit["name"], "arguments": edit["arguments"], "repairs": []}
    examination = _examine(fresh, state, bound, before)
    decision, call = examination.decision, examination.call
    if call is None or isinstance(decision, Revise | Refuse):
        note = "" if isinstance(decision, Accept) else decision.message
        return {**record, "status": Status.WAITING, "note": note}
    edited = _edited(record, call, examination, bound)
    if _twin(edited, state, before) is not None:
        return {**record, "status": Status.WAITING, "note": tell("edited_to_twin", locale)}
    riskier = bound.toolset[call.tool].risk.rank > Risk(record["risk"]).rank
    if riskier or not _reasons(examination) <= set(record.get("asked", ())):
        return _settle(edited, decision, state, bound, questions=_reasons(examination))
    return {**edited, "status": Status.APPROVED}


def _edited(record: CallRecord, call: Call, examination: Examination, bound: Bindings) -> CallRecord:
    """Put an edit on record, with its own verdicts and risk."""
    verdicts = [signal(verdict) for verdict in (Accept(layer=FORMAT), *examination.verdicts)]
    edited = _canonical({**record, "note": "", "verdicts": verdicts}, call)
    changed: CallRecord = {**edited, "risk": bound.toolset[call.tool].risk.value}
    return changed if call.digest == record["digest"] else {**changed, "original_digest": record["digest"]}


def _reasons(examination: Examination) -> set[str]:
    """Return what the host's own rules want a person to know; the plain question of the risk is put by the risk."""
    return {question.message for question in examination.questions if question.layer != RISK}


def _risk(record: CallRecord, bound: Bindings) -> str:
    """Return the declared risk of the call's tool."""
    return bound.toolset[record["tool"]].risk.value


def _was(state: State, record: CallRecord, status: Status) -> bool:
    """Tell whether the very same call already met this fate in this turn."""
    return any(past.status == status and past.digest == record.get("digest") for past in past_calls(state))

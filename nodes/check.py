"""Pass every new call through the layers and put the verdicts on record."""

from __future__ import annotations

from typing import Any, assert_never

from langchain_core.runnables import RunnableConfig

from reinforced_agent.graph.bindings import Bindings
from reinforced_agent.graph.breaking import held_back, stopped, withheld
from reinforced_agent.graph.budgets import priced
from reinforced_agent.graph.call_record import CallRecord
from reinforced_agent.graph.counting import user_of
from reinforced_agent.graph.examining import examine_call
from reinforced_agent.graph.questions import assess, hold, hold_edited
from reinforced_agent.graph.records import (
    consecutive_failures,
    exhausted_tools,
    having,
    in_hand,
    may_revise,
    past_calls,
    was,
)
from reinforced_agent.graph.state import State, Update, merge_calls, plain
from reinforced_agent.graph.tickets import Place, needs_claim, thread_of
from reinforced_agent.graph.tracing import annotate
from reinforced_agent.policies.breaker import Shut
from reinforced_agent.policies.problems import Problem
from reinforced_agent.policies.rulebook import Examination
from reinforced_agent.policies.status import RUNNABLE, Status
from reinforced_agent.policies.verdicts import Accept, Ask, ErrorKind, Refuse, Revise, Verdict, signal
from reinforced_agent.policies.wording import for_model, for_operator
from reinforced_agent.policies.wording.outcomes import tell
from reinforced_agent.tools.call import Call
from reinforced_agent.tools.ledger.effects import Known
from reinforced_agent.tools.spec import Risk


FORMAT = "format"
"""Name of the layer that reads."""

_COUNTED = (Status.DONE, Status.UNKNOWN, *RUNNABLE, Status.WAITING)
"""Calls that have an effect of their own, or will have one."""


def check(state: State, config: RunnableConfig, *, bound: Bindings) -> Update:
    """Judge the calls that are new or were edited by a person.

    Raises:
        LedgerError: When a question to a person can't be written down.

    """
    place = Place(state, thread_of(config), bound)
    judged: dict[str, CallRecord] = {}
    for record in having(in_hand(state), Status.PROPOSED, Status.EDITED):
        judged[record["id"]] = _judge(record, place, judged)
    records = plain(judged)
    annotate(records.values())
    return {"calls": records}


def _judge(record: CallRecord, place: Place, before: dict[str, CallRecord]) -> CallRecord:
    """Judge one call in the light of the turn and of the calls beside it."""
    if record["status"] == Status.EDITED:
        return _judge_edit(record, place, before)
    if record.get("problems"):
        return _settle(record, _unread(record, place.state), place)
    return _conclude(record, _examine(record, place, before), place, before)


def _examine(record: CallRecord, place: Place, before: dict[str, CallRecord]) -> Examination:
    """Put one call before the layers."""
    return examine_call(record, place.state, place.bound, before)


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


def _conclude(record: CallRecord, examination: Examination, place: Place, before: dict[str, CallRecord]) -> CallRecord:
    """Put the verdicts on record and give the call its status."""
    verdicts = _signals(examination)
    known = priced(_canonical({**record, "verdicts": verdicts}, examination.call), place.bound.toolset)
    if examination.call is None or isinstance(examination.decision, Revise | Refuse):
        return _settle(known, examination.decision, place)
    if examination.call.tool in exhausted_tools(place.state, place.bound.toolset, place.bound.limits):
        return _withhold(known, place.state)
    twin = _twin(known, place, before) or _earlier(known, place)
    if twin is not None:
        return {**known, "status": Status.SHARED, "shares": twin["id"]}
    return _clear(known, examination, place, before)


def _signals(examination: Examination) -> list[dict[str, Any]]:
    """Write the verdicts of all layers, each with the time it took in microseconds."""
    timed = zip(examination.verdicts, examination.seconds, strict=True)
    judged = ({**signal(verdict), "us": round(seconds * 1e6, 1)} for verdict, seconds in timed)
    return [signal(Accept(layer=FORMAT)), *judged]


def _clear(record: CallRecord, examination: Examination, place: Place, before: dict[str, CallRecord]) -> CallRecord:
    """Let a call that no layer objects to run, or ask a person first."""
    assessment = assess(examination, place)
    counted: CallRecord = {**record, "risk": assessment.risk.value, "occurrence": _occurrence(record, place, before)}
    shut = stopped(counted, place.bound)
    if shut is not None and not _is_known(counted, place):
        return _hold_back({**counted, "held": isinstance(examination.decision, Ask)}, shut, place)
    if place.bound.house.user_quotas:
        counted["counted_for"] = user_of(place.state)
    if not isinstance(examination.decision, Ask):
        return {**counted, "status": Status.ACCEPTED, "held": False}
    return hold(counted, examination, assessment, place)


def _occurrence(record: CallRecord, place: Place, before: dict[str, CallRecord]) -> int:
    """Tell equal calls apart by a number, where a tool is meant to be called again like that, and for reads.

    A number that an equal call has, or had, is not given out again: a call in between may have failed.
    """
    spec = place.bound.toolset[record["tool"]]
    if spec.check_repetition and not spec.pollable and spec.risk is not Risk.READ:
        return 0
    others = having(merge_calls(place.state.get("calls"), before).values(), *_COUNTED)
    equal = (other for other in others if other.get("digest") == record["digest"] and other["id"] != record["id"])
    return max((other.get("occurrence", 0) + 1 for other in equal), default=0)


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


def _settle(record: CallRecord, verdict: Verdict, place: Place) -> CallRecord:
    """Give a call that a layer objects to the status its verdict asks for."""
    match verdict:
        case Accept() | Ask():
            msg = f"the call {record['id']!r} has no canonical form, but no objection either"
            raise AssertionError(msg)
        case Revise():
            return _revise(record, verdict, place)
        case Refuse():
            spent = was(place.state, record, Status.REFUSED)
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
        "missing": list(verdict.missing),
    }


def _revise(record: CallRecord, verdict: Revise, place: Place) -> CallRecord:
    """Ask the model again, within the budget; a stand-in made by a fallback has no model to ask."""
    if "serves" not in record and may_revise(place.state, verdict.kind, place.bound.limits):
        return _objected(record, verdict, Status.REVISE)
    return {**_objected(record, verdict, Status.REFUSED), "spent": "serves" not in record}


def _withhold(record: CallRecord, state: State) -> CallRecord:
    """Keep a tool that failed too often from being called again."""
    count = consecutive_failures(state, record["tool"])
    feedback = tell("failed_often", state["turn"].get("locale", "en"), tool=record["tool"], count=count)
    spent = any(past.tool == record["tool"] and past.status == Status.OPEN for past in past_calls(state))
    kind = ErrorKind.TOOL_ERROR_TRANSIENT.value
    return {**record, "status": Status.OPEN, "kind": kind, "feedback": feedback, "spent": spent}


def _hold_back(record: CallRecord, shut: Shut, place: Place) -> CallRecord:
    """Keep a call from a tool that is down; whoever calls it again after that was told can't be helped."""
    before = any(past.tool == record["tool"] and past.status == Status.OPEN for past in past_calls(place.state))
    spent = before and record["tool"] in withheld(place.bound)
    return {**held_back(record, shut, place.bound, place.locale), "spent": spent}


def _is_known(record: CallRecord, place: Place) -> bool:
    """Tell whether the ledger has more to tell about a call than that it may be run: that is told, tool or no tool."""
    if not needs_claim(record, place.bound):
        return False
    known = place.known([record]).get(record["id"])
    return known is not None and not (isinstance(known, Known) and known.status == "failed")


def _twin(record: CallRecord, place: Place, before: dict[str, CallRecord]) -> CallRecord | None:
    """Find an equal call of the same proposal that runs, waits, or has run: it must not happen twice."""
    if place.bound.toolset[record["tool"]].pollable:
        return None
    others = merge_calls({other["id"]: other for other in in_hand(place.state)}, before)
    # The original of an edit may come back, so it counts until the edit is taken.
    alive = {
        Status.EDITED,
        Status.ACCEPTED,
        Status.WAITING,
        Status.APPROVED,
        Status.DONE,
        Status.UNKNOWN,
        Status.ANSWERED,
    }
    equal = (other for other in others.values() if other.get("digest") == record.get("digest", "-"))
    return next((other for other in equal if other["id"] != record["id"] and other["status"] in alive), None)


def _earlier(record: CallRecord, place: Place) -> CallRecord | None:
    """Find an earlier read whose result may be taken again."""
    if not place.bound.toolset[record["tool"]].cached:
        return None
    calls = place.state.get("calls", {}).values()
    equal = [other for other in having(calls, Status.DONE) if other.get("digest") == record["digest"]]
    changed = [other.get("step", 0) for other in having(calls, Status.DONE, Status.UNKNOWN) if _changes(other)]
    return next((other for other in reversed(equal) if other.get("step", 0) > max(changed, default=-1)), None)


def _changes(record: CallRecord) -> bool:
    """Tell whether a call may have changed something."""
    return record.get("risk", Risk.READ) != Risk.READ


def _judge_edit(record: CallRecord, place: Place, before: dict[str, CallRecord]) -> CallRecord:
    """Check a person's edit like a fresh call; an invalid one goes back to the person with the reason."""
    edit = record["edit"]
    fresh: CallRecord = {**record, "raw_name": edit["name"], "arguments": edit["arguments"], "repairs": []}
    examination = _examine(fresh, place, before)
    decision, call = examination.decision, examination.call
    if call is None or isinstance(decision, Revise | Refuse):
        note = "" if isinstance(decision, Accept) else decision.message
        return {**record, "status": Status.WAITING, "note": note}
    verdicts = _signals(examination)
    edited = priced(_canonical({**record, "note": "", "verdicts": verdicts}, call), place.bound.toolset)
    if _twin(edited, place, before) is not None:
        return {**record, "status": Status.WAITING, "note": tell("edited_to_twin", place.locale)}
    numbered: CallRecord = {**edited, "occurrence": _occurrence(edited, place, before)}
    return hold_edited(record, numbered, examination, place)

"""Pass every new call through the layers and put the verdicts on record."""

from __future__ import annotations

from typing import assert_never

from langchain_core.runnables import RunnableConfig

from reinforced_agent.graph.answers.receipt import receipt_of
from reinforced_agent.graph.approval.pending import assess, hold, hold_again
from reinforced_agent.graph.budget.budget import priced
from reinforced_agent.graph.budget.quotas import user_of
from reinforced_agent.graph.call_record import CallRecord
from reinforced_agent.graph.checks.pipeline import Examiner
from reinforced_agent.graph.deps import Bindings
from reinforced_agent.graph.execution.breakers import held_back, stopped, withheld
from reinforced_agent.graph.inputs import is_kept
from reinforced_agent.graph.queries.calls import having, in_hand
from reinforced_agent.graph.queries.effects import Place, needs_claim, thread_of, withdraw
from reinforced_agent.graph.records.tracing import annotate
from reinforced_agent.graph.state import State, Update, merge_calls, plain
from reinforced_agent.ledger.effects import Known, Paused
from reinforced_agent.policies.breaker import Shut
from reinforced_agent.policies.messages import for_model, for_operator
from reinforced_agent.policies.messages.outcomes import tell
from reinforced_agent.policies.pipeline import Examination
from reinforced_agent.policies.results.verdicts import SILENT
from reinforced_agent.policies.status import RECHECKED, RUNNABLE, Status
from reinforced_agent.policies.verdicts import (
    Accept,
    Ask,
    ErrorKind,
    Problem,
    Refuse,
    Revise,
    Verdict,
    signal,
    warning_data,
)
from reinforced_agent.tools.call import Call
from reinforced_agent.tools.spec import Risk


FORMAT = "format"
"""Name of the layer that reads."""

_COUNTED = frozenset({Status.DONE, Status.UNKNOWN, *RUNNABLE, Status.WAITING})
"""Calls that have an effect of their own, or will have one."""
_ALIVE = _COUNTED | RECHECKED | {Status.ANSWERED}
"""Calls that must not happen twice; the original of an edit may come back, so it counts until the edit is taken."""


def check(state: State, config: RunnableConfig, *, bound: Bindings) -> Update:
    """Judge the calls that are new, were edited by a person, or approved under rules that have changed since.

    Raises:
        LedgerError: When a question to a person can't be written down.

    """
    place = Place(state, thread_of(config), bound, answerable=is_kept(config))
    examiner, equals = Examiner(place), _Equals(state)
    judged: dict[str, CallRecord] = {}
    for record in having(in_hand(state), Status.PROPOSED, *RECHECKED):
        judged[record["id"]] = known = _judge(record, place, examiner, equals)
        examiner.note(known)
        equals.note(known)
    records = plain(judged)
    annotate(records.values())
    if not having(judged.values(), Status.WAITING):
        return {"calls": records}
    asked: State = {**state, "calls": merge_calls(state.get("calls"), records)}
    return {"calls": records, "receipt": receipt_of(asked, bound)}


class _Equals:
    """The calls of a turn by fingerprint, as they stand while those of a message are judged one after the other."""

    def __init__(self, state: State) -> None:
        self._digests: dict[str, str] = {}
        self._alive: dict[str, dict[str, CallRecord]] = {}
        self._numbers: dict[str, int] = {}
        calls = state.get("calls", {}).values()
        for record in calls:
            self._count(record)
        for record in in_hand(state):
            self.note(record)
        changed = [record.get("step", 0) for record in having(calls, Status.DONE, Status.UNKNOWN) if _changes(record)]
        newer = max(changed, default=-1)
        self._results = {
            record["digest"]: record for record in having(calls, Status.DONE) if record.get("step", 0) > newer
        }

    def note(self, record: CallRecord) -> None:
        """Put a call of the message in the place of what it was."""
        self._alive.get(self._digests.pop(record["id"], ""), {}).pop(record["id"], None)
        if "digest" in record and record["status"] in _ALIVE:
            self._digests[record["id"]] = record["digest"]
            self._alive.setdefault(record["digest"], {})[record["id"]] = record
        self._count(record)

    def twin(self, record: CallRecord) -> CallRecord | None:
        """Find an equal call of the message that runs, waits, or has run."""
        equal = self._alive.get(record["digest"], {})
        return next((other for call_id, other in equal.items() if call_id != record["id"]), None)

    def number(self, record: CallRecord) -> int:
        """Return a number that no equal call of the turn has, or had: a call in between may have failed."""
        return self._numbers.get(record["digest"], 0)

    def result(self, record: CallRecord) -> CallRecord | None:
        """Find an equal call that has brought a result since the last change."""
        return self._results.get(record["digest"])

    def _count(self, record: CallRecord) -> None:
        if "digest" in record and record["status"] in _COUNTED:
            free = max(self._numbers.get(record["digest"], 0), record.get("occurrence", 0) + 1)
            self._numbers[record["digest"]] = free


def _judge(record: CallRecord, place: Place, examiner: Examiner, equals: _Equals) -> CallRecord:
    """Judge one call in the light of the turn and of the calls beside it."""
    if record["status"] == Status.EDITED:
        return _judge_edit(record, place, examiner, equals)
    if record["status"] == Status.OUTDATED:
        return _judge_outdated(record, place, examiner, equals)
    if record.get("problems") and not examiner.is_too_many(record):
        return _settle(record, _unread(record, place.state), place)
    return _conclude(record, examiner.examine(record), place, equals)


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


def _conclude(record: CallRecord, examination: Examination, place: Place, equals: _Equals) -> CallRecord:
    """Put the verdicts on record and give the call its status."""
    verdicts = _signals(examination)
    known = priced(_canonical({**record, **verdicts}, examination.call), place.bound.toolset)
    if examination.call is None or isinstance(examination.decision, Revise | Refuse):
        return _settle(known, examination.decision, place)
    if examination.call.tool in place.exhausted:
        return _withhold(known, place)
    twin = _twin(known, place, equals) or _earlier(known, place, equals)
    if twin is not None:
        return {**known, "status": Status.SHARED, "shares": twin["id"]}
    return _clear(known, examination, place, equals)


def _signals(examination: Examination) -> CallRecord:
    """Write the verdicts of all layers, each with the time it took in microseconds, and their warnings together."""
    timed = zip(examination.verdicts, examination.seconds, strict=True)
    judged = ({**signal(verdict), "us": round(seconds * 1e6, 1)} for verdict, seconds in timed)
    return {  # type: ignore[typeddict-item]  # a part of a record
        "verdicts": [signal(Accept(layer=FORMAT)), *judged],
        "warnings": [warning_data(warning) for warning in examination.warnings],
    }


def _clear(record: CallRecord, examination: Examination, place: Place, equals: _Equals) -> CallRecord:
    """Let a call that no layer objects to run, or ask a person first."""
    assessment = assess(examination, place)
    counted: CallRecord = {**record, "risk": assessment.risk.value, "occurrence": _occurrence(record, place, equals)}
    why = stopped(counted, place.bound, place.requester)
    if why is not None and not _is_known(counted, place):
        return _hold_back({**counted, "held": isinstance(examination.decision, Ask)}, why, place)
    if place.bound.house.user_quotas:
        counted["counted_for"] = user_of(place.state)
    if not isinstance(examination.decision, Ask):
        return {**counted, "status": Status.ACCEPTED, "held": False}
    return hold(counted, examination, assessment, place)


def _occurrence(record: CallRecord, place: Place, equals: _Equals) -> int:
    """Tell equal calls apart by a number, where a tool is meant to be called again like that, and for reads."""
    spec = place.bound.toolset[record["tool"]]
    once = spec.repeat != "allow" and spec.risk is not Risk.READ
    return 0 if once else equals.number(record)


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
            spent = place.was(record, Status.REFUSED)
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
    if "serves" not in record and place.may_revise(verdict.kind):
        return _objected(record, verdict, Status.REVISE)
    return {**_objected(record, verdict, Status.REFUSED), "spent": "serves" not in record}


def _withhold(record: CallRecord, place: Place) -> CallRecord:
    """Keep a tool that failed too often from being called again."""
    count = place.failures[record["tool"]]
    feedback = tell("failed_often", place.locale, tool=record["tool"], count=count)
    spent = record["tool"] in place.held_back
    kind = ErrorKind.TOOL_ERROR_TRANSIENT.value
    return {**record, "status": Status.OPEN, "kind": kind, "feedback": feedback, "spent": spent}


def _hold_back(record: CallRecord, why: Shut | Paused, place: Place) -> CallRecord:
    """Keep a call from a tool that is down; whoever calls it again after that was told can't be helped."""
    spent = record["tool"] in place.held_back and record["tool"] in withheld(place.bound)
    return {**held_back(record, why, place.bound, place.locale, place.requester), "spent": spent}


def _is_known(record: CallRecord, place: Place) -> bool:
    """Tell whether the ledger has more to tell about a call than that it may be run: that is told, tool or no tool."""
    if not needs_claim(record, place.bound):
        return False
    known = place.known([record]).get(record["id"])
    return known is not None and not (isinstance(known, Known) and known.status == "failed")


def _twin(record: CallRecord, place: Place, equals: _Equals) -> CallRecord | None:
    """Find an equal call of the same proposal that runs, waits, or has run: it must not happen twice."""
    return None if place.bound.toolset[record["tool"]].repeat == "allow" else equals.twin(record)


def _earlier(record: CallRecord, place: Place, equals: _Equals) -> CallRecord | None:
    """Find an earlier read whose result may be taken again."""
    if place.bound.toolset[record["tool"]].repeat != "reuse":
        return None
    equal = equals.result(record)
    # An error, or what is still under way, may be another one by now.
    may_differ = equal is not None and any(doubt["code"] in SILENT for doubt in equal.get("doubts", ()))
    return None if may_differ else equal


def _changes(record: CallRecord) -> bool:
    """Tell whether a call may have changed something."""
    return record.get("risk", Risk.READ) != Risk.READ


def _judge_edit(record: CallRecord, place: Place, examiner: Examiner, equals: _Equals) -> CallRecord:
    """Check a person's edit like a fresh call; an invalid one goes back to the person with the reason."""
    edit = record["edit"]
    fresh: CallRecord = {**record, "raw_name": edit["name"], "arguments": edit["arguments"], "repairs": []}
    examination = examiner.examine(fresh)
    decision, call = examination.decision, examination.call
    if call is None or isinstance(decision, Revise | Refuse):
        note = "" if isinstance(decision, Accept) else decision.message
        return {**record, "status": Status.WAITING, "note": note}
    verdicts = _signals(examination)
    edited = priced(_canonical({**record, "note": "", **verdicts}, call), place.bound.toolset)
    if _twin(edited, place, equals) is not None:
        return {**record, "status": Status.WAITING, "note": tell("edited_to_twin", place.locale)}
    numbered: CallRecord = {**edited, "occurrence": _occurrence(edited, place, equals)}
    return hold_again(record, numbered, examination, place)


def _judge_outdated(record: CallRecord, place: Place, examiner: Examiner, equals: _Equals) -> CallRecord:
    """Check an approved call under the tools and rules of now; what they object to is over, whoever approved it."""
    fresh: CallRecord = {**record, "raw_name": record["tool"]}
    examination = examiner.examine(fresh)
    checked = priced(_canonical({**record, "note": "", **_signals(examination)}, examination.call), place.bound.toolset)
    if examination.call is None or isinstance(examination.decision, Revise | Refuse):
        withdraw(record, place, by=record["decision"]["by"])
        return _settle({**checked, "token": ""}, examination.decision, place)
    numbered: CallRecord = {**checked, "occurrence": _occurrence(checked, place, equals)}
    return hold_again(record, numbered, examination, place)

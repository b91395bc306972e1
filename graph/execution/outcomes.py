"""Put on record what came of a call: of one that ran now, of one that ran before, and of one that must not run."""

from __future__ import annotations

import json
from typing import Any, assert_never, cast

from reinforced_agent.graph.budget.budget import charged
from reinforced_agent.graph.call_record import CallRecord, Failure
from reinforced_agent.graph.deps import Bindings
from reinforced_agent.graph.execution.requester import Withheld
from reinforced_agent.graph.execution.results import bring
from reinforced_agent.graph.execution.runner import Fired
from reinforced_agent.graph.prompt.untrusted import take_in
from reinforced_agent.graph.records.logs import masked_traceback
from reinforced_agent.ledger.approvals import Unusable
from reinforced_agent.ledger.effects import Known, Settlement
from reinforced_agent.policies.messages.costs import Excess, advise, tell_excess
from reinforced_agent.policies.messages.durations import duration
from reinforced_agent.policies.messages.outcomes import tell
from reinforced_agent.policies.status import Status
from reinforced_agent.policies.verdicts import ErrorKind, Refuse, signal
from reinforced_agent.tools.error_classes import classify
from reinforced_agent.tools.error_codes import FailureClass
from reinforced_agent.tools.errors import diagnose
from reinforced_agent.tools.execution import Raised, Returned, TimedOut
from reinforced_agent.tools.results import as_text, message_of, storable
from reinforced_agent.tools.spec import DidNotHappen, Happened, Reconciled, Risk
from reinforced_agent.tools.threads import ToolsBusyError


_MOST_TRACEBACK = 4_000
"""Characters of a traceback kept for the operator."""

_KEPT = (
    "status",
    "kind",
    "result",
    "kept",
    "source",
    "summary",
    "doubts",
    "in_doubt",
    "established",
    "blocks",
    "artifact",
    "told_facts",
    "handover",
    "failure",
    "foreign",
    "seconds",
    "attempts",
    "money",
)
"""Fields of a record that make up its outcome."""

_HEAVY = frozenset({"blocks", "artifact"})
_MOST_BESIDE = 1_000_000
"""Characters of the blocks, or the artifact, of a result that the ledger keeps."""

_STATUS: dict[Settlement, Status] = {
    "committed": Status.DONE,
    "failed": Status.FAILED,
    "unknown": Status.UNKNOWN,
}
_WITHOUT_CONTEXT: dict[Withheld, str] = {
    "other_person": (
        "the tool is given the context, and the run goes on under that of another person than the requester: "
        "give build_agent(context_for=...)"
    ),
    "no_context": "the tool is given the context, and the run goes on without one: give build_agent(context_for=...)",
    "context_for_failed": "the tool is given the context, and `context_for` could not make it: see the log",
}


def told(record: CallRecord, fired: Fired, bound: Bindings) -> CallRecord:
    """Tell results, failures and unknown outcomes of a call that ran apart."""
    match fired.outcome:
        case Raised(error=ToolsBusyError() as busy) if not fired.doubtful:
            outcome = {"status": Status.FAILED, "kind": ErrorKind.TOOL_ERROR_TRANSIENT, "failure": _never_begun(busy)}
        case Returned(value=BaseException() as error) | Raised(error=error):
            outcome = _failed(record, error, bound, doubtful=fired.doubtful)
        case Returned(value=value):
            outcome = bring(record, value, bound, assessed=fired.assessed)
        case TimedOut(seconds=seconds):
            changes = bound.toolset[record["tool"]].risk is not Risk.READ
            failure = _given_up(seconds)
            status = Status.UNKNOWN if changes else Status.FAILED
            outcome = {"status": status, "kind": ErrorKind.TOOL_ERROR_TRANSIENT, "failure": failure}
        case _:
            assert_never(fired.outcome)
    spent = {"seconds": fired.seconds, "attempts": fired.attempts}
    spent |= charged(record, fired.outcome, bound.toolset.get(record["tool"]))
    return cast("CallRecord", {"id": record["id"], **spent, **outcome})


def recalled(record: CallRecord, known: Known) -> CallRecord:
    """Tell what an earlier attempt at the same effect brought, or what a person found out about it; nothing ran now."""
    kept = _of_a_person(known) or {name: value for name, value in known.outcome.items() if name in _KEPT}
    outcome: dict[str, Any] = {"status": _STATUS[known.status], **kept}
    match outcome["status"]:
        case Status.DONE:
            missing: dict[str, Any] = {"result": ""}
        case Status.FAILED:
            nothing: Failure = {"type": "NoEffect", "message": "it had no effect", "traceback": ""}
            missing = {"failure": nothing, "kind": ErrorKind.TOOL_ERROR_TRANSIENT}
        case _:
            missing = {"kind": ErrorKind.TOOL_ERROR_TRANSIENT}
    return cast("CallRecord", {**missing, **outcome, "id": record["id"], "seconds": 0.0, "attempts": 0})


def _of_a_person(known: Known) -> dict[str, Any]:
    """Take from what a person found out the result alone, in any form; the rest is theirs to keep."""
    if "resolved_by" not in known.outcome:
        return {}
    result = known.outcome.get("result")
    return {"status": _STATUS[known.status], "result": "" if result is None else as_text(result)}


def reconciled(before: CallRecord, found: Reconciled, bound: Bindings) -> CallRecord:
    """Correct an unknown outcome by what the target says about it."""
    match found:
        case Happened(result=result):
            kept = {name: value for name, value in before.items() if name not in {"failure", "kind"}}
            return cast("CallRecord", {**kept, **bring(before, result, bound, happened=True)})
        case DidNotHappen():
            return {**before, "status": Status.FAILED}
        case None:
            return before
        case _:
            assert_never(found)


def denied(record: CallRecord, reason: Unusable, locale: str) -> CallRecord:
    """Refuse a call whose approval is not good for it, or not any more."""
    operator = f"the approval of call {record['id']!r} can't be used: {reason.fault} {reason.decision}".strip()
    return _refused(record, _void(tell("approval_void", locale, tool=record["tool"]), operator))


def gone(record: CallRecord, locale: str) -> CallRecord:
    """Refuse a call whose tool is not there any more."""
    words = tell("tool_gone", locale, tool=record["tool"])
    operator = f"the tool {record['tool']!r} of call {record['id']!r} is not registered any more"
    return _refused(record, Refuse(layer="routing", kind=ErrorKind.UNKNOWN_TOOL, message=words, operator=operator))


def mismatch(record: CallRecord, locale: str) -> CallRecord:
    """Refuse a call that is not the one that was checked."""
    return _refused(record, _void(tell("not_run", locale), f"call {record['id']!r} was changed after it was checked"))


def without_context(record: CallRecord, reason: Withheld, locale: str) -> CallRecord:
    """Refuse a call whose tool would see the context of somebody else than the requester."""
    refusal = Refuse(
        layer="context",
        kind=ErrorKind.POLICY,
        message=tell(reason, locale, tool=record["tool"]),
        operator=_WITHOUT_CONTEXT[reason],
    )
    return _refused(record, refusal)


def out_of_time(record: CallRecord, locale: str) -> CallRecord:
    """Refuse a call that was still waiting for its turn when the time of the run was over; nothing was started."""
    excess = [Excess("time")]
    feedback = f"{tell_excess(excess, record['tool'], locale)} {advise('without', locale)}"
    refusal = Refuse(layer="cost", kind=ErrorKind.TOO_EXPENSIVE, message=feedback, operator="no time was left")
    return _refused(record, refusal)


def settlement_of(ended: CallRecord) -> Settlement:
    """Return how the ledger puts an outcome down; an error that was returned is no effect."""
    match ended["status"]:
        case Status.DONE:
            return "committed"
        case Status.FAILED:
            return "failed"
        case _:
            return "unknown"


def outcome_of(ended: CallRecord) -> dict[str, Any]:
    """Return what the ledger keeps of an outcome, as plain data; large pictures and artifacts are not among it."""
    kept = {name: value for name, value in ended.items() if name in _KEPT}
    return {name: value for name, value in kept.items() if name not in _HEAVY or _is_small(value)}


def _is_small(value: object) -> bool:
    return len(json.dumps(value)) <= _MOST_BESIDE


def _failed(record: CallRecord, error: BaseException, bound: Bindings, *, doubtful: bool) -> dict[str, Any]:
    """Keep type and message for the model and the traceback for the operator.

    A write that broke off, in any of its attempts, may have taken effect all the same.
    """
    spec = bound.toolset[record["tool"]]
    diagnosis = diagnose(error, spec)
    unknown = (doubtful or not diagnosis.conclusive) and spec.risk is not Risk.READ
    kind = ErrorKind.TOOL_ERROR_TRANSIENT if diagnosis.transient else ErrorKind.TOOL_ERROR_PERMANENT
    message, origin = take_in(spec.name, message_of(error)[:1_000], bound)
    failure: Failure = {
        "type": type(error).__name__,
        "message": message,
        "traceback": storable(masked_traceback(error))[-_MOST_TRACEBACK:],
        "category": classify(error, spec).value,
    }
    if diagnosis.retry_after is not None:
        failure["retry_after"] = diagnosis.retry_after
    return {"status": Status.UNKNOWN if unknown else Status.FAILED, "kind": kind, "failure": failure, **origin}


def _given_up(seconds: float) -> Failure:
    """Say that a call gave no answer in its time."""
    return {
        "type": "TimeoutError",
        "message": f"no answer within {duration(seconds)}",
        "traceback": "",
        "category": FailureClass.TIMEOUT.value,
        "waited": seconds,
    }


def _never_begun(busy: ToolsBusyError) -> Failure:
    """Say that no thread was free for a call."""
    return {
        "type": type(busy).__name__,
        "message": str(busy),
        "traceback": "",
        "category": FailureClass.RATE_LIMIT.value,
    }


def _void(feedback: str, operator: str) -> Refuse:
    """Object to running what nobody has approved."""
    return Refuse(layer="approval", kind=ErrorKind.POLICY, message=feedback, operator=operator)


def _refused(record: CallRecord, refusal: Refuse) -> CallRecord:
    """Put a refusal of the executor on record, after the verdicts of the layers."""
    return {
        "id": record["id"],
        "status": Status.REFUSED,
        "kind": refusal.kind,
        "feedback": refusal.message,
        "verdicts": [*record.get("verdicts", []), signal(refusal)],
    }

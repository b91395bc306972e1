"""Read the call records of a turn: everything that is derived from them instead of being stored twice."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Literal

from reinforced_agent.graph.call_record import CallRecord
from reinforced_agent.graph.state import State
from reinforced_agent.policies.limits import Limits
from reinforced_agent.policies.results.verdicts import REPORTS_ERROR, UNFINISHED
from reinforced_agent.policies.situation import PastCall
from reinforced_agent.policies.status import FAULTY, UNSETTLED, Status
from reinforced_agent.policies.verdicts import ErrorKind
from reinforced_agent.tools.spec import Risk
from reinforced_agent.tools.toolset import Toolset


def current(state: State) -> list[CallRecord]:
    """Return the calls of the newest proposal, in its order, without stand-ins."""
    calls = state.get("calls", {})
    return [calls[call_id] for call_id in state.get("proposal", {}).get("order", []) if call_id in calls]


def in_hand(state: State) -> list[CallRecord]:
    """Return the calls of the newest proposal and the stand-ins that serve them."""
    step = state["turn"]["step"]
    return [record for record in state.get("calls", {}).values() if record.get("step") == step]


def having(records: Iterable[CallRecord], *statuses: Status) -> list[CallRecord]:
    """Keep the records in one of these statuses."""
    return [record for record in records if record["status"] in statuses]


def is_settled(records: Iterable[CallRecord]) -> bool:
    """Tell whether every call has reached an outcome the model can be told."""
    return not any(record["status"] in UNSETTLED for record in records)


def past_calls(state: State) -> tuple[PastCall, ...]:
    """Return the calls of earlier proposals of this turn, oldest first."""
    step = state["turn"]["step"]
    earlier = [record for record in state.get("calls", {}).values() if record.get("step", 0) < step]
    edited = [
        _past(record, record["original_digest"], Status.EDITED)
        for record in having(earlier, Status.DONE, Status.FAILED, Status.UNKNOWN)
        if "original_digest" in record
    ]
    return (*edited, *(_past(record, record.get("digest", ""), record["status"]) for record in earlier))


def _past(record: CallRecord, digest: str, status: str) -> PastCall:
    """Reduce a record to what layers look at."""
    doubts = {doubt["code"] for doubt in record.get("doubts", ())}
    return PastCall(
        tool=record.get("tool", record.get("raw_name", "")),
        digest=digest,
        status=status,
        result=record.get("result") or record.get("failure", {}).get("message", ""),
        step=record.get("step", 0),
        changes=record.get("risk", Risk.READ) != Risk.READ,
        may_pass=record.get("kind") == ErrorKind.TOOL_ERROR_TRANSIENT or REPORTS_ERROR in doubts,
        unfinished=UNFINISHED in doubts,
        kind=record.get("kind", ""),
    )


def took_effect(record: CallRecord) -> bool:
    """Tell whether a call, or the one that served in its place, was carried out; words in its place are no effect."""
    match Status(record["status"]):
        case Status.DONE:
            return record.get("risk") != Risk.READ
        case Status.SERVED:
            return record.get("effect", False)
        case _:
            return False


def revisions(state: State) -> Counter[str]:
    """Count how often the model was asked to revise, by error kind."""
    revised = having(state.get("calls", {}).values(), Status.REVISE)
    # Several faults of one kind in one proposal are one question to the model.
    asked = Counter(kind for _, kind in {(record.get("step"), record["kind"]) for record in revised})
    return asked + Counter(state["turn"].get("retries", {}))


def may_revise(state: State, kind: ErrorKind, limits: Limits) -> bool:
    """Tell whether the budget of an error kind allows to ask the model once more."""
    return revisions(state)[kind.value] < limits.retries_for(kind)


def consecutive_failures(state: State) -> Counter[str]:
    """Count how often each tool failed since it last worked, within this turn."""
    failures: Counter[str] = Counter()
    for record in state.get("calls", {}).values():
        tool = record.get("tool", "")
        if "failure" in record:
            failures[tool] += 1
        elif record["status"] == Status.DONE:
            failures[tool] = 0
    return failures


def exhausted_tools(state: State, toolset: Toolset, limits: Limits) -> frozenset[str]:
    """Return the tools that failed too often in this turn to be offered again."""
    failures = consecutive_failures(state)
    return frozenset(name for name, count in failures.items() if _failed_often(name, count, toolset, limits))


def _failed_often(name: str, count: int, toolset: Toolset, limits: Limits) -> bool:
    """Tell whether a tool has failed as often as it may."""
    spec = toolset.get(name)
    most = None if spec is None else limits.failures_of(spec)
    return most is not None and count >= most


def has_fallback(record: CallRecord, toolset: Toolset) -> bool:
    """Tell whether a call that gave no result has a fallback left to try."""
    spec = toolset.get(record.get("tool", ""))
    if spec is None or record.get("fallbacks", 0) >= len(spec.fallbacks):
        return False
    if record["status"] == Status.REFUSED:
        # What is wrong with the call itself stays wrong with another tool.
        return record.get("kind") == ErrorKind.TOO_EXPENSIVE
    return record["status"] in FAULTY


def handing_over(state: State) -> list[CallRecord]:
    """Return the calls that hand over to the graph around this one, once all calls of their message have ended."""
    if not state.get("proposal", {}).get("closed"):
        return []
    return [record for record in having(in_hand(state), Status.DONE) if "handover" in record]


def returned_directly(state: State, toolset: Toolset) -> list[CallRecord]:
    """Return the calls whose results are the answer: those of a message, if all of them are and each brought one."""
    records = current(state)
    if not state.get("proposal", {}).get("closed") or not all(_is_direct(record, toolset) for record in records):
        return []
    return records


def ended_by_tools(state: State, toolset: Toolset) -> Literal["", "returned", "handed_over"]:
    """Say how what tools brought ends the turn; empty where the model goes on."""
    if handing_over(state):
        return "handed_over"
    return "returned" if returned_directly(state, toolset) else ""


def _is_direct(record: CallRecord, toolset: Toolset) -> bool:
    spec = toolset.get(record.get("tool", ""))
    return spec is not None and spec.return_direct and record["status"] == Status.DONE and not record.get("in_doubt")


def given_up(state: State) -> str:
    """Return what the user is told instead of anything further; empty where nothing gave up."""
    return next((record["gave_up"] for record in in_hand(state) if "gave_up" in record), "")

"""Check what the calls brought, say what went wrong, and close the proposal when every call has its outcome."""

from __future__ import annotations

from typing import assert_never

from reinforced_agent.graph.bindings import Bindings
from reinforced_agent.graph.records import consecutive_failures, in_hand
from reinforced_agent.graph.settle import settle
from reinforced_agent.graph.state import CallRecord, Failure, State, Update
from reinforced_agent.policies.sanity import Empty, Fine, SoftError, judge_result
from reinforced_agent.policies.status import Status
from reinforced_agent.policies.verdicts import ErrorKind
from reinforced_agent.policies.wording.outcomes import tell
from reinforced_agent.tools.call import canonical_json


def inspect(state: State, *, bound: Bindings) -> Update:
    """Judge the results of the calls that just ran."""
    ran = [record for record in in_hand(state) if "seconds" in record and not record.get("inspected")]
    changed = {record["id"]: _judge(record, state, bound) for record in ran}
    seconds = max((record["seconds"] for record in ran), default=0.0)
    turn = {**state["turn"], "seconds": state["turn"].get("seconds", 0.0) + seconds}
    return {**settle(state, changed, bound.toolset), "turn": turn}  # type: ignore[typeddict-item]


def _judge(record: CallRecord, state: State, bound: Bindings) -> CallRecord:
    """Put the outcome of one call into words."""
    locale = state["turn"].get("locale", "en")
    judged: CallRecord = {**record, "inspected": True}
    match Status(record["status"]):
        case Status.DONE:
            return _judge_result(judged, locale)
        case Status.UNKNOWN:
            kind = ErrorKind.TOOL_ERROR_TRANSIENT
            words = tell("timeout_write", locale, tool=record["tool"], seconds=record["failure"]["message"])
            return {**judged, "kind": kind, "feedback": words}
        case Status.FAILED:
            return {**judged, "kind": _kind(record), "feedback": _failure(record, state, bound, locale)}
        case _:
            return judged


def _judge_result(record: CallRecord, locale: str) -> CallRecord:
    """Tell the model about empty results, and turn returned errors into failures."""
    sanity = judge_result(record["result"])
    match sanity:
        case Fine():
            result = record["result"]
        case Empty():
            result = tell("empty", locale, tool=record["tool"])
        case SoftError(message=message):
            failure: Failure = {"type": "ReturnedError", "message": message, "traceback": ""}
            words = tell("soft_error", locale, tool=record["tool"], message=message)
            failed: CallRecord = {**record, "failure": failure, "feedback": words}
            return {**failed, "status": Status.FAILED, "kind": ErrorKind.BAD_RESULT}
        case _:
            assert_never(sanity)
    if "original_digest" in record:
        result = tell("edited", locale, arguments=canonical_json(dict(record["arguments"])), result=result)
    return {**record, "result": result}


def _kind(record: CallRecord) -> str:
    """Sort a failure: what is about the connection may pass, the rest will not by itself."""
    transient = {"TimeoutError", "ConnectionError", "ConnectionResetError", "ConnectionRefusedError", "BrokenPipeError"}
    passes = record["failure"]["type"] in transient
    return ErrorKind.TOOL_ERROR_TRANSIENT if passes else ErrorKind.TOOL_ERROR_PERMANENT


def _failure(record: CallRecord, state: State, bound: Bindings, locale: str) -> str:
    """Say how the tool failed, and to stop when it fails again and again."""
    failure, tool = record["failure"], record["tool"]
    if failure["type"] == "TimeoutError" and not failure["traceback"]:
        words = tell("timeout_read", locale, tool=tool, seconds=failure["message"])
    else:
        words = tell("failed", locale, tool=tool, type=failure["type"], message=failure["message"])
    count = consecutive_failures(state, tool)
    if bound.limits.tool_failures is not None and count >= bound.limits.tool_failures:
        words += " " + tell("failed_often", locale, tool=tool, count=count)
    return words

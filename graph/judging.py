"""Put the outcome of a call that ran into words for the model."""

from __future__ import annotations

from typing import assert_never

from reinforced_agent.graph.bindings import Bindings
from reinforced_agent.graph.call_record import CallRecord, Failure
from reinforced_agent.graph.records import consecutive_failures
from reinforced_agent.graph.state import State
from reinforced_agent.policies.sanity import Empty, Fine, SoftError, judge_result
from reinforced_agent.policies.status import Status
from reinforced_agent.policies.verdicts import ErrorKind
from reinforced_agent.policies.wording.outcomes import tell
from reinforced_agent.tools.call import canonical_json


def judge(record: CallRecord, state: State, bound: Bindings) -> CallRecord:
    """Judge what a call brought, once."""
    locale = state["turn"].get("locale", "en")
    judged: CallRecord = {**record, "inspected": True}
    match Status(record["status"]):
        case Status.DONE:
            return _judge_result(judged, locale)
        case Status.UNKNOWN:
            return {**judged, "kind": ErrorKind.TOOL_ERROR_TRANSIENT, "feedback": _unknown(record, locale)}
        case Status.FAILED:
            kind = record.get("kind", ErrorKind.TOOL_ERROR_PERMANENT)
            return {**judged, "kind": kind, "feedback": _failure(record, state, bound, locale)}
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


def _unknown(record: CallRecord, locale: str) -> str:
    """Say that nobody knows whether a call took effect, and why."""
    failure = record.get("failure")
    if failure is None:
        return tell("interrupted_write", locale, tool=record["tool"])
    if _timed_out(failure):
        return tell("timeout_write", locale, tool=record["tool"], seconds=failure["message"])
    return tell("broken_write", locale, tool=record["tool"], type=failure["type"], message=failure["message"])


def _timed_out(failure: Failure) -> bool:
    """Tell the graph's own time-out, whose message is the seconds, from one that the tool raised."""
    return failure["type"] == "TimeoutError" and not failure["traceback"]


def _failure(record: CallRecord, state: State, bound: Bindings, locale: str) -> str:
    """Say how the tool failed, and to stop when it fails again and again."""
    failure, tool = record["failure"], record["tool"]
    if _timed_out(failure):
        words = tell("timeout_read", locale, tool=tool, seconds=failure["message"])
    else:
        words = tell("failed", locale, tool=tool, type=failure["type"], message=failure["message"])
    count = consecutive_failures(state, tool)
    most = bound.limits.failures_of(bound.toolset[tool])
    if most is not None and count >= most:
        words += " " + tell("failed_often", locale, tool=tool, count=count)
    return words

"""Put the outcome of a call that ran into words for the model."""

from __future__ import annotations

from reinforced_agent.graph.call_record import CallRecord, Failure
from reinforced_agent.graph.execution.judge import MISWRITTEN, UNSUPPORTED, doubt_of
from reinforced_agent.graph.queries.effects import Place
from reinforced_agent.policies.messages.durations import duration
from reinforced_agent.policies.messages.failures import advise, with_traceback
from reinforced_agent.policies.messages.outcomes import tell
from reinforced_agent.policies.results import Doubt
from reinforced_agent.policies.results.messages import done_in_doubt, note, say
from reinforced_agent.policies.status import Status
from reinforced_agent.policies.verdicts import ErrorKind
from reinforced_agent.tools.call import canonical_json
from reinforced_agent.tools.threads import ToolsBusyError


def judge(record: CallRecord, place: Place) -> CallRecord:
    """Judge what a call brought, once."""
    locale = place.locale
    judged: CallRecord = {**record, "inspected": True}
    match Status(record["status"]):
        case Status.DONE:
            return _tell_result(judged, locale)
        case Status.UNKNOWN:
            return {**judged, "kind": ErrorKind.TOOL_ERROR_TRANSIENT, "feedback": _unknown(record, locale)}
        case Status.FAILED:
            kind = record.get("kind", ErrorKind.TOOL_ERROR_PERMANENT)
            return {**judged, "kind": kind, "feedback": _failure(record, place)}
        case _:
            return judged


def _tell_result(record: CallRecord, locale: str) -> CallRecord:
    """Tell the model what is to be known about a result, in the language of the turn."""
    result = retold(record, locale)
    if "original_digest" in record:
        result = tell("edited", locale, arguments=canonical_json(dict(record["arguments"])), result=result)
    return {**record, "result": result}


def for_people(record: CallRecord, locale: str) -> str:
    """Return what a call brought as its tool wrote it, without what the model alone has to know about it."""
    edited = tell("edited", locale, arguments=canonical_json(dict(record["arguments"])), result="")
    result = record.get("result", "").removeprefix(edited if "original_digest" in record else "")
    words = note([doubt_of(data) for data in record.get("doubts", [])], locale)
    return result.removesuffix(f"\n{words}") if words else result


def retold(record: CallRecord, locale: str) -> str:
    """Write a result of earlier as it was told then: what is in doubt about it stands beside it."""
    if record["result"].strip():
        return _annotated(record, locale)
    nothing = tell("empty", locale, tool=record["tool"])
    undone = any(doubt["code"] in {UNSUPPORTED, MISWRITTEN} for doubt in record.get("doubts", ()))
    return _annotated({**record, "result": nothing}, locale) if undone else nothing


def _annotated(record: CallRecord, locale: str) -> str:
    """Write what is in doubt beside a result."""
    doubts = [doubt_of(data) for data in record.get("doubts", [])]
    words = done_in_doubt(doubts[0], locale) if doubts and record.get("in_doubt") else note(doubts, locale)
    return f"{record['result']}\n{words}" if words else record["result"]


def _bad_result(record: CallRecord, doubt: Doubt, locale: str, advice: str = "") -> str:
    """Say why a result can't be used, what came in its place where that may hold the reason, and what to do."""
    if doubt.code == "reported_error":
        words = tell("soft_error", locale, tool=record["tool"], message=doubt.facts["message"])
    else:
        words = tell("bad_result", locale, tool=record["tool"], problem=say(doubt, locale))
    if came := doubt.facts.get("came"):
        words = _ended(words, locale) + tell("came", locale, came=came)
    return _ended(words, locale) + advice if advice else words


def _unknown(record: CallRecord, locale: str) -> str:
    """Say that nobody knows whether a call took effect, and why."""
    failure = record.get("failure")
    if failure is None:
        return tell("interrupted_write", locale, tool=record["tool"])
    if _timed_out(failure):
        return tell("timeout_write", locale, tool=record["tool"], time=_waited(failure, locale))
    return tell("broken_write", locale, tool=record["tool"], type=failure["type"], message=failure["message"])


def _timed_out(failure: Failure) -> bool:
    """Tell the graph's own time-out from one that the tool raised."""
    return failure["type"] == "TimeoutError" and not failure["traceback"]


def _waited(failure: Failure, locale: str) -> str:
    """Say how long an answer was waited for; an earlier version put the bare seconds down as the message."""
    waited = failure.get("waited")
    return duration(float(failure["message"]) if waited is None else waited, locale)


def _raised(failure: Failure, tool: str, locale: str, advice: str) -> tuple[str, str]:
    """Say what the tool raised, and what can be done about it."""
    return tell("failed", locale, tool=tool, type=failure["type"], message=failure["message"]) + (
        "." if advice and failure["message"][-1:].isalnum() else ""
    ), advice


def _failure(record: CallRecord, place: Place) -> str:
    """Say how the tool failed, and to stop when it fails again and again."""
    failure, tool, bound, locale = record["failure"], record["tool"], place.bound, place.locale
    advice = advise(failure.get("category", ""), locale, retry_after=failure.get("retry_after"))
    if record.get("doubts"):
        words = _bad_result(record, doubt_of(record["doubts"][0]), locale, advice)
    elif _timed_out(failure):
        words = tell("timeout_read", locale, tool=tool, time=_waited(failure, locale))
    elif failure["type"] == ToolsBusyError.__name__ and not failure["traceback"]:
        words = tell("never_begun", locale, tool=tool)
    else:
        words = " ".join(part for part in _raised(failure, tool, locale, advice) if part)
        rules = bound.toolset[tool].failures
        if rules is not None and rules.show_traceback and failure["traceback"]:
            words += "\n" + with_traceback(failure["traceback"], locale)
    count = place.failures[tool]
    most = bound.limits.failures_of(bound.toolset[tool])
    if most is not None and count >= most:
        words = _ended(words, locale) + tell("failed_often", locale, tool=tool, count=count)
    return words


def _ended(words: str, locale: str) -> str:
    """End a sentence that stops with the message of a tool, so that another one can follow."""
    if locale.lower().startswith("zh"):
        return words if words[-1:] in "。！？" else f"{words}。"
    return f"{words} " if words[-1:] in ".!?" else f"{words}. "

"""Run one call; several run side by side, each on its own branch."""

from __future__ import annotations

import traceback
from typing import TypedDict, assert_never

from langchain_core.runnables import RunnableConfig
from langgraph.errors import GraphBubbleUp

from reinforced_agent.graph.bindings import Bindings
from reinforced_agent.graph.state import CallRecord, Failure, Update, plain
from reinforced_agent.policies.status import Status
from reinforced_agent.policies.verdicts import ErrorKind
from reinforced_agent.policies.wording.outcomes import ENGLISH
from reinforced_agent.tools.results import as_text, cut, message_of, storable
from reinforced_agent.tools.running import Outcome, Raised, Returned, TimedOut, arun_call, run_call
from reinforced_agent.tools.spec import Risk, ToolSpec


_MOST_TRACEBACK = 4_000
"""Characters of a traceback kept for the operator."""


class Order(TypedDict):
    """What a branch is sent: the call it runs."""

    record: CallRecord


def execute(order: Order, config: RunnableConfig, *, bound: Bindings) -> Update:
    """Run the call and wait for it."""
    del config
    spec, seconds = _prepare(order, bound)
    started = bound.stopwatch()
    outcome = run_call(spec, order["record"]["arguments"], seconds=seconds)
    return _report(order["record"], outcome, bound, bound.stopwatch() - started)


async def aexecute(order: Order, config: RunnableConfig, *, bound: Bindings) -> Update:
    """Run the call in an event loop."""
    del config
    spec, seconds = _prepare(order, bound)
    started = bound.stopwatch()
    outcome = await arun_call(spec, order["record"]["arguments"], seconds=seconds)
    return _report(order["record"], outcome, bound, bound.stopwatch() - started)


def _prepare(order: Order, bound: Bindings) -> tuple[ToolSpec, float]:
    """Find the tool and the time it may take."""
    spec = bound.toolset[order["record"]["tool"]]
    return spec, bound.limits.call_seconds if spec.timeout is None else spec.timeout


def _report(record: CallRecord, outcome: Outcome, bound: Bindings, seconds: float) -> Update:
    """Put on record what happened."""
    told = _told(record, outcome, bound)
    return {"calls": plain({record["id"]: {**told, "seconds": seconds}})}


def _told(record: CallRecord, outcome: Outcome, bound: Bindings) -> CallRecord:
    """Tell results, failures and unknown outcomes apart.

    Raises:
        GraphBubbleUp: Passed on where a tool steers the graph itself.

    """
    match outcome:
        case Returned(value=BaseException() as error):
            return _failed(record, error, bound)
        case Returned(value=value):
            return {
                "id": record["id"],
                "status": Status.DONE,
                "result": cut(as_text(value), tokens=bound.limits.result_tokens, notice=ENGLISH["cut"]),
            }
        case Raised(error=GraphBubbleUp() as error):
            raise error
        case Raised(error=error):
            return _failed(record, error, bound)
        case TimedOut(seconds=seconds):
            changes = bound.toolset[record["tool"]].risk is not Risk.READ
            failure: Failure = {"type": "TimeoutError", "message": f"{seconds:g}", "traceback": ""}
            status = Status.UNKNOWN if changes else Status.FAILED
            kind = ErrorKind.TOOL_ERROR_TRANSIENT
            return {"id": record["id"], "status": status, "kind": kind, "failure": failure}
        case _:
            assert_never(outcome)


def _failed(record: CallRecord, error: BaseException, bound: Bindings) -> CallRecord:
    """Keep type and message for the model and the traceback for the operator.

    A write that lost its connection, or ran out of its own time, may have taken effect all the same.
    """
    spec = bound.toolset[record["tool"]]
    breaks_off = isinstance(error, TimeoutError | ConnectionError)
    unknown = breaks_off and spec.risk is not Risk.READ and not spec.idempotent
    return {
        "id": record["id"],
        "status": Status.UNKNOWN if unknown else Status.FAILED,
        "kind": ErrorKind.TOOL_ERROR_TRANSIENT if breaks_off else ErrorKind.TOOL_ERROR_PERMANENT,
        "failure": {"type": type(error).__name__, "message": message_of(error)[:1_000], "traceback": _trace(error)},
    }


def _trace(error: BaseException) -> str:
    """Return the end of the traceback, never empty."""
    try:
        lines = traceback.format_exception(error)
    except Exception:  # noqa: BLE001  # exceptions of hosts may fail in any way when they are looked at
        lines = traceback.format_tb(error.__traceback__)
    return storable("".join(lines))[-_MOST_TRACEBACK:] or type(error).__name__

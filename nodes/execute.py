"""Run one call; several run side by side, each on its own branch."""

from __future__ import annotations

import traceback
from typing import TypedDict, assert_never

from langchain_core.runnables import RunnableConfig
from langgraph.errors import GraphBubbleUp

from reinforced_agent.graph.bindings import Bindings
from reinforced_agent.graph.state import CallRecord, Failure, Update, plain
from reinforced_agent.policies.status import Status
from reinforced_agent.policies.wording.outcomes import ENGLISH
from reinforced_agent.tools.results import as_text, cut
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
            return _failed(record, error)
        case Returned(value=value):
            text = as_text(value).encode("utf-8", "replace").decode("utf-8")
            return {
                "id": record["id"],
                "status": Status.DONE,
                "result": cut(text, tokens=bound.limits.result_tokens, notice=ENGLISH["cut"]),
            }
        case Raised(error=GraphBubbleUp() as error):
            raise error
        case Raised(error=error):
            return _failed(record, error)
        case TimedOut(seconds=seconds):
            changes = bound.toolset[record["tool"]].risk is not Risk.READ
            failure: Failure = {"type": "TimeoutError", "message": f"{seconds:g}", "traceback": ""}
            return {"id": record["id"], "status": Status.UNKNOWN if changes else Status.FAILED, "failure": failure}
        case _:
            assert_never(outcome)


def _failed(record: CallRecord, error: BaseException) -> CallRecord:
    """Keep type and message for the model and the traceback for the operator."""
    trace = "".join(traceback.format_exception(error))[-_MOST_TRACEBACK:]
    message = str(error).encode("utf-8", "replace").decode("utf-8")
    failure: Failure = {"type": type(error).__name__, "message": message[:1_000], "traceback": trace}
    return {"id": record["id"], "status": Status.FAILED, "failure": failure}

"""The receipt of a turn: every write with its outcome, and what else a reader of the answer has to know."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from reinforced_agent.graph.answers.final_report import reason_of
from reinforced_agent.graph.call_record import CallRecord
from reinforced_agent.graph.deps import Bindings
from reinforced_agent.graph.execution.judge import doubt_of
from reinforced_agent.graph.queries.calls import having
from reinforced_agent.graph.state import Note, Receipt, State, WriteOutcome, WrittenEffect
from reinforced_agent.policies.answers.messages import tell_link, tell_outcome
from reinforced_agent.policies.approval.policy import PRIVATE
from reinforced_agent.policies.messages.fallbacks import Replaced, replaced_by
from reinforced_agent.policies.results.messages import for_user
from reinforced_agent.policies.status import Status
from reinforced_agent.tools.effect_text import describe_effect
from reinforced_agent.tools.spec import Risk


EMPTY: Final[Receipt] = {"writes": [], "notes": []}
"""The receipt of a turn in which nothing was changed."""

_OUTCOMES: Mapping[str, WriteOutcome] = {
    Status.DONE: "done",
    Status.FAILED: "failed",
    Status.SERVED: "failed",
    Status.UNKNOWN: "unknown",
    Status.REJECTED: "declined",
    Status.ANSWERED: "declined",
    Status.WAITING: "waiting",
    Status.EDITED: "waiting",
    Status.OUTDATED: "waiting",
}
"""Outcome of a write by the status of its call; every other status means that it was not run."""


def receipt_of(state: State, bound: Bindings) -> Receipt:
    """Write the receipt of the turn as it stands now."""
    return {
        "writes": [_entry(record, outcome, state, bound) for record, outcome in writes_of(state, bound)],
        "notes": list(_notes(state)),
    }


def writes_of(state: State, bound: Bindings) -> Iterator[tuple[CallRecord, WriteOutcome]]:
    """Go through the writes of the turn as they stand now, each with its outcome."""
    for record in state.get("calls", {}).values():
        if _is_write(record, bound):
            yield record, _OUTCOMES.get(record["status"], "not_run")


def told_below(state: State, bound: Bindings) -> Iterator[str]:
    """List what is added to an answer: writes that passed the checks and did not end done, unless a person declined.

    A write that failed and was done after that, and an unknown outcome that was looked up since, need no word. Nor does
    what a fallback served for: that is told beside it. A locale without texts of its own gets the receipt alone.
    """
    locale = state["turn"].get("locale", "en")
    if not locale.lower().startswith(("en", "zh")):
        return
    ended = having(state.get("calls", {}).values(), Status.DONE)
    done = {record["tool"] for record in ended}
    last = max((record.get("step", 0) for record in ended), default=-1)
    lines: list[str] = []
    for record, outcome in writes_of(state, bound):
        if "risk" not in record or record["status"] == Status.SERVED:
            continue
        if (outcome == "unknown" and record.get("step", 0) >= last) or (
            outcome in {"failed", "not_run"} and record["tool"] not in done
        ):
            lines.append(tell_outcome(outcome, record["tool"], locale))
    yield from dict.fromkeys(lines)


def _is_write(record: CallRecord, bound: Bindings) -> bool:
    """Return whether a call was to change something; what was only sent back to be corrected was never one."""
    spec = bound.toolset.get(record.get("tool", ""))
    if record["status"] in {Status.REVISE, Status.SHARED}:
        return False
    # A tool that is gone since the call was checked: its risk is on record.
    declared = Risk.READ if spec is None else spec.risk
    return declared is not Risk.READ or record.get("risk", Risk.READ) != Risk.READ


def _entry(record: CallRecord, outcome: WriteOutcome, state: State, bound: Bindings) -> WrittenEffect:
    decision, spec = record.get("decision"), bound.toolset.get(record["tool"])
    approved = decision is not None and decision["type"] in {"approve", "edit"}
    return {
        "call_id": record["id"],
        "tool": record["tool"],
        "arguments": dict(record.get("arguments", {})),
        "effect": "" if spec is None else describe_effect(spec, record.get("arguments", {})),
        "outcome": outcome,
        "reason": "" if outcome in {"done", "waiting"} else reason_of(record, state["turn"].get("locale", "en")),
        "approved_by": decision["by"]["user_id"] if decision is not None and approved else "",
        "at": record.get("at", ""),
    }


def _notes(state: State) -> Iterator[Note]:
    """List what fallbacks served, links made inert, and the warnings about results, the last of each tool."""
    locale = state["turn"].get("locale", "en")
    for source in state["turn"].get("inert_links", []):
        yield {"code": PRIVATE, "tool": source, "message": tell_link(source, locale)}
    for replaced in replacements(state):
        yield {"code": "fallback", "tool": replaced.tool, "message": replaced_by(replaced, locale)}
    latest: dict[str, CallRecord] = {}
    for record in having(state.get("calls", {}).values(), Status.DONE, Status.SERVED):
        latest[record["tool"]] = record
    for tool, record in latest.items():
        for data in record.get("doubts", []):
            if data["mention"]:
                yield {"code": data["code"], "tool": tool, "message": for_user(doubt_of(data), tool, locale)}


def replacements(state: State) -> Sequence[Replaced]:
    """Return the tools that could not be used, and what served in their place."""
    calls = state.get("calls", {})
    return [_replaced(record, calls) for record in having(calls.values(), Status.SERVED)]


def _replaced(record: CallRecord, calls: Mapping[str, CallRecord]) -> Replaced:
    """Say what served in the end, along chains of stand-ins that could not be used themselves."""
    last = record
    while (stand_in := calls.get(last["served_by"])) is not None and stand_in["status"] == Status.SERVED:
        last = stand_in
    by = calls[last["served_by"]]["tool"] if last["served_by"] in calls else last["served_by"]
    return Replaced(record["tool"], by, last.get("age", 0.0))

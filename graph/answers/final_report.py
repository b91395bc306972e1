"""The account of a turn that ended without an answer of the model: what was done, what was not, and why."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from reinforced_agent.graph.answers.failed_tools import troubles_of
from reinforced_agent.graph.budget.budget import limit_reached
from reinforced_agent.graph.call_record import CallRecord
from reinforced_agent.graph.clarification import request_of
from reinforced_agent.graph.queries.calls import having
from reinforced_agent.graph.state import State
from reinforced_agent.policies.limits import Limits
from reinforced_agent.policies.messages.endings import Ending
from reinforced_agent.policies.messages.outcomes import tell
from reinforced_agent.policies.status import Status
from reinforced_agent.tools.call import canonical_json
from reinforced_agent.tools.spec import Risk


BROUGHT: Final = (Status.DONE, Status.SERVED, Status.ANSWERED)
"""Calls with a result."""

_MOST_SHOWN: Final = 300
"""Characters of one result or reason in the account."""

_SENTENCE: Final = re.compile(r".*?(?:[.!?](?=\s|$)|[。！？])", re.DOTALL)


def ending_of(state: State, outcome: str, limits: Limits, *, still_open: Iterable[str] = ()) -> Ending:
    """Collect what ran and what did not, with the steps of a plan that are open."""
    calls = [record for record in state.get("calls", {}).values() if "serves" not in record]
    done, unknown = having(calls, *BROUGHT), having(calls, Status.UNKNOWN)
    missing = [record for record in calls if not (record in done or record in unknown or _is_made_good(record, done))]
    limit = limit_reached(state, limits) if outcome == "limit" else ""
    return Ending(
        outcome=outcome,
        request=short(request_of(state["turn"])),
        done=[told_result(record) for record in done],
        unknown=_reasons(unknown, state),
        missing=list(dict.fromkeys([*_reasons(missing, state), *still_open])),
        changed=any(record.get("risk", Risk.READ) != Risk.READ for record in done),
        limit=limit,
        most=getattr(limits, limit) if limit else 0,
        fault=state["turn"].get("model_error", {}).get("kind", ""),
        wait=state["turn"].get("model_error", {}).get("wait"),
        troubles=troubles_of([*unknown, *missing], done, outcome),
        mistake=next((record["kind"] for record in reversed(calls) if record.get("spent") and "kind" in record), ""),
    )


def told_result(record: CallRecord) -> str:
    """Name a call with what it brought."""
    return f"{_named(record)}: {short(record.get('result', '')[record.get('lead', 0) :])}"


def short(text: str) -> str:
    """Cut a text to what an account needs."""
    flat = " ".join(text.split())
    return flat if len(flat) <= _MOST_SHOWN else f"{flat[:_MOST_SHOWN]} …"


def _is_made_good(record: CallRecord, done: Iterable[CallRecord]) -> bool:
    """Tell whether the same call has brought its result, or a later one of the tool did after a correction."""
    revised = record["status"] == Status.REVISE
    tool = record.get("tool") or record.get("raw_name", "")
    return any(
        (revised and other.get("tool") == tool and other.get("step", 0) > record.get("step", 0))
        or (bool(other.get("digest")) and other.get("digest") == record.get("digest"))
        for other in done
    )


def _reasons(records: Iterable[CallRecord], state: State) -> list[str]:
    """Name calls with why they gave no result; equal lines once, in order."""
    locale = state["turn"].get("locale", "en")
    told = (f"{_named(record)}: {short(reason_of(record, locale))}" for record in records)
    return list(dict.fromkeys(told))


def reason_of(record: CallRecord, locale: str) -> str:
    """Say why a call gave no result, without what the model was told to do about it."""
    failure = record.get("failure")
    if failure is not None and failure["traceback"]:
        return f"{failure['type']}: {failure['message']}"
    feedback = record.get("feedback") or tell("not_run", locale)
    found = _SENTENCE.match(feedback)
    said = record.get("decision", {}).get("message", "") if record["status"] == Status.REJECTED else ""
    return " ".join(part for part in (found[0] if found else feedback, said) if part)


def _named(record: CallRecord) -> str:
    """Name a call with its arguments, where they could be read."""
    name = record.get("tool") or record.get("raw_name", "?")
    return f"{name} {canonical_json(dict(record['arguments']))}" if record.get("arguments") else name

"""Open a turn: take in the user's message, the requester and the host's facts, and close what was left open."""

from __future__ import annotations

from typing import Any
from uuid import uuid4

from langchain_core.messages import AnyMessage, HumanMessage, RemoveMessage
from langgraph.graph.message import REMOVE_ALL_MESSAGES
from langgraph.runtime import Runtime
from langgraph.types import Overwrite

from reinforced_agent.graph.bindings import Bindings
from reinforced_agent.graph.entry import InputError
from reinforced_agent.graph.judging import judge
from reinforced_agent.graph.messages import exchange
from reinforced_agent.graph.records import current, having, in_hand
from reinforced_agent.graph.settle import derive
from reinforced_agent.graph.state import (
    SCHEMA_VERSION,
    CallRecord,
    Context,
    State,
    Turn,
    Update,
    merge_calls,
    person_of,
)
from reinforced_agent.policies.status import RUNNABLE, UNSETTLED, Status
from reinforced_agent.policies.wording.outcomes import tell
from reinforced_agent.tools.spec import Risk


def plan(state: State, runtime: Runtime[Context], *, bound: Bindings) -> Update:
    """Start the turn of the newest user message.

    Raises:
        InputError: When there is no user message to answer, such as on a resume of an unknown thread.

    """
    context = runtime.context or Context()
    messages = state.get("messages", [])
    if not messages or not isinstance(messages[-1], HumanMessage):
        msg = (
            "There is no user message to answer: the newest one was answered already, or the thread is not the one "
            "that was meant. Read the thread's messages, or send a new one."
        )
        raise InputError(msg)
    update: Update = {
        "calls": Overwrite({}),
        "proposal": {},
        "steps": [],
        "turn": _open_turn(messages[-1], context, bound),
        "facts": Overwrite(_facts(state, context)),
        "schema_version": SCHEMA_VERSION,
    }
    left_open = _left_open(state, bound)
    return update | {"messages": left_open} if left_open else update


def _facts(state: State, context: Context) -> dict[str, Any]:
    """Take over the host's facts of this run; what the host said of another person ends with that person's turn."""
    same = state.get("turn", {}).get("requester") == person_of(context)
    kept = {name: fact for name, fact in state.get("facts", {}).items() if same or fact.get("from") != "host"}
    return kept | {name: {"value": value, "from": "host"} for name, value in context.facts.items()}


def _open_turn(message: HumanMessage, context: Context, bound: Bindings) -> Turn:
    """Stamp the requester into the turn; later contexts belong to people who decide."""
    return {
        "id": message.id or uuid4().hex,
        "request": message.text,
        "requester": person_of(context),
        "locale": context.locale,
        "started": bound.now().isoformat(),
        "step": 0,
        "seconds": 0.0,
        "retries": {},
        "problem": "",
        "outcome": "",
        "detail": "",
    }


def _left_open(state: State, bound: Bindings) -> list[Any]:
    """Write an unfinished proposal of the last turn into the history, before the new message.

    The user wrote again while an approval waited, or a run was cut off. What had run keeps its result.
    """
    proposal = state.get("proposal") or {}
    records = current(state)
    if not records or proposal.get("closed", True) or not _has_outcome(records):
        return []
    closed = _close(state, bound)
    earlier, newest = _split(state["messages"], state["turn"]["id"])
    locale = state["turn"].get("locale", "en")
    answered = [closed[record["id"]] for record in records]
    return [RemoveMessage(REMOVE_ALL_MESSAGES), *earlier, *exchange(proposal, answered, locale), *newest]


def _has_outcome(records: list[CallRecord]) -> bool:
    """Tell whether there is more to keep than feedback, which concerns only the model's next try."""
    return any(record["status"] != Status.REVISE for record in records)


def _close(state: State, bound: Bindings) -> dict[str, CallRecord]:
    """Give every call of the turn an outcome that is true.

    While a question waits, nothing of the proposal has been started. Otherwise what was cleared to run may have been
    started, whatever the record says, because the run was cut off before it could be written down.
    """
    records = in_hand(state)
    started = not having(records, Status.WAITING, Status.EDITED, Status.PROPOSED)
    closed = {record["id"]: _end(record, state, bound, started=started) for record in records}
    return merge_calls(closed, derive(closed, state["turn"].get("locale", "en")))


def _end(record: CallRecord, state: State, bound: Bindings, *, started: bool) -> CallRecord:
    """Close one call that the new message overtook."""
    locale, status = state["turn"].get("locale", "en"), Status(record["status"])
    if "seconds" in record and not record.get("inspected"):
        return judge(record, state, bound)
    if status in RUNNABLE and started:
        changes = record.get("risk") != Risk.READ
        words = tell("interrupted_write" if changes else "interrupted_read", locale, tool=record["tool"])
        return {**record, "status": Status.UNKNOWN if changes else Status.FAILED, "feedback": words}
    if status in UNSETTLED - {Status.SHARED, Status.DELEGATED}:
        return {**record, "status": Status.SUPERSEDED, "feedback": tell("superseded", locale)}
    return record


def _split(messages: list[AnyMessage], turn_id: str) -> tuple[list[AnyMessage], list[AnyMessage]]:
    """Part the history after everything that belongs to the turn, before the messages that came since."""
    at = next((i for i, message in enumerate(messages) if message.id == turn_id), len(messages) - 1) + 1
    while at < len(messages) and not isinstance(messages[at], HumanMessage):
        at += 1
    return messages[:at], messages[at:]

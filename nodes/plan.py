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
from reinforced_agent.graph.messages import exchange
from reinforced_agent.graph.records import current
from reinforced_agent.graph.state import SCHEMA_VERSION, CallRecord, Context, State, Turn, Update, person_of
from reinforced_agent.policies.status import UNSETTLED, Status
from reinforced_agent.policies.wording.outcomes import tell


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
        "facts": {name: {"value": value, "from": "host"} for name, value in context.facts.items()},
        "schema_version": SCHEMA_VERSION,
    }
    left_open = _left_open(state)
    return update | {"messages": left_open} if left_open else update


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


def _left_open(state: State) -> list[Any]:
    """Write an unfinished proposal of the last turn into the history, before the new message.

    The user wrote again while an approval waited, or a run was cut off. What had run keeps its result.
    """
    proposal = state.get("proposal") or {}
    records = current(state)
    if not records or proposal.get("closed", True) or not _has_outcome(records):
        return []
    locale = state["turn"].get("locale", "en")
    closed = [_supersede(record, locale) for record in records]
    earlier, newest = _split(state["messages"], state["turn"]["id"])
    return [RemoveMessage(REMOVE_ALL_MESSAGES), *earlier, *exchange(proposal, closed, locale), *newest]


def _has_outcome(records: list[CallRecord]) -> bool:
    """Tell whether there is more to keep than feedback, which concerns only the model's next try."""
    return any(record["status"] != Status.REVISE for record in records)


def _supersede(record: CallRecord, locale: str) -> CallRecord:
    """Close a call that the new message overtook."""
    if record["status"] not in UNSETTLED:
        return record
    return {**record, "status": Status.SUPERSEDED, "feedback": tell("superseded", locale)}


def _split(messages: list[AnyMessage], turn_id: str) -> tuple[list[AnyMessage], list[AnyMessage]]:
    """Part the history after everything that belongs to the turn, before the messages that came since."""
    at = next((i for i, message in enumerate(messages) if message.id == turn_id), len(messages) - 1) + 1
    while at < len(messages) and not isinstance(messages[at], HumanMessage):
        at += 1
    return messages[:at], messages[at:]

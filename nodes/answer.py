"""End the turn with an answer: the model's own, or an account of what was done and what was not."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Literal, TypeAlias
from uuid import uuid4

from langchain_core.messages import AIMessage
from langchain_core.runnables import RunnableConfig
from langgraph.runtime import Runtime

from reinforced_agent.graph.accounts import BROUGHT, ending_of, told_result
from reinforced_agent.graph.asking import asked_for
from reinforced_agent.graph.assessing import doubt_of
from reinforced_agent.graph.bindings import Bindings
from reinforced_agent.graph.breaking import breakers_of
from reinforced_agent.graph.budgets import with_account
from reinforced_agent.graph.call_record import CallRecord
from reinforced_agent.graph.context import Context
from reinforced_agent.graph.messages import exchange
from reinforced_agent.graph.plan_progress import closing, open_steps
from reinforced_agent.graph.records import current, given_up, having
from reinforced_agent.graph.sinks import put_on_record
from reinforced_agent.graph.state import State, Update
from reinforced_agent.graph.tracing import annotate
from reinforced_agent.policies.asking import MissingField
from reinforced_agent.policies.status import Status
from reinforced_agent.policies.wording.asking import ask
from reinforced_agent.policies.wording.endings import explain
from reinforced_agent.policies.wording.fallbacks import Replaced, degraded
from reinforced_agent.policies.wording.results import for_user
from reinforced_agent.tools.spec import Risk


Outcome: TypeAlias = Literal[
    "answered",
    "asked",
    "budget",
    "limit",
    "unusable",
    "model_down",
    "misconfigured",
    "no_plan",
    "plan_rejected",
    "given_up",
]
"""How a turn ended: answered by the model; the user was asked for what a call lacks; a kind of mistake came back too
often; the steps or the time are used up; the model gave nothing usable; the model can't be reached; it can't be used as
it is set up, until somebody mends that; it made no plan that can be followed, although one is a must; a person rejected
the plan; a chain of fallbacks ended with a text for the user."""


def answer(state: State, runtime: Runtime[Context], config: RunnableConfig, *, bound: Bindings) -> Update:
    """Write the last message of the turn, and put the turn on record."""
    turn, proposal = state["turn"], state["proposal"]
    locale = turn.get("locale", "en")
    spoken = None if turn.get("outcome") else proposal.get("answer")
    missing = asked_for(state, bound)
    outcome = _outcome(state, spoken, asks=bool(missing))
    annotate(state.get("calls", {}).values(), outcome=outcome)
    text = spoken if spoken is not None else _account(state, outcome, missing, bound)
    if served := _served(state):
        text = "\n".join([f"{text}\n", degraded(served, locale), *_doubts_of_old(state, locale)])
    message_id = proposal["id"] if spoken is not None else f"answer-{uuid4().hex}"
    ended = with_account(state, {**turn, "outcome": outcome, "missing": missing}, bound.limits)
    if met := breakers_of(state, bound):
        ended["breakers"] = met
    put_on_record({**state, "turn": ended}, config, bound, runtime.stream_writer)
    return {
        "messages": [*_unclosed(state), AIMessage(text, id=message_id)],
        "turn": ended,
        "proposal": {**proposal, "closed": True},
        **closing(state, bound, answered=outcome == "answered"),
    }


def _outcome(state: State, spoken: str | None, *, asks: bool) -> str:
    """Name how the turn ends."""
    if spoken is not None:
        return "asked" if asks else "answered"
    return state["turn"].get("outcome") or ("given_up" if given_up(state) else "limit")


def _account(state: State, outcome: str, missing: Sequence[MissingField], bound: Bindings) -> str:
    """Write what the user reads where the model gave no answer."""
    locale = state["turn"].get("locale", "en")
    if outcome != "asked":
        ending = ending_of(state, outcome, bound.limits, still_open=open_steps(state, bound, locale))
        return explain(ending, locale, given_up(state) if outcome == "given_up" else "")
    changes = [record for record in state.get("calls", {}).values() if record.get("risk", Risk.READ) != Risk.READ]
    return ask(missing, locale, done=[told_result(record) for record in having(changes, *BROUGHT)])


def _unclosed(state: State) -> list[object]:
    """Bring a proposal that has outcomes but is not in the history yet into it."""
    records = current(state)
    if not records or state["proposal"].get("closed", True):
        return []
    return list(exchange(state["proposal"], records, state["turn"].get("locale", "en")))


def _doubts_of_old(state: State, locale: str) -> Iterator[str]:
    """Say what has to be known about results of earlier that served."""
    for record in having(state.get("calls", {}).values(), Status.SERVED):
        if record["served_by"] == "last_good":
            doubts = (doubt_of(data) for data in record.get("doubts", []) if data["mention"])
            yield from (for_user(doubt, record["tool"], locale) for doubt in doubts)


def _served(state: State) -> list[Replaced]:
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

"""End the turn with an answer: the model's own, or an account of what was done and what was not."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, TypeAlias
from uuid import uuid4

from langchain_core.messages import AIMessage
from langchain_core.runnables import RunnableConfig
from langgraph.runtime import Runtime

from reinforced_agent.graph.answers.final_report import BROUGHT, ending_of, told_result
from reinforced_agent.graph.answers.receipt import receipt_of, replacements, told_below
from reinforced_agent.graph.answers.records import put_on_record
from reinforced_agent.graph.budget.budget import with_account
from reinforced_agent.graph.clarification import asked_for
from reinforced_agent.graph.context import Context
from reinforced_agent.graph.deps import Bindings
from reinforced_agent.graph.execution.breakers import breakers_of
from reinforced_agent.graph.planning.progress import closing, open_steps
from reinforced_agent.graph.prompt.messages import exchange
from reinforced_agent.graph.prompt.provider_fields import closed, message_with
from reinforced_agent.graph.queries.calls import current, given_up, having
from reinforced_agent.graph.records.tracing import annotate
from reinforced_agent.graph.state import State, Update
from reinforced_agent.graph.streaming import complete
from reinforced_agent.policies.clarification.messages import ask
from reinforced_agent.policies.clarification.request import MissingField
from reinforced_agent.policies.messages.endings import explain
from reinforced_agent.policies.messages.fallbacks import degraded
from reinforced_agent.tools.spec import Risk


Outcome: TypeAlias = Literal[
    "answered",
    "asked",
    "budget",
    "limit",
    "unusable",
    "model_down",
    "misconfigured",
    "too_long",
    "filtered",
    "no_plan",
    "plan_rejected",
    "given_up",
]
"""How a turn ended: answered by the model; the user was asked for what a call lacks; a kind of mistake came back too
often; the steps or the time are used up; the model gave nothing usable; the model can't be reached; it can't be used as
it is set up, until somebody mends that; the conversation is longer than it takes in; its provider's filter stopped it;
it made no plan that can be followed, although one is a must; a person rejected the plan; a chain of fallbacks
ended with a text for the user."""


def answer(state: State, runtime: Runtime[Context], config: RunnableConfig, *, bound: Bindings) -> Update:
    """Write the last message of the turn, and put the turn on record."""
    turn, proposal = state["turn"], state["proposal"]
    locale = turn.get("locale", "en")
    spoken = None if turn.get("outcome") else proposal.get("answer")
    missing = asked_for(state, bound)
    outcome = _outcome(state, spoken, asks=bool(missing))
    annotate(state.get("calls", {}).values(), outcome=outcome)
    text = spoken if spoken is not None else _account(state, outcome, missing, bound)
    below = [*told_below(state, bound)] if spoken is not None else []
    if served := replacements(state):
        below.append(degraded(served, locale))
    text = "\n\n".join([text, *below])
    message = AIMessage(text, id=f"answer-{uuid4().hex}") if spoken is None else message_with(proposal, text)
    ended = with_account(state, {**turn, "outcome": outcome, "missing": missing}, bound.limits)
    if met := breakers_of(state, bound):
        ended["breakers"] = met
    receipt = receipt_of(state, bound)
    put_on_record({**state, "turn": ended, "receipt": receipt}, config, bound, runtime.stream_writer)
    messages = [*_unclosed(state), message]
    complete(messages, proposal)
    return {
        "messages": messages,
        "turn": ended,
        "receipt": receipt,
        "proposal": closed(proposal),
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

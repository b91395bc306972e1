"""End the turn with an answer: the model's own, or an account of what was done and what was not."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, TypeAlias
from uuid import uuid4

from langchain_core.messages import AIMessage
from langchain_core.runnables import RunnableConfig
from langgraph.runtime import Runtime
from langgraph.types import Command

from reinforced_agent.graph.answers.checks import corrected_answer
from reinforced_agent.graph.answers.final_report import BROUGHT, ending_of, told_result
from reinforced_agent.graph.answers.receipt import receipt_of, replacements, told_below
from reinforced_agent.graph.answers.records import put_on_record
from reinforced_agent.graph.budget.budget import with_account
from reinforced_agent.graph.clarification import asked_for
from reinforced_agent.graph.context import Context
from reinforced_agent.graph.deps import Bindings
from reinforced_agent.graph.execution.breakers import breakers_of
from reinforced_agent.graph.execution.commands import handover_of
from reinforced_agent.graph.execution.wording import for_people
from reinforced_agent.graph.planning.progress import closing, open_steps
from reinforced_agent.graph.prompt.messages import exchange
from reinforced_agent.graph.prompt.provider_fields import closed, message_with
from reinforced_agent.graph.queries.calls import (
    current,
    ended_by_tools,
    given_up,
    handing_over,
    having,
    returned_directly,
)
from reinforced_agent.graph.records.tracing import annotate
from reinforced_agent.graph.state import SUCCEEDED, Output, State, Update
from reinforced_agent.graph.streaming import complete
from reinforced_agent.policies.clarification.messages import ask
from reinforced_agent.policies.clarification.request import MissingField
from reinforced_agent.policies.messages.endings import explain
from reinforced_agent.policies.messages.fallbacks import degraded
from reinforced_agent.tools.spec import Risk
from reinforced_agent.tools.toolset import Toolset


Handover: TypeAlias = Command[Any]
"""Where the graph around this one goes on."""
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
    "returned",
    "handed_over",
]
"""How a turn ended: answered by the model; the user was asked for what a call lacks; a kind of mistake came back too
often; the steps or the time are used up; the model gave nothing usable; the model can't be reached; it can't be used as
it is set up, until somebody mends that; the conversation is longer than it takes in; its provider's filter stopped it;
it made no plan that can be followed, although one is a must; a person rejected the plan; a chain of fallbacks
ended with a text for the user; the results of tools are the answer (`return_direct`); a tool handed over to the graph
around this one."""


def answer(state: State, runtime: Runtime[Context], config: RunnableConfig, *, bound: Bindings) -> Update | Handover:
    """Write the last message of the turn, and put the turn on record; or hand over to the graph around this one."""
    turn, proposal = state["turn"], state["proposal"]
    locale = turn.get("locale", "en")
    spoken = None if turn.get("outcome") else proposal.get("answer")
    missing = asked_for(state, bound)
    outcome = _outcome(state, spoken, bound.toolset, asks=bool(missing))
    annotate(state.get("calls", {}).values(), outcome=outcome)
    text = spoken if spoken is not None else _account(state, outcome, missing, bound)
    below = [*told_below(state, bound)] if spoken is not None or outcome == "returned" else []
    if served := replacements(state):
        below.append(degraded(served, locale))
    text = "\n\n".join([text, *below])
    message = AIMessage(text, id=f"answer-{uuid4().hex}") if spoken is None else message_with(proposal, text)
    ended = with_account(state, {**turn, "outcome": outcome, "missing": missing}, bound.limits)
    if met := breakers_of(state, bound):
        ended["breakers"] = met
    receipt = receipt_of(state, bound)
    put_on_record({**state, "turn": ended, "receipt": receipt}, config, bound, runtime.stream_writer)
    if outcome == "handed_over":
        told: Output = {"turn": ended, "calls": state["calls"], "receipt": receipt}
        return handover_of(handing_over(state), state["messages"], told)
    messages = [*_unclosed(state), message]
    complete(messages, proposal)
    return {
        "messages": messages,
        "turn": ended,
        "receipt": receipt,
        "proposal": closed(proposal),
        **closing(state, bound, answered=outcome in SUCCEEDED),
    }


def _outcome(state: State, spoken: str | None, toolset: Toolset, *, asks: bool) -> str:
    """Name how the turn ends."""
    if spoken is not None:
        return "asked" if asks else "answered"
    if outcome := state["turn"].get("outcome"):
        return outcome
    return "given_up" if given_up(state) else ended_by_tools(state, toolset) or "limit"


def _account(state: State, outcome: str, missing: Sequence[MissingField], bound: Bindings) -> str:
    """Write what the user reads where the model gave no answer."""
    locale = state["turn"].get("locale", "en")
    if outcome == "handed_over":
        return ""
    if outcome == "returned":
        results = (for_people(record, locale) for record in returned_directly(state, bound.toolset))
        return corrected_answer("\n\n".join(results), state, bound)
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

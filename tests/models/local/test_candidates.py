"""Several proposals of the embedded model, with its real weights, alone and in the graph."""

from __future__ import annotations

from typing import Any

import pytest
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage

from reinforced_agent import Strategy, build_agent, tool
from reinforced_agent.models.candidates import log_probabilities
from reinforced_agent.models.local import LocalChatModel
from reinforced_agent.policies.rules import Limit
from tests.models.local.conftest import EXAMPLES, TOOLS


REQUEST: list[BaseMessage] = [HumanMessage("Turn on the lamp in the kitchen")]


@pytest.fixture(scope="module")
def said(model: LocalChatModel) -> list[AIMessage]:
    """Return three proposals for one request."""
    bound: Any = model.afresh().bind_tools(TOOLS, examples=EXAMPLES)
    proposals: Any = model.generate([REQUEST], n=3, **bound.kwargs).generations[0]
    return [one.message for one in proposals]


def test_the_proposals_differ(said: list[AIMessage]) -> None:
    """There are several, the first is what the model makes alone, and no call comes twice."""
    calls = [(call["name"], str(call["args"])) for message in said for call in message.tool_calls]
    assert calls[0] == ("switch_lamp", str({"room": "kitchen", "state": "on"}))
    assert len(said) == len(set(calls)) > 1


def test_the_proposals_tell_their_probability(said: list[AIMessage]) -> None:
    """Each has log P of its tool and values, the later ones fall off, and the tokens of all are told once."""
    totals = [sum(log_probabilities(message)) for message in said]
    assert all(total < 0 for total in totals)
    assert totals[1:] == sorted(totals[1:], reverse=True)
    assert [message.usage_metadata is not None for message in said] == [True, *[False] * (len(said) - 1)]


def test_an_answer_stays_alone(model: LocalChatModel) -> None:
    """What is answered without a tool is no reason to propose calls."""
    bound: Any = model.afresh().bind_tools(TOOLS, tool_choice="none")
    assert len(model.generate([REQUEST], n=3, **bound.kwargs).generations[0]) == 1


@tool(risk="read")
def loan_payment(amount: int, years: int) -> str:
    """Calculate the payment of a loan."""
    return f"{amount} over {years} years"


def test_the_layers_choose(model: LocalChatModel) -> None:
    """Where a rule refuses the likeliest call, the next one of the same step runs."""
    rule = Limit(name="short", tools=("loan_payment",), field="years", at_most=20)
    strategy = Strategy(candidates=3, when="always", take="best")
    agent = build_agent(model=model.afresh(), tools=[loan_payment], policies=[rule], strategy=strategy)
    state = agent.invoke({"messages": [("user", "The payment of a loan of 20000 over 30 or 15 years?")]})
    assert [call["arguments"] for call in state["calls"].values()] == [{"amount": 20000, "years": 15}]
    tally = state["turn"]["spoken"][0]["candidates"]
    assert tally["came"] > tally["valid"] > 0

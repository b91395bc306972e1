"""A graph that asks once more before a call that hardly fits the request."""

from __future__ import annotations

import pytest

from reinforced_agent import ScriptedModel, build_agent, tool
from reinforced_agent.policies.relevance import Relevance, Scorer


@tool(risk="read")
def get_weather(city: str) -> str:
    """Get the weather of a city."""
    return f"mild in {city}"


DOUBT = Relevance(scorers=(Scorer(name="doubt", score=lambda _: 0.9, threshold=0.5),))
CALL = {"tool_calls": [{"name": "get_weather", "arguments": {"city": "Rome"}}]}


@pytest.mark.parametrize(
    ("lines", "statuses", "answer"),
    [
        pytest.param(
            [CALL, "I can't write poems with tools: roses are red."], ["revise"], "roses", id="answers-instead"
        ),
        pytest.param([CALL, CALL, "Mild."], ["revise", "done"], "Mild", id="insists"),
    ],
)
def test_the_model_may_answer_or_insist(lines: list[object], statuses: list[str], answer: str) -> None:
    """It is asked once; an answer ends the turn, and the same call sent again runs."""
    agent = build_agent(model=ScriptedModel(lines=lines), tools=[get_weather], relevance=DOUBT)
    found = agent.invoke({"messages": [("user", "Write a poem about the roses of Rome.")]})
    assert [call["status"] for call in found["calls"].values()] == statuses
    assert answer in found["messages"][-1].text

"""Verdicts on traces: what a developer finds in LangSmith beside a node, and what runs can be searched by."""

from __future__ import annotations

from typing import Any, TypedDict

from langgraph.graph import END, START, StateGraph

from reinforced_agent.graph.call_record import CallRecord
from reinforced_agent.graph.records import tracing
from reinforced_agent.graph.records.tracing import annotate, traced_config
from reinforced_agent.policies.redaction import MASK
from tests.graph.listener import Listener
from tests.graph.records.masks import alike


KEY = "sk-proj-abcdefghij0123456789"


class _Told(TypedDict, total=False):
    done: bool


RECORDS: list[CallRecord] = [
    {
        "id": "c1",
        "step": 1,
        "raw_name": "log_in",
        "status": "revise",
        "verdicts": [
            {"verdict": "accept", "layer": "format", "score": 1.0},
            {"verdict": "revise", "layer": "arguments", "kind": "unknown_argument", "score": 0.0, "message": f"{KEY}?"},
        ],
    },
    {"id": "c2", "step": 2, "tool": "log_in", "status": "done", "verdicts": []},
]


def _annotating(**options: Any) -> Any:
    """A graph with one node that annotates its trace."""

    def judge(state: _Told) -> _Told:
        annotate(RECORDS, **options)
        return {"done": True}

    drawn = StateGraph(_Told)
    drawn.add_node("judge", judge)
    drawn.add_edge(START, "judge")
    drawn.add_edge("judge", END)
    return drawn.compile(name="judging")


def test_verdicts_are_metadata_of_their_node(langsmith: Listener) -> None:
    """A developer finds the verdicts of a node beside its trace, and can search runs by them."""
    _annotating().invoke({}, traced_config({}))
    tracing._client().flush()
    (node,) = langsmith.named("judge")
    told = node["extra"]["metadata"]
    assert told["reinforced_agent.status"] == "revise, done"
    assert told["reinforced_agent.first_call_valid"] is False
    assert alike(told["reinforced_agent.verdicts"][1]) == {
        "call": "c1",
        "tool": "log_in",
        "layer": "arguments",
        "verdict": "revise",
        "kind": "unknown_argument",
        "score": 0.0,
        "message": f"{MASK}?",
    }
    (run,) = langsmith.named("judging")
    assert "reinforced_agent.status" not in run["extra"]["metadata"]


def test_the_outcome_is_metadata_of_the_whole_run(langsmith: Listener) -> None:
    """Runs can be searched by how they ended and by whether the first call was right."""
    _annotating(outcome="answered").invoke({}, traced_config({}))
    tracing._client().flush()
    (run,) = langsmith.named("judging")
    assert run["extra"]["metadata"]["reinforced_agent.outcome"] == "answered"
    assert run["extra"]["metadata"]["reinforced_agent.first_call_valid"] is False


def test_without_tracing_annotating_does_nothing() -> None:
    """Nodes annotate always; where nothing is traced the run goes on."""
    assert _annotating(outcome="answered").invoke({}, traced_config({})) == {"done": True}

"""Results in words: every value beside its own label, and openings that say nothing of their own."""

from __future__ import annotations

import json
from typing import Any

import pytest
from langchain_core.language_models import LanguageModelInput
from langchain_core.messages import AIMessage, HumanMessage, ToolMessage
from langchain_core.runnables import Runnable

from reinforced_agent.models.local.stating import MOST_ITEMS, Fact, Vocabulary, facts_of


@pytest.mark.parametrize(
    ("outcome", "facts"),
    [
        pytest.param('{"high_c": 5, "note": "sample"}', ["high c: 5", "note: sample"], id="object"),
        pytest.param('{"seat": {"row": 3, "side": "left"}}', ["seat row: 3", "seat side: left"], id="nested"),
        pytest.param('{"open": true, "full": false, "gone": null}', ["open: yes", "full: no"], id="words"),
        pytest.param('{"sum": 12.0, "share": 0.5}', ["sum: 12", "share: 0.5"], id="fractions"),
        pytest.param('{"tags": ["a", "b"], "none": []}', ["tags: a, b", "none: none"], id="lists"),
        pytest.param('[{"id": 1}, {"id": 2}]', ["1) id: 1", "2) id: 2"], id="items"),
        pytest.param("42", ["42"], id="number"),
        pytest.param("gate 4", ["gate 4"], id="short-text"),
        pytest.param("It rained. " * 40, [], id="prose"),
        pytest.param("", [], id="nothing"),
        pytest.param('[`a` was away; `b` answered.]\n{"high": 1}', ["high: 1"], id="behind-a-notice"),
    ],
)
def test_a_result_is_taken_apart(outcome: str, facts: list[str]) -> None:
    """Each value keeps the name of its field."""
    assert [str(fact) for fact in facts_of(outcome)] == facts


def test_a_long_list_is_counted() -> None:
    """What is left out is said."""
    facts = facts_of(json.dumps([{"id": n} for n in range(MOST_ITEMS + 5)]))
    assert facts[-1] == Fact("", "and 5 more")
    assert len(facts) == MOST_ITEMS + 1


@pytest.mark.parametrize(
    ("text", "fits"),
    [
        ("The weather in Oslo", True),
        ("The weather in Oslo on 2026-12-01", True),
        ("The wea", True),
        ("The weather in Bergen", False),
        ("The weather in Oslo on 2026-12-02", False),
        ("The weather in Oslo is not", False),
        ("The weather in Oslo is 5", False),
        ("The weather: ", False),
        ("2026-12-01 is 2026-12-01", False),
    ],
)
def test_an_opening_keeps_to_what_was_said(text: str, fits: bool) -> None:  # noqa: FBT001
    """No number, name or denial that the request doesn't have."""
    request = "What is the weather in Oslo on 1 December 2026?"
    assert Vocabulary.of(request, "Oslo 2026-12-01", [Fact("high", "1")]).begins(text) is fits


def test_a_number_the_call_left_out_is_not_claimed() -> None:
    """A result must not stand beside numbers that had no part in it."""
    vocabulary = Vocabulary.of("What is (5 + 7) * 3?", "5 * 3", [Fact("value", "15")])
    assert vocabulary.begins("The value of 5 and 3")
    assert not vocabulary.begins("The value of 5 and 7")
    assert not vocabulary.begins("5 + 3")


@pytest.mark.parametrize(
    ("question", "arguments", "result"),
    [
        ("Is the kitchen lamp on?", {"room": "kitchen"}, {"room": "kitchen", "on": True, "watt": 7, "since": "08:15"}),
        ("When is Moby Dick back?", {"title": "Moby Dick"}, {"title": "Moby Dick", "back": "2026-06-09", "waiting": 3}),
        ("Which lamps burn?", {}, {"count": 2, "lamps": [{"room": "hall", "watt": 5}, {"room": "cellar", "watt": 9}]}),
    ],
)
def test_every_value_stands_beside_its_label(
    bound: Runnable[LanguageModelInput, AIMessage], question: str, arguments: dict[str, Any], result: dict[str, Any]
) -> None:
    """The model may order the facts, but never mix them up."""
    called = AIMessage("", tool_calls=[{"name": "switch_lamp", "args": arguments, "id": "c", "type": "tool_call"}])
    outcome = json.dumps(result)
    said = bound.invoke([HumanMessage(question), called, ToolMessage(outcome, tool_call_id="c")]).text
    repeated = {str(value) for value in arguments.values()}
    assert [fact for fact in facts_of(outcome) if fact.value not in repeated and str(fact) not in said] == []

"""Scores of a run reach LangSmith where tracing is on and they are asked for, and only there."""

from __future__ import annotations

import re
from typing import Any

import pytest

from reinforced_agent import LangSmithSink
from reinforced_agent.graph.records import tracing
from tests.graph.house import House, call, calls
from tests.graph.listener import PROJECT, Listener


WRONG = calls(call("get_forecast", {"city": "Oslo", "dat": "2026-12-01"}, "c1"))
RIGHT = calls(call("get_forecast", {"city": "Oslo", "date": "2026-12-01"}, "c2"))


@pytest.mark.parametrize(
    ("lines", "first_call_valid"),
    [
        pytest.param([RIGHT, "Cold."], "1.0", id="at-once"),
        pytest.param([WRONG, RIGHT, "Cold."], "0.0", id="after-feedback"),
    ],
)
def test_a_run_is_scored(langsmith: Listener, lines: list[Any], first_call_valid: str) -> None:
    """Whether the first call was valid, and whether the request was answered."""
    sink = LangSmithSink()
    House(*lines, sinks=[sink]).say()
    sink.flush()
    tracing._client().flush()
    sent = langsmith.text.replace(" ", "")
    assert re.search(rf'"key":"first_call_valid"[^}}]*"score":{first_call_valid}', sent)
    assert re.search(r'"key":"resolved"[^}]*"score":1.0', sent)
    assert PROJECT in sent


def test_without_tracing_nothing_is_sent() -> None:
    """The sink alone switches nothing on."""
    assert House(RIGHT, "Cold.", sinks=[LangSmithSink()]).say().answer == "Cold."


def test_without_the_sink_nothing_is_scored(langsmith: Listener) -> None:
    """A trace alone has no scores."""
    House(RIGHT, "Cold.").say()
    tracing._client().flush()
    assert "first_call_valid" in langsmith.text
    assert '"key":"first_call_valid"' not in langsmith.text.replace(" ", "")

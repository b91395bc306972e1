"""Bounds of one tool: what they may be, and that they stand above those of the run."""

from __future__ import annotations

from typing import Any

import pytest

from reinforced_agent import Limits, ToolLimits, tool
from reinforced_agent.policies.verdicts import ErrorKind


@pytest.mark.parametrize(
    ("bounds", "told"),
    [
        pytest.param({"calls": 0}, "ToolLimits.calls is 0", id="no call at all"),
        pytest.param({"failures": -1}, "ToolLimits.failures is -1", id="below zero"),
        pytest.param({"attempts": None}, "ToolLimits.attempts is None", id="attempts are never without end"),
        pytest.param({"result_tokens": 2.5}, "ToolLimits.result_tokens is 2.5", id="half a token"),
        pytest.param({"failures": True}, "ToolLimits.failures is True", id="no number"),
        pytest.param({"calls": "run"}, "ToolLimits.calls is 'run'", id="no such bound of the run"),
    ],
)
def test_bounds_that_no_tool_could_keep_are_refused(bounds: dict[str, Any], told: str) -> None:
    """The error names the bound, its value and what may be written."""
    with pytest.raises(ValueError, match=told):
        ToolLimits(**bounds)


@pytest.mark.parametrize(
    ("bounds", "told"),
    [
        pytest.param({"steps": 1.5}, "Limits.steps is 1.5, but must be a whole number", id="half a step"),
        pytest.param({"parallel_calls": 0.5}, "Limits.parallel_calls is 0.5", id="half a place"),
        pytest.param({"result_tokens": 2e3}, "Limits.result_tokens is 2000.0", id="what cuts texts"),
        pytest.param({"too_expensive": []}, r"Limits.too_expensive is \[\]", id="no word"),
        pytest.param({"retries": {"malfromed": 1}}, "'malfromed', which is no error kind", id="a misspelt kind"),
        pytest.param({"retries": {"malformed": -1}}, "'malformed'] is -1", id="fewer than no retries"),
        pytest.param({"retries": {"malformed": True}}, "'malformed'] is True", id="no number"),
    ],
)
def test_bounds_that_no_run_could_keep_are_refused(bounds: dict[str, Any], told: str) -> None:
    """A slip is told when the bounds are written, and isn't taken for no bound."""
    with pytest.raises(ValueError, match=told):
        Limits(**bounds)


def test_bounds_may_be_written_as_usual() -> None:
    """Kinds may be named by their text, and what is only compared may be a fraction."""
    limits = Limits(retries={"malformed": 0}, seconds=0.5, money=0, tokens=1e6)  # type: ignore[dict-item, arg-type]
    assert limits.retries_for(ErrorKind.MALFORMED) == 0


@pytest.mark.parametrize(
    ("own", "found"),
    [
        pytest.param(None, (2, 3, 2000), id="none of its own"),
        pytest.param(ToolLimits(), (2, 3, 2000), id="all as for the run"),
        pytest.param(ToolLimits(failures=5, attempts=1, result_tokens=50), (5, 1, 50), id="others"),
        pytest.param(ToolLimits(failures=None, result_tokens=None), (None, 3, None), id="off"),
    ],
)
def test_bounds_of_a_tool_stand_above_those_of_the_run(own: ToolLimits | None, found: tuple[Any, ...]) -> None:
    """What a tool doesn't say is as for every tool; `None` switches a bound off for this tool alone."""
    spec = tool(lambda: "", name="look", description="Look.", risk="read", limits=own)
    limits = Limits(tool_failures=2, call_attempts=3, result_tokens=2000)
    assert (limits.failures_of(spec), limits.attempts_at(spec), limits.result_tokens_of(spec)) == found

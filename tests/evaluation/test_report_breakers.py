"""What a report says of tools that were left alone, and that their calls count as wrong nowhere."""

from __future__ import annotations

from typing import Any

import pytest

from reinforced_agent import Breaker, Context, LastGood, Limits, build_agent, tool
from reinforced_agent.evaluation.report.service import ServiceNumbers, measure_service
from reinforced_agent.evaluation.report.service_sections import service_group
from reinforced_agent.evaluation.report.sources import LeftOut, Loaded
from reinforced_agent.models.scripted import ScriptedModel
from tests.evaluation.report_records import WRONG, call, said, turn


STOPPED = call(
    "open", said("format"), said("breaker", "refuse", "tool_error_transient"), kind="tool_error_transient", id="s"
)
SERVED = STOPPED.model_copy(update={"status": "served", "served_by": "static"})
FAILED = call("failed", kind="tool_error_transient", attempts=3, error="ConnectionError: gone")


def measured(*turns: list[Any]) -> ServiceNumbers:
    """Measure a service."""
    records = [record for number, one in enumerate(turns) for record in _of_turn(one, f"t{number}")]
    return measure_service(Loaded(source="x", records=records, left_out=LeftOut()))


def _of_turn(records: list[Any], name: str) -> list[Any]:
    """Give the records of a turn names of their own."""
    return [one.model_copy(update={"turn": name, "id": f"{name}-{one.step}"}) for one in records]


def test_stopped_calls_are_counted_by_tool() -> None:
    """How many, of how many that were to go out, and what became of them; other tools are not concerned."""
    other = call("done", tool="other")
    numbers = measured(
        turn(FAILED, STOPPED, "answer"), turn(SERVED, "answer"), turn(call(), "answer"), turn(other, "answer")
    )
    assert list(numbers.breakers) == ["add"]
    found = numbers.as_json()["breakers"]["add"]
    assert (found["stopped"]["value"], found["stopped"]["n"]) == (0.5, 4)
    assert (found["served"], found["failed"], found["turns"]) == (1, 1, 2)


def test_a_stop_is_no_objection_to_the_call() -> None:
    """Neither among the layers, nor among causes and retries; a real objection beside it still is one."""
    numbers = measured(*[turn(STOPPED, [WRONG, SERVED], call(), "answer")] * 3).as_json()
    assert "breaker" not in numbers["layers"]
    assert numbers["layers"]["arguments"]["objected"]["value"] == 1
    assert numbers["retries"] == {"unknown_argument": 3}
    assert [one["kind"] for one in numbers["causes"]] == ["unknown_argument"]
    assert numbers["headlines"]["give_up"]["value"] == 0


def test_what_served_in_the_end_is_counted() -> None:
    """A stand-in that was served itself gave nothing."""
    asked = SERVED.model_copy(update={"id": "a", "served_by": "a-fallback-1"})
    tried = SERVED.model_copy(update={"id": "a-fallback-1", "tool": "spare"})
    worked = SERVED.model_copy(update={"id": "b", "served_by": "b-fallback-1"})
    did = call("done", id="b-fallback-1", tool="spare")
    numbers = measured(turn([asked, tried], "answer"), turn([worked, did], "answer"))
    assert numbers.fallbacks == {"static": 1, "spare": 1}


@pytest.mark.parametrize(("turns", "rows"), [([turn(STOPPED, "answer")], 1), ([turn(call(), "answer")], 0)])
def test_the_report_has_a_section_about_them(turns: list[list[Any]], rows: int) -> None:
    """With a row for each tool, or with the word that there was none."""
    section = next(one for one in service_group(measured(*turns)).sections if one.title == "Breakers")
    assert sum(len(grid.rows) for grid in section.grids) == rows
    assert ("No call was stopped" in section.about) is (rows == 0)


def test_records_of_a_run_are_counted() -> None:
    """A tool that goes down, is stopped in the next turn and served by its last good result."""
    up = True
    records: list[Any] = []

    @tool(risk="read", breaker=Breaker(failures=1), fallbacks=(LastGood(max_age=60),))
    def rate(currency: str) -> str:
        """Tell a rate."""
        if not up:
            raise ConnectionError(currency)
        return f"{currency}: 11"

    lines: list[Any] = []
    for number in range(3):
        lines += [{"tool_calls": [{"name": "rate", "arguments": {"currency": "NOK"}, "id": f"c{number}"}]}, "Told."]
    model = ScriptedModel(lines=lines)
    agent = build_agent(model=model, tools=[rate], limits=Limits(call_attempts=1), sinks=[records.extend])
    for _ in range(3):
        agent.invoke({"messages": [("user", "rate?")]}, context=Context(user_id="ann"))
        up = False
    numbers = measure_service(Loaded(source="x", records=records, left_out=LeftOut()))
    found = numbers.breakers["rate"]
    assert (found.stopped.n, found.served, found.failed, found.turns) == (3, 1, 1, 1)
    assert numbers.fallbacks == {"last_good": 2}

"""Loops, hanging tools and used-up limits as people have reported them, with tools of our own."""

from __future__ import annotations

import asyncio
import time
from typing import Any

import pytest

from reinforced_agent import Limits, ToolSpec, tool
from tests.graph.answers.test_endings import run
from tests.graph.house import House, assert_valid, call, calls


OSLO = {"city": "Oslo", "date": "2030-01-02"}


@tool(risk="read")
async def never() -> str:
    """Never come back."""
    await asyncio.sleep(3600)
    return "never"


@tool(risk="read")
async def deaf() -> str:
    """Go on although cancelled."""
    for _ in range(3):
        try:
            await asyncio.sleep(1)
        except asyncio.CancelledError:
            continue
    return "deaf"


@tool(risk="read")
def block() -> str:
    """Hold a thread up."""
    time.sleep(3)
    return "blocked"


@tool(risk="read")
def quick(number: int) -> str:
    """Come back at once."""
    return f"quick {number}"


@pytest.mark.parametrize("in_loop", [False, True], ids=["sync", "async"])
@pytest.mark.parametrize("hanging", [never, deaf, block], ids=lambda spec: spec.name)
def test_one_of_three_that_hangs_costs_only_its_own_result(hanging: ToolSpec, in_loop: bool) -> None:  # noqa: FBT001
    """The others keep their results, the hanging call gets its error message, and the next request is served."""
    batch = calls(call("quick", {"number": 1}, "a"), call(hanging.name, {}, "b"), call("quick", {"number": 2}, "c"))
    limits = Limits(call_seconds=0.1, call_attempts=1)
    house = House(batch, "Two of three.", "Good morning.", tools=[quick, hanging], limits=limits)
    run(house, in_loop=in_loop)
    assert [house.status(one) for one in "abc"] == ["done", "failed", "done"]
    assert "no answer within 0.1 seconds" in house.told("b")
    assert run(house, in_loop=in_loop).answer == "Good morning."
    assert_valid(house.history)


@pytest.mark.parametrize(
    ("lines", "limits", "outcome"),
    [
        pytest.param(
            [calls(call("get_forecast", {"city": 7, "date": "soon"}, f"c{n}")) for n in range(30)],
            Limits(),
            "budget",
            id="wrong for ever",
        ),
        pytest.param(
            [calls(call("get_forecast", {**OSLO, "city": f"C{n}"}, f"c{n}")) for n in range(30)],
            Limits(steps=3),
            "limit",
            id="steps used up with a call open",
        ),
        pytest.param(
            [calls(call("get_forecast", {**OSLO, "city": f"C{n}"}, f"c{n}")) for n in range(60)],
            Limits(steps=30),
            "limit",
            id="more steps than the framework would take by itself",
        ),
    ],
)
def test_a_used_up_budget_ends_with_an_answer_and_a_thread_that_goes_on(
    lines: list[Any], limits: Limits, outcome: str
) -> None:
    """No exception: an answer, a word that programs can read, no open call, and room for the next message."""
    house = House(*lines, limits=limits)
    house.config["recursion_limit"] = 5
    house.say("Weather?")
    assert house.outcome == outcome
    assert "What was done:" in house.answer or "What was not done:" in house.answer
    assert_valid(house.history)
    house.model.lines[:] = ["Hello again."] * 99
    assert house.say("And now?").answer == "Hello again."


@pytest.mark.parametrize("tried", [1, 2], ids=["once", "twice"])
def test_the_same_failing_call_is_stopped_before_it_runs_again(tried: int) -> None:
    """Spaces and the order of fields make no other call of it; the model is told to change something."""
    texts = ['{"page": 3}', '{ "page" :3 }', '{"page":3}', '{"page": 3 }']
    lines = [calls(call("read_ledger", text, f"c{n}")) for n, text in enumerate(texts)]
    house = House(*lines, "It is torn.", limits=Limits(identical_failures=tried, tool_failures=None, call_attempts=1))
    house.say()
    assert house.runs == tried + (house.result["calls"]["c0"]["kind"] == "tool_error_transient")
    assert "Change the arguments" in house.told(f"c{house.runs}")


def test_asking_again_for_what_changes_is_no_loop() -> None:
    """A tool that is meant to be polled may be called alike as often as there are steps."""
    seen: list[int] = []

    @tool(risk="read", repeat="allow")
    def progress(job: str) -> str:
        """Tell how far a job is."""
        seen.append(len(seen))
        return f"{job}: {len(seen)} of 4"

    lines = [calls(call("progress", {"job": "build"}, f"c{n}")) for n in range(4)]
    house = House(*lines, "It is built.", tools=[progress]).say()
    assert (len(seen), house.outcome) == (4, "answered")


def test_what_a_person_changed_does_not_come_back() -> None:
    """The original of an edited call neither runs nor is asked about again."""
    note = {"to": "ann", "text": "hi"}
    house = House(calls(call("send_note", note, "c1")), calls(call("send_note", note, "c2")), "Sent to Bob.").say()
    house.decide({"type": "edit", "edited_action": {"name": "send_note", "args": {"to": "bob", "text": "hi"}}})
    assert (house.effects, house.outcome) == ([("bob", "hi")], "answered")
    assert "A person changed exactly this call" in house.told("c2")

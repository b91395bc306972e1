"""Messages of the model that hold very many calls: how many are looked at, and how long it takes."""

from __future__ import annotations

import gc
import time
from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest
from langchain_core.messages import ToolMessage

from reinforced_agent import Estimate, Limits, StaticAnswer, Strategy, tool
from reinforced_agent.policies.situation import Situation
from reinforced_agent.policies.verdicts import Accept, ErrorKind, Refuse, Verdict
from reinforced_agent.tools.call import Call
from tests.graph.house import House, assert_valid, call, calls


@tool(risk="read")
def look_up(number: int) -> str:
    """Look a number up."""
    return f"value {number}"


@tool
def put_away(number: int) -> str:
    """Put a number away."""
    return f"put {number}"


@tool(risk="read", estimate=Estimate(money=1), fallbacks=(StaticAnswer("about nothing"),))
def look_up_dearly(number: int) -> str:
    """Look a number up for money."""
    return f"dear {number}"


def batch(count: int, tool_name: str = "look_up", first: int = 0) -> dict[str, Any]:
    """Write one message with many calls."""
    return calls(*(call(tool_name, {"number": n}, f"c{n}") for n in range(first, first + count)))


def statuses(house: House) -> Counter[str]:
    """Count the calls of the turn by where they ended."""
    return Counter(record["status"] for record in house.result["calls"].values())


def test_calls_beyond_the_bound_of_a_message_are_not_run_and_say_so() -> None:
    """The first ones run, and every further call gets its one tool message with the numbers."""
    house = House(batch(300), "Done.", tools=[look_up], limits=Limits(calls=None)).say()
    assert statuses(house) == {"done": 128, "revise": 172}
    assert [house.status("c127"), house.status("c128")] == ["done", "revise"]
    assert house.told("c128") == (
        "Not run: your message holds 300 calls, and only the first 128 of a message are looked at. "
        "Send this call in your next message if it is still needed."
    )
    assert sum(isinstance(message, ToolMessage) for message in house.history) == 300
    assert_valid(house.history)


def test_calls_beyond_the_bound_run_when_they_are_sent_again() -> None:
    """What was not looked at in one message is looked at in the next."""
    again = calls(call("look_up", {"number": 2}, "d"))
    limits = Limits(calls_per_message=2)
    house = House(batch(3), again, "Done.", tools=[look_up], limits=limits).say()
    assert [house.status(one) for one in ("c0", "c1", "c2", "d")] == ["done", "done", "revise", "done"]


def test_a_call_beyond_the_bound_that_cannot_be_read_is_told_of_the_bound() -> None:
    """Its own faults would be corrected for nothing."""
    message = calls(call("look_up", {"number": 1}, "a"), call("look_up", '{"number": oops', "b"))
    house = House(message, "Done.", tools=[look_up], limits=Limits(calls_per_message=1)).say()
    assert "only the first 1 of a message are looked at" in house.told("b")


def test_a_model_that_sends_too_many_calls_again_and_again_is_stopped() -> None:
    """When the tries of this mistake are used up, the call counts as refused."""
    messages = [batch(2, first=2 * n) for n in range(3)]
    limits = Limits(calls_per_message=1, retries={ErrorKind.TOO_MANY_CALLS: 2})
    house = House(*messages, "Done.", tools=[look_up], limits=limits).say()
    assert [house.status(f"c{n}") for n in (1, 3, 5)] == ["revise", "revise", "refused"]
    assert_valid(house.history)


def test_a_proposal_with_too_many_calls_loses_against_one_without() -> None:
    """Where several proposals are asked for, the bound counts like any other objection."""
    strategy = Strategy(candidates=2, when="always")
    lines = [batch(3), batch(2, first=7), "Done."]
    limits = Limits(calls_per_message=2)
    house = House(*lines, tools=[look_up], limits=limits, strategy=strategy, repeat_last=True).say()
    assert list(house.result["calls"]) == ["c7", "c8"]
    assert statuses(house) == {"done": 2}


@pytest.mark.parametrize("places", [1, 8])
def test_all_calls_of_a_message_run_whatever_the_number_of_places(places: int) -> None:
    """`parallel_calls` says how many run at the same time, not how many run."""
    house = House(batch(12), "Done.", tools=[look_up], limits=Limits(parallel_calls=places)).say()
    assert statuses(house) == {"done": 12}


def test_thousands_of_calls_in_one_message_take_seconds() -> None:
    """Two thousand reads that all run, at a generous bound."""
    limits = Limits(calls=None, calls_per_message=2_000)
    house = House(batch(2_000), "Done.", tools=[look_up], limits=limits)
    assert processor_time(house.say) < 15
    assert statuses(house) == {"done": 2_000}


def forbid(call: Call, _situation: Situation) -> Verdict:
    """Forbid every call that looks something up."""
    if call.tool != "look_up":
        return Accept(layer="forbid")
    return Refuse(layer="forbid", kind=ErrorKind.POLICY, message="This is not allowed.")


def heed(_call: Call, situation: Situation) -> Verdict:
    """Look at every call beside the one that is judged."""
    assert len(situation.beside) == len(list(situation.beside))
    assert len(situation.siblings) <= len(situation.beside)
    return Accept(layer="heed")


GROWING: dict[str, tuple[str, dict[str, Any]]] = {
    "refused": ("look_up", {"policies": [forbid]}),
    "wrong": ("look_down", {}),
    "waiting": ("put_away", {}),
    "served": ("look_up_dearly", {}),
    "beside": ("put_away", {"policies": [heed]}),
}


@pytest.mark.parametrize("case", GROWING)
def test_the_time_for_a_message_grows_with_its_calls_and_no_faster(case: str) -> None:
    """Four times the calls take about four times as long, whatever becomes of them."""
    name, options = GROWING[case]

    def take(count: int) -> float:
        limits = Limits(calls=None, calls_per_message=count, call_money=0)
        house = House(
            batch(count, name),
            "Done.",
            tools=[look_up, put_away, look_up_dearly],
            limits=limits,
            repeat_last=True,
            **options,
        )
        return processor_time(house.say)

    take(10)
    assert take(1_000) < 9 * min(take(250) for _ in range(2))


def processor_time(work: Callable[[], object]) -> float:
    """Time work on all threads, in seconds; neither waiting for the processor nor collecting garbage is counted."""
    gc.collect()
    gc.disable()
    started = time.process_time()
    try:
        work()
    finally:
        gc.enable()
    return time.process_time() - started

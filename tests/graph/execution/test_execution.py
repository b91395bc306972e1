"""A call runs within its bounds, again only where that does no harm, and what is known about it is told."""

from __future__ import annotations

import asyncio
import threading
import time
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

import pytest
from langgraph.types import Command

from reinforced_agent import (
    Limits,
    idempotency_key,
    tool,
)
from tests.graph.bank import APPROVE, PAY, Bank, paying
from tests.graph.house import House, assert_valid, call, calls


@pytest.mark.parametrize(
    ("declared", "faults", "attempts", "status"),
    [
        pytest.param({"risk": "read"}, [ConnectionResetError()], 2, "done", id="read-once-more"),
        pytest.param({"risk": "read"}, [ConnectionResetError()] * 5, 3, "failed", id="read-up-to-a-bound"),
        pytest.param({"risk": "read"}, [ValueError("no")], 1, "failed", id="read-with-a-lasting-fault"),
        pytest.param({}, [ConnectionResetError()], 1, "unknown", id="write-that-broke-off"),
        pytest.param({}, [asyncio.CancelledError()], 1, "unknown", id="write-that-was-cancelled"),
        pytest.param({}, [ConnectionRefusedError()], 1, "failed", id="write-that-never-arrived"),
        pytest.param({}, [ValueError("no")], 1, "failed", id="write-that-was-refused"),
        pytest.param({"idempotent": True}, [ConnectionResetError()], 2, "done", id="idempotent-write"),
    ],
)
def test_only_what_does_no_harm_is_tried_again(
    declared: dict[str, Any], faults: list[BaseException], attempts: int, status: str
) -> None:
    """Reads and idempotent writes are repeated while the fault may pass, all under one key; other writes are not."""
    bank = Bank(*faults, **declared)
    house = paying(bank)
    assert (len(bank.keys), house.status("c1")) == (attempts, status)
    assert house.result["calls"]["c1"]["attempts"] == attempts
    assert len(set(bank.keys)) == 1
    assert len(bank.keys[0]) == 64
    assert_valid(house.history)


def test_a_payment_that_timed_out_after_it_was_booked_is_not_booked_again() -> None:
    """The model that plans the same payment again in the turn is told that its outcome is unknown."""
    bank = Bank(TimeoutError("read timed out"))
    house = paying(bank, calls(call("pay", {"amount": 5}, "c2")), "I have to look it up.", "Fine.")
    assert len(bank.keys) == 1
    assert "UNKNOWN whether it took effect" in house.told("c1")
    assert "must not be repeated" in house.told("c2")


def test_a_new_turn_may_pay_again_under_another_key() -> None:
    """The user who asks once more gets a question, and a key of its own."""
    bank = Bank()
    house = House(calls(PAY), "Paid.", calls(call("pay", {"amount": 5}, "c2")), "Paid again.", tools=[bank.spec])
    house.say().decide(APPROVE).say("once more").decide(APPROVE)
    assert bank.booked == [5, 5]
    assert len(set(bank.keys)) == 2


def test_the_key_is_no_argument() -> None:
    """The model doesn't see the key, and one that sends it is told that there is no such parameter."""
    bank = Bank()
    sent = call("pay", {"amount": 5, "key": "mine"}, "c1")
    house = House(calls(sent), "I can't.", tools=[bank.spec]).say()
    assert "`key` is not a parameter" in house.told("c1")
    assert "key" not in bank.spec.parameters["properties"]


def test_tools_of_any_make_can_ask_for_the_key() -> None:
    """Inside a call the key is at hand without a parameter, in sync and in async tools."""
    seen = []

    @tool
    def sync(n: int) -> str:
        """Do it."""
        seen.append(idempotency_key())
        return "ok"

    @tool
    async def hurried(n: int) -> str:
        """Do it."""
        await asyncio.sleep(0)
        seen.append(idempotency_key())
        return "ok"

    house = House(calls(call("sync", {"n": 1}, "a"), call("hurried", {"n": 1}, "b")), "Done.", tools=[sync, hurried])
    house.say().decide(APPROVE, APPROVE)
    assert sorted(seen) == sorted(house.result["calls"][name]["key"] for name in ("a", "b"))
    assert seen[0] != seen[1]


def test_an_equal_read_takes_the_earlier_result_where_the_tool_allows_it() -> None:
    """A read that may be reused runs once as long as nothing was changed in between, and again after a change."""
    runs: list[int] = []

    @tool(risk="read", repeat="reuse")
    def rate(day: int) -> str:
        """Look up a rate."""
        runs.append(day)
        return f"rate {len(runs)}"

    @tool
    def change(day: int) -> str:
        """Change a rate."""
        return "changed"

    def read(call_id: str) -> Any:
        return calls(call("rate", {"day": 1}, call_id))

    house = House(
        read("a"), read("b"), calls(call("change", {"day": 1}, "c")), read("d"), "Done.", tools=[rate, change]
    ).say()
    house.decide(APPROVE)
    assert [house.told(name) for name in ("a", "b", "d")] == ["rate 1", "rate 1", "rate 2"]
    assert runs == [1, 1]


@pytest.mark.parametrize("repeat", ["refuse", "reuse"])
def test_a_job_may_be_asked_for_until_it_is_done(repeat: str) -> None:
    """A status that says that it is under way makes an equal read allowed, whether or not it has changed."""
    states = ["queued", "running", "running", "done"]

    @tool(risk="read", repeat=repeat)
    def job(number: int) -> dict[str, str]:
        """Look at a job."""
        return {"status": states.pop(0)}

    asked = [calls(call("job", {"number": 4}, name)) for name in "abcd"]
    house = House(*asked, "It is done.", tools=[job]).say()
    assert [house.status(name) for name in "abcd"] == ["done"] * 4
    assert states == []


def test_an_error_is_not_taken_for_a_later_read() -> None:
    """An equal read runs once more where the first brought nothing but an error."""
    results: list[dict[str, Any]] = [{"error": "rate limited"}, {"celsius": 7}]

    @tool(risk="read", repeat="reuse")
    def look(city: str) -> dict[str, Any]:
        """Look."""
        return results.pop(0)

    asked = [calls(call("look", {"city": "Oslo"}, name)) for name in "abc"]
    house = House(*asked, "7.", tools=[look]).say()
    assert [house.told(name) for name in "abc"] == ['{"error": "rate limited"}', '{"celsius": 7}', '{"celsius": 7}']


def test_a_write_that_may_be_repeated_has_an_effect_each_time() -> None:
    """Where equal calls are meant, each is an effect of its own, also side by side."""
    lines: list[str] = []

    @tool(repeat="allow")
    def log(text: str) -> str:
        """Write a line."""
        lines.append(idempotency_key())
        return str(len(lines))

    first = calls(call("log", {"text": "x"}, "a"), call("log", {"text": "x"}, "b"))
    house = House(first, calls(call("log", {"text": "x"}, "c")), "Done.", tools=[log]).say()
    house.decide(APPROVE, APPROVE).decide(APPROVE)
    assert len(set(lines)) == len(lines) == 3


def test_three_side_by_side_of_which_one_fails_keep_their_results() -> None:
    """A call that breaks takes nothing from the calls beside it, and no trace or secret reaches the model."""

    @tool(risk="read")
    def ok(n: int) -> str:
        """Answer."""
        time.sleep(0.01 * n)
        return f"answer {n}"

    @tool(risk="read")
    def broken() -> str:
        """Break."""
        msg = "no route"
        raise ConnectionError(msg)

    batch = calls(call("ok", {"n": 0}, "a"), call("broken", {}, "b"), call("ok", {"n": 5}, "c"))
    house = House(batch, "Done.", tools=[ok, broken], limits=Limits(call_attempts=1)).say()
    assert [house.told(name) for name in ("a", "c")] == ["answer 0", "answer 5"]
    told = "`broken` failed: ConnectionError: no route. The service behind it can't be reached"
    assert house.told("b").startswith(told)
    assert "Traceback" not in house.told("b")
    assert_valid(house.history)


@pytest.mark.parametrize("way", ["sync", "async"])
def test_tools_that_hang_cost_their_time_and_nothing_else(way: str) -> None:
    """A tool that blocks, one that never returns and one that ignores cancellation are given up in time."""
    release = threading.Event()

    @tool(timeout=0.05)
    def blocks() -> str:
        """Block."""
        release.wait(20)
        return "late"

    @tool(risk="read", timeout=0.05)
    async def sleeps() -> str:
        """Sleep."""
        await asyncio.sleep(20)
        return "late"

    @tool(risk="read")
    def quick() -> str:
        """Answer."""
        return "quick"

    batch = calls(call("blocks", {}, "a"), call("sleeps", {}, "b"), call("quick", {}, "c"))
    house = House(batch, "I can't say.", "Next.", tools=[blocks, sleeps, quick]).say()
    answer: Command[Any] = Command(
        resume={house.question.id: {"decisions": [{**APPROVE, "token": house.question.value["calls"][0]["token"]}]}}
    )
    started = time.monotonic()
    if way == "async":
        house.result = asyncio.run(house.agent.ainvoke(answer, house.config))
    else:
        house.result = house.agent.invoke(answer, house.config)
    assert time.monotonic() - started < 10
    assert [house.status(name) for name in ("a", "b", "c")] == ["unknown", "failed", "done"]
    assert "UNKNOWN whether it took effect" in house.told("a")
    assert house.say("next").answer == "Next."
    release.set()


def test_results_of_everyday_types_are_stored_and_strange_ones_named() -> None:
    """Dates, decimals and NaN reach the model as exact text; an object without a form is an error naming its key."""

    @tool(risk="read")
    def quote() -> dict[str, Any]:
        """Quote."""
        return {"at": datetime(2026, 1, 2, 3, 4, tzinfo=UTC), "price": Decimal("1.10"), "n": float("nan")}

    @tool(risk="read")
    def session() -> dict[str, Any]:
        """Open a session."""
        return {"rows": 3, "session": object()}

    house = House(calls(call("quote", {}, "a"), call("session", {}, "b")), "Done.", tools=[quote, session]).say()
    assert '"at": "2026-01-02T03:04:00Z", "price": "1.10"' in house.told("a")
    assert "not a finite number, and so no value to rely on: n" in house.told("a")
    assert (house.status("b"), "session: object" in house.told("b")) == ("failed", True)
    assert_valid(house.history)


def test_a_question_repeats_neither_the_model_nor_what_ran_before() -> None:
    """The model is asked once for a proposal, and a read beside a held write runs once, however often it is resumed."""
    batch = calls(
        call("get_forecast", {"city": "Oslo", "date": "2026-12-01"}, "a"),
        call("send_note", {"to": "bob", "text": "hi"}, "b"),
    )
    house = House(batch, "Done.").say().resume("?").resume({}).decide(APPROVE)
    assert (house.runs, house.effects, len(house.model.seen)) == (1, [("bob", "hi")], 2)
    tool_messages = [message for message in house.history if message.type == "tool"]
    assert [message.tool_call_id for message in tool_messages] == ["a", "b"]


def test_a_call_that_was_decided_against_is_not_run_by_a_jump_to_execution() -> None:
    """The executor itself leaves alone what is not cleared to run, however it got there."""
    house = House(calls(call("send_note", {"to": "bob", "text": "hi"}, "a")), "Fine.").say().decide({"type": "reject"})
    record = house.result["calls"]["a"]
    order = {"record": record, "turn": house.result["turn"]["id"], "locale": "en"}
    execute = house.agent.nodes["execute"].bound
    assert execute.invoke(order, house.config) == {}
    assert house.effects == []

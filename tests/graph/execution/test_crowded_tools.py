"""More calls than there are threads for: they queue within their time, and one that gets no thread was not run."""

from __future__ import annotations

import asyncio
import threading
import time
from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest

from reinforced_agent import ApprovalPolicy, ApprovalRule, Estimate, Limits, tool
from reinforced_agent.tools import threads as workers
from reinforced_agent.tools.threads import Places
from tests.graph.answers.test_endings import run
from tests.graph.bank import PAY
from tests.graph.house import House, call, calls


UNASKED = ApprovalPolicy(write=ApprovalRule(ask=False))
WAYS = pytest.mark.parametrize("in_loop", [False, True], ids=["sync", "async"])


@pytest.fixture(name="taken")
def _taken(monkeypatch: pytest.MonkeyPatch) -> Iterator[threading.Event]:
    """Leave no thread free until the event is set."""
    places, free = Places(total=1), threading.Event()
    monkeypatch.setattr(workers, "PLACES", places)
    places.take("another tool", 1)

    def give_back() -> None:
        free.wait(20)
        places.give_back("another tool", left_behind=False)

    holder = threading.Thread(target=give_back)
    holder.start()
    yield free
    free.set()
    holder.join()


def paying(booked: list[int], **declared: Any) -> Any:
    """Declare a tool that books what it pays."""

    @tool(risk="write", **declared)
    def pay(amount: int) -> str:
        """Pay."""
        booked.append(amount)
        return f"paid {amount}"

    return pay


def test_runs_side_by_side_queue_for_their_tools(monkeypatch: pytest.MonkeyPatch) -> None:
    """Fifty writes over four threads: all of them succeed."""
    monkeypatch.setattr(workers, "PLACES", Places(total=4))

    @tool(risk="write")
    def pay(amount: int) -> str:
        """Pay."""
        time.sleep(0.02)
        return f"paid {amount}"

    async def pay_one() -> str:
        house = House(calls(PAY), "Done.", tools=[pay], approvals=UNASKED)
        house.result = await house.agent.ainvoke({"messages": [("user", "Pay 5.")]}, house.config)
        return house.status("c1")

    async def pay_all() -> list[str]:
        return list(await asyncio.gather(*(pay_one() for _ in range(50))))

    assert Counter(asyncio.run(pay_all())) == {"done": 50}


@WAYS
def test_a_write_that_got_no_thread_was_not_run(in_loop: bool, taken: threading.Event) -> None:  # noqa: FBT001
    """The model is told so, the effect is not unknown, its tool is not to blame, and nothing is charged."""
    booked: list[int] = []
    pay = paying(booked, timeout=0.05, estimate=Estimate(money=3))
    house = run(House(calls(PAY), "Later.", tools=[pay], approvals=UNASKED, limits=Limits(money=9)), in_loop=in_loop)
    taken.set()
    assert house.told("c1") == (
        "`pay` was not run: too many calls are under way. Nothing has happened, so it may be called again later."
    )
    assert (booked, house.status("c1"), house.agent.ledger.effects.unknown()) == ([], "failed", [])
    assert house.agent.breakers.snapshot()["pay"]["failures"] == 0
    assert house.result["turn"]["spent"]["money"] == 0


def test_a_write_that_got_no_thread_may_be_called_again(taken: threading.Event) -> None:
    """The very same call of the same turn runs when there is a thread, once."""
    booked: list[int] = []
    again, model = calls(call("pay", {"amount": 5}, "c2")), list[Any]()
    house = House(calls(PAY), again, "Done.", tools=[paying(booked, timeout=0.2)], approvals=UNASKED)
    for part in house.agent.stream({"messages": [("user", "Pay 5.")]}, house.config, stream_mode="updates"):
        model += [part] if "propose" in part else []
        if len(model) == 2:
            taken.set()
    assert booked == [5]
    assert house.told("c2") == "paid 5"


def test_the_queue_is_not_counted_as_the_work_of_a_tool(taken: threading.Event) -> None:
    """How long a call took is told without how long it had to wait."""
    pay = paying([], timeout=20)
    threading.Timer(0.5, taken.set).start()
    house = House(calls(PAY), "Done.", tools=[pay], approvals=UNASKED).say("Pay 5.")
    record = house.result["calls"]["c1"]
    assert record["status"] == "done"
    assert record["queued"] > 0.3
    assert record["seconds"] < record["queued"]


def test_a_call_in_the_queue_ends_with_the_time_of_the_run(taken: threading.Event) -> None:
    """However long it might take itself, it is turned away when the run is over."""
    booked: list[int] = []
    limits = Limits(seconds=0.2)
    house = House(calls(PAY), "Done.", tools=[paying(booked)], approvals=UNASKED, limits=limits).say("Pay 5.")
    assert not taken.is_set()
    assert (booked, house.status("c1"), house.outcome) == ([], "failed", "limit")

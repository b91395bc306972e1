"""Calls that repeat, break off or are cancelled happen as often as they were asked for, and are told as they were."""

from __future__ import annotations

import asyncio
import threading
import time
from typing import Any

import pytest
from langchain_core.messages import HumanMessage
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.types import Command

from reinforced_agent import (
    Alternative,
    ApprovalPolicy,
    ApprovalRule,
    Happened,
    Ledger,
    Limits,
    ScriptedModel,
    ToolSpec,
    build_agent,
    tool,
)
from reinforced_agent.ledger.approvals import Binding
from reinforced_agent.ledger.effects import Claim, Effect, Effects
from reinforced_agent.tools.call import digest
from tests.graph.bank import APPROVE, PAY, Bank, paying
from tests.graph.house import House, assert_valid, call, calls
from tests.ledger.cases import grant


UNASKED = ApprovalPolicy(write=ApprovalRule(ask=False))
AGAIN = call("pay", {"amount": 5}, "c2")
TO_SIX = {"type": "edit", "edited_action": {"name": "pay", "args": {"amount": 6}}}


def test_a_repetition_after_a_failure_in_between_runs() -> None:
    """Three equal calls of which the first failed have two effects, not one that is told twice."""
    bank = Bank(ValueError("no"), repeat="allow")
    one_by_one = Limits(parallel_calls=1)
    third = calls(call("pay", {"amount": 5}, "c3"))
    house = House(calls(PAY, AGAIN), third, "Done.", tools=[bank.spec], approvals=UNASKED, limits=one_by_one).say()
    assert [house.status(one) for one in ("c1", "c2", "c3")] == ["failed", "done", "done"]
    assert (bank.booked, len(set(bank.keys))) == ([5, 5], 3)


def test_an_edit_into_an_earlier_call_that_may_repeat_runs() -> None:
    """What a person approved by an edit is done, not answered with the result of the earlier call."""
    bank = Bank(repeat="allow")
    house = House(calls(call("pay", {"amount": 6}, "c1")), calls(AGAIN), "Done.", tools=[bank.spec]).say()
    house.decide(APPROVE).decide(TO_SIX)
    assert bank.booked == [6, 6]


def test_two_edits_into_the_same_call_run_twice() -> None:
    """They don't stand in each other's way either."""
    bank = Bank(repeat="allow")
    house = House(calls(PAY, call("pay", {"amount": 7}, "c2")), "Done.", tools=[bank.spec]).say()
    house.decide(TO_SIX, TO_SIX)
    assert bank.booked == [6, 6]
    assert_valid(house.history)


def test_a_read_that_asks_is_fresh_after_a_change() -> None:
    """An approved read isn't answered from before the change."""
    bank = Bank()

    @tool(risk="read")
    def total() -> str:
        """Add up."""
        return f"{sum(bank.booked)} booked"

    rules = ApprovalPolicy(read=ApprovalRule(), write=ApprovalRule(ask=False))
    lines = (calls(call("total", {}, "r1")), calls(PAY), calls(call("total", {}, "r2")), "Done.")
    house = House(*lines, tools=[bank.spec, total], approvals=rules).say()
    house.decide(APPROVE).decide(APPROVE)
    assert (house.told("r1"), house.told("r2")) == ("0 booked", "5 booked")


@pytest.mark.parametrize(
    "faults",
    [
        pytest.param([ConnectionResetError()] * 3, id="broke-off-to-the-end"),
        pytest.param(
            [ConnectionResetError(), ConnectionRefusedError(), ConnectionRefusedError()], id="then-never-came"
        ),
        pytest.param([ConnectionResetError(), ValueError("paid already")], id="then-was-refused"),
    ],
)
def test_an_idempotent_write_that_broke_off_is_unknown(faults: list[BaseException]) -> None:
    """It may have taken effect: it is not told as failed, and nothing else is done in its place."""
    bank = Bank(*faults, idempotent=True, fallbacks=(Alternative("pay_otherwise"),))
    done: list[int] = []

    @tool
    def pay_otherwise(amount: int) -> None:
        """Pay in another way."""
        done.append(amount)

    house = House(calls(PAY), "Hm.", tools=[bank.spec, pay_otherwise], approvals=UNASKED).say()
    assert (house.status("c1"), done) == ("unknown", [])
    assert "UNKNOWN" in house.told("c1")


def test_the_target_of_an_idempotent_write_is_asked() -> None:
    """What the target knows is told."""
    bank = Bank(*[ConnectionResetError()] * 3, idempotent=True, reconcile=lambda _arguments, _key: Happened("paid 5"))
    assert paying(bank).status("c1") == "done"


@pytest.mark.parametrize("declared", [{"idempotent": True}, {"risk": "read"}], ids=["idempotent", "read"])
def test_a_call_that_may_run_again_is_asked_about(declared: dict[str, Any]) -> None:
    """A call that was cut off, and may be repeated, is not refused for want of a question."""
    ledger, bank = Ledger(), Bank(**declared)
    left = Effect(binding=Binding("thread", "m1", "c0", "pay", digest("pay", {"amount": 5})))
    ledger.effects.settle(left.key, grant(ledger, left).fence, "unknown", {})
    rules = ApprovalPolicy(read=ApprovalRule())
    house = House(calls(PAY), "Done.", tools=[bank.spec], ledger=ledger, approvals=rules)
    house.result = house.agent.invoke({"messages": [HumanMessage("Pay.", id="m1")]}, house.config)
    house.decide(APPROVE)
    assert (bank.booked, house.status("c1")) == ([5], "done")


@pytest.mark.parametrize(
    ("found", "told"),
    [
        pytest.param({"status": "ok", "result": "receipt 7"}, "receipt 7", id="with-a-status-of-its-own"),
        pytest.param({"result": {"receipt": 7}}, '"receipt": 7', id="result-that-is-no-text"),
        pytest.param({"result": None, "failure": "?"}, "returned nothing", id="nothing"),
    ],
)
def test_what_a_person_found_out_may_have_any_form(found: dict[str, Any], told: str) -> None:
    """The thread goes on with it."""
    ledger, bank = Ledger(), Bank()
    house = House(calls(PAY), "Done.", tools=[bank.spec], ledger=ledger).say()
    left = Effect(binding=Binding("thread", house.result["turn"]["id"], "c1", "pay", digest("pay", {"amount": 5})))
    ledger.effects.settle(left.key, grant(ledger, left).fence, "unknown", {})
    assert ledger.effects.resolve(left.key, "committed", found, by={"user_id": "ann"})
    house.decide(APPROVE)
    assert (house.status("c1"), bank.booked) == ("done", [])
    assert told in house.told("c1")


def test_a_run_that_is_cancelled_while_it_claims_leaves_nothing_behind(monkeypatch: pytest.MonkeyPatch) -> None:
    """The call was never started: the next run starts it."""
    bank = Bank()
    house = House(calls(PAY), "Done.", tools=[bank.spec], approvals=UNASKED)
    claim = Effects.claim

    def slowly(self: Effects, *arguments: Any) -> Claim:
        claiming.set()
        time.sleep(0.1)
        return claim(self, *arguments)

    async def cancel() -> None:
        run = asyncio.create_task(house.agent.ainvoke({"messages": [("user", "Pay.")]}, house.config))
        await asyncio.to_thread(claiming.wait, 20)
        run.cancel()
        with pytest.raises(asyncio.CancelledError):
            await run

    claiming = threading.Event()
    with monkeypatch.context() as slow:
        slow.setattr(Effects, "claim", slowly)
        asyncio.run(cancel())
    assert bank.booked == []
    house.result = house.agent.invoke(None, house.config)
    assert (bank.booked, house.status("c1")) == ([5], "done")


def test_a_tool_that_changes_its_arguments_changes_nothing_else() -> None:
    """Each attempt gets what was approved, and the record shows it."""
    seen: list[dict[str, Any]] = []

    def run(arguments: Any) -> str:
        seen.append(dict(arguments))
        arguments["amount"] += 1
        if len(seen) == 1:
            raise ConnectionRefusedError
        return "paid"

    amount = {"type": "object", "properties": {"amount": {"type": "integer"}}, "required": ["amount"]}
    pay = ToolSpec(name="pay", description="Pay.", parameters=amount, idempotent=True, run=run)
    house = House(calls(PAY), "Done.", tools=[pay]).say().decide(APPROVE)
    assert seen == [{"amount": 5}] * 2
    assert house.result["calls"]["c1"]["arguments"] == {"amount": 5}


def test_agents_side_by_side_may_number_their_calls_alike() -> None:
    """Each call keeps its tool message in the chat of the parent."""
    banks = Bank(), Bank()
    parent = StateGraph(MessagesState)
    for number, bank in enumerate(banks):
        model = ScriptedModel(lines=[calls(PAY), "Done."])
        parent.add_node(f"agent{number}", build_agent(model=model, tools=[bank.spec]))
        parent.add_edge(START, f"agent{number}")
    chat: Any = parent.compile(checkpointer=InMemorySaver())
    config: Any = {"configurable": {"thread_id": "thread"}}
    asked = chat.invoke({"messages": [("user", "Pay.")]}, config)["__interrupt__"]
    yes = {one.id: {"decisions": [{**APPROVE, "token": one.value["calls"][0]["token"]}]} for one in asked}
    assert_valid(chat.invoke(Command(resume=yes), config)["messages"])
    assert [bank.booked for bank in banks] == [[5], [5]]


@pytest.mark.parametrize(
    "returned",
    [
        pytest.param({"status": "error", "message": "declined " + "x" * 9_000}, id="longer-than-a-result-may-be"),
        pytest.param({"status": "error", "message": "declined", "code": float("nan")}, id="with-an-odd-number"),
    ],
)
def test_an_error_that_is_returned_is_no_result_in_any_form(returned: dict[str, Any]) -> None:
    """It is told as a failure, also where it has to be cut or noted about."""

    @tool
    def pay(amount: int) -> dict[str, Any]:
        """Pay."""
        return {"amount": amount, **returned} if amount < 0 else returned

    house = House(calls(PAY), "Hm.", tools=[pay], approvals=UNASKED).say()
    assert house.status("c1") == "failed"
    assert "`pay` reported an error: declined" in house.told("c1")


def test_a_failure_before_a_result_is_no_reason_to_write_again() -> None:
    """The model is told that the call has run, instead of being given the old result as a new one."""
    bank = Bank(ValueError("no"))
    third = calls(call("pay", {"amount": 5}, "c3"))
    limits = Limits(identical_failures=2)
    house = House(calls(PAY), calls(AGAIN), third, "Done.", tools=[bank.spec], approvals=UNASKED, limits=limits).say()
    assert (bank.booked, house.status("c3")) == ([5], "revise")
    assert "has run already" in house.told("c3")

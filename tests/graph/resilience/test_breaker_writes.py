"""What a breaker means for calls that change something: approvals, the ledger, unknown outcomes."""

from __future__ import annotations

from reinforced_agent import Alternative, Breakers, StaticAnswer, tool
from tests.graph.house import House, assert_valid, call, calls
from tests.graph.services import Clock, fail_once


def test_the_breaker_is_asked_when_an_approved_call_runs() -> None:
    """A tool that went down while a person was thinking isn't called, and its fallback serves."""
    clock = Clock()
    paid: list[int] = []

    @tool(risk="write", fallbacks=(StaticAnswer("Pay at the desk."),))
    def pay(amount: int) -> str:
        """Pay."""
        paid.append(amount)
        return "paid"

    breakers = Breakers(clock=clock)
    house = House(calls(call("pay", {"amount": 5}, "c1")), "At the desk.", tools=[pay], breakers=breakers).say()
    for _ in range(5):
        fail_once(breakers, pay)
    house.decide({"type": "approve"})
    assert (house.status("c1"), paid) == ("served", [])
    assert "Pay at the desk." in house.told("c1")
    assert_valid(house.history)


def test_nobody_is_asked_about_a_call_that_can_not_run() -> None:
    """A write whose tool is down is stopped before a person is bothered."""
    clock = Clock()

    @tool(risk="write")
    def pay(amount: int) -> str:
        """Pay."""
        return f"paid {amount}"

    breakers = Breakers(clock=clock)
    for _ in range(5):
        fail_once(breakers, pay)
    house = House(calls(call("pay", {"amount": 5}, "c1")), "Later.", tools=[pay], breakers=breakers).say()
    assert "__interrupt__" not in house.result
    assert house.status("c1") == "open"


def test_what_a_payment_did_is_told_though_its_tool_is_down_now() -> None:
    """A replay from an old checkpoint gets the outcome the ledger knows, not a fallback that pays again."""
    clock = Clock()
    paid: list[str] = []

    @tool(risk="write", fallbacks=(Alternative("pay_by_card"),))
    def pay(amount: int) -> str:
        """Pay."""
        paid.append("transfer")
        return f"paid {amount}"

    @tool(risk="write")
    def pay_by_card(amount: int) -> str:
        """Pay by card."""
        paid.append("card")
        return f"paid {amount}"

    breakers = Breakers(clock=clock)
    line = calls(call("pay", {"amount": 5}, "c1"))
    house = House(line, "Paid.", line, "Paid.", tools=[pay, pay_by_card], breakers=breakers).say()
    asking = house.agent.get_state(house.config).config
    house.decide({"type": "approve"})
    for _ in range(5):
        fail_once(breakers, pay)
    before = next(one for one in house.agent.get_state_history(house.config) if one.next == ("check",))
    result = house.agent.invoke(None, before.config)
    assert asking
    assert paid == ["transfer"]
    assert result["calls"]["c1"]["status"] == "done"


def test_a_payment_of_unknown_outcome_is_not_done_again_by_another_tool() -> None:
    """The chain serves what certainly failed; what may have happened is told as unknown."""
    paid: list[str] = []

    @tool(risk="write", fallbacks=(Alternative("pay_by_card"), StaticAnswer("Pay at the desk.")))
    def pay(amount: int) -> str:
        """Pay."""
        paid.append("transfer")
        msg = "broke off"
        raise ConnectionResetError(msg)

    @tool(risk="write")
    def pay_by_card(amount: int) -> str:
        """Pay by card."""
        paid.append("card")
        return f"paid {amount}"

    house = House(calls(call("pay", {"amount": 5}, "c1")), "Unclear.", tools=[pay, pay_by_card]).say()
    house.decide({"type": "approve"})
    assert (house.status("c1"), paid) == ("unknown", ["transfer"])

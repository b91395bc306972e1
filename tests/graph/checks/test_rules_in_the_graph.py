"""Rules as data hold over a whole conversation: what a tool has established counts in later turns."""

from __future__ import annotations

from typing import Any

from reinforced_agent import Context, tool
from reinforced_agent.policies.rules import Requires, RuleSet, Source
from tests.graph.house import House, assert_valid, call, calls


PAY = call("pay", {"amount": 5}, "p1")
LOGIN_FIRST = RuleSet(
    rules=(Requires(name="login first", tools=("pay",), fact="logged_in"),),
    sources=(Source(fact="logged_in", tool="log_in", path="ok"),),
)


def bank() -> list[Any]:
    """Return a log-in and a payment."""

    @tool(risk="read")
    def log_in(user: str) -> dict[str, Any]:
        """Log in."""
        return {"ok": user == "ann"}

    @tool(risk="read")
    def pay(amount: int) -> str:
        """Pay."""
        return f"paid {amount}"

    return [log_in, pay]


def test_no_payment_before_login() -> None:
    """The payment is sent back, with the tool that has to come first, and works after it, also in the next turn."""
    house = House(
        calls(PAY),
        calls(call("log_in", {"user": "ann"}, "l1")),
        "You are logged in.",
        calls(call("pay", {"amount": 5}, "p2")),
        "Paid.",
        tools=bank(),
        policies=LOGIN_FIRST,
    ).say("pay 5")
    assert house.result["calls"]["p1"]["status"] == "revise"
    assert "log_in" in house.told("p1")
    house.say("now pay")
    assert house.told("p2") == "paid 5"
    assert_valid(house.history)


def test_a_login_that_failed_establishes_nothing() -> None:
    """What a result says counts, not that the tool was called."""
    house = House(
        calls(call("log_in", {"user": "eve"}, "l1")), calls(PAY), "I can't.", tools=bank(), policies=LOGIN_FIRST
    ).say()
    assert house.result["calls"]["p1"]["status"] in {"revise", "refused"}


def test_what_the_host_vouches_for_counts_more_than_a_result() -> None:
    """A fact of the host is not overwritten by what a tool says."""
    lines = [calls(call("log_in", {"user": "ann"}, "l1")), calls(PAY), "I can't."]
    house = House(*lines, tools=bank(), policies=LOGIN_FIRST).say(context=Context(facts={"logged_in": False}))
    assert house.result["calls"]["p1"]["status"] in {"revise", "refused"}

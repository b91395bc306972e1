"""What happens when a tool is down: alternatives, fixed texts, and how the answer says so."""

from __future__ import annotations

from typing import Any

import pytest

from reinforced_agent import GiveUp, LastGood, build_agent, tool
from reinforced_agent.tools.fallbacks import Alternative, StaticAnswer
from tests.graph.house import House, assert_valid, call, calls
from tests.graph.services import ONCE, Attentive


LINE = calls(call("rate", {"currency": "NOK"}, "c1"))


def tools(*fallbacks: Any, broken_table: bool = False, table_risk: str = "read") -> list[Any]:
    """Make a tool that is down and another that may stand in."""

    @tool(risk="read", fallbacks=fallbacks)
    def rate(currency: str) -> float:
        """Tell the rate of a currency."""
        msg = f"no connection for {currency}"
        raise ConnectionError(msg)

    @tool(risk=table_risk, offered=False)
    def table(code: str) -> str:
        """Look a rate up in a table."""
        if broken_table:
            msg = "torn"
            raise OSError(msg)
        return f"{code}: 11.7"

    return [rate, table]


def as_code(arguments: Any) -> dict[str, Any]:
    """Map the arguments of the tool to those of its alternative."""
    return {"code": arguments["currency"]}


def test_an_alternative_serves_and_the_answer_says_so() -> None:
    """The alternative gets mapped arguments, and its result answers the original call."""
    house = House(LINE, "About 11.7.", tools=tools(Alternative("table", as_code))).say()
    assert house.status("c1") == "served"
    assert "NOK: 11.7" in house.told("c1")
    assert house.answer.startswith("About 11.7.")
    assert "`rate` could not be used; `table` served instead" in house.answer
    assert_valid(house.history)


def test_a_fixed_text_is_the_last_resort() -> None:
    """When the alternative fails as well, the next entry of the chain serves."""
    chain = (Alternative("table", as_code), StaticAnswer("Rates are published at four."))
    house = House(LINE, "At four.", tools=tools(*chain, broken_table=True)).say()
    assert house.status("c1") == "served"
    assert "Rates are published at four." in house.told("c1")
    assert "a fixed text served instead" in house.answer
    assert_valid(house.history)


def test_a_chain_that_is_used_up_tells_the_model() -> None:
    """When nothing serves, the model learns why and may answer."""
    house = House(LINE, "I can't say.", tools=tools(Alternative("table", as_code), broken_table=True)).say()
    assert house.status("c1") == "failed"
    assert "ConnectionError" in house.told("c1")
    assert (house.answer, house.outcome) == ("I can't say.", "answered")
    assert_valid(house.history)


def test_an_alternative_is_checked_like_any_call() -> None:
    """A mapping that makes a wrong call doesn't run, and doesn't cost the model a try."""
    house = House(LINE, "I can't say.", tools=tools(Alternative("table"))).say()
    assert house.status("c1") == "failed"
    assert house.status("c1-fallback-1") == "refused"
    assert len(house.model.seen) == 2
    assert_valid(house.history)


@pytest.mark.parametrize(
    ("decision", "status"), [({"type": "approve"}, "served"), ({"type": "reject"}, "rejected")], ids=["yes", "no"]
)
def test_a_risky_alternative_asks_a_person(decision: dict[str, Any], status: str) -> None:
    """An alternative that changes something is held like any other call."""
    house = House(LINE, "Done.", tools=tools(Alternative("table", as_code), table_risk="write")).say()
    assert house.question.value["calls"][0]["tool"] == "table"
    house.decide(decision)
    assert house.status("c1") == status
    assert_valid(house.history)


def test_an_error_that_is_returned_counts_as_one() -> None:
    """A result that says it is an error is not passed off as a result."""

    @tool(risk="read", fallbacks=(StaticAnswer("closed"),))
    def door() -> dict[str, str]:
        """Look at the door."""
        return {"status": "error", "message": "no key"}

    house = House(calls(call("door", {}, "c1")), "Closed.", tools=[door]).say()
    assert house.status("c1") == "served"


def test_a_write_that_does_not_answer_is_unknown_and_not_repeated() -> None:
    """A write that timed out may have happened: the model is told so, and the same call is not run again."""
    import threading  # noqa: PLC0415

    release, started = threading.Event(), []

    @tool(risk="write", timeout=0.05)
    def pay(amount: int) -> str:
        """Pay."""
        started.append(amount)
        release.wait(20)
        return "paid"

    line = calls(call("pay", {"amount": 5}, "c1"))
    house = House(line, calls(call("pay", {"amount": 5}, "c2")), "Unclear.", tools=[pay]).say()
    house.decide({"type": "approve"})
    release.set()
    assert house.status("c1") == "unknown"
    assert "UNKNOWN whether it took effect" in house.told("c1")
    assert started == [5]
    assert house.answer.startswith("Unclear.\n\nNote: it is not known")
    assert_valid(house.history)


def test_the_answer_names_what_served_in_the_end() -> None:
    """A stand-in that could not be used either did not serve; the model is told the same."""
    chain = (StaticAnswer("At four."),)
    other = tools()[0].declare(name="other", offered=False, fallbacks=chain)
    rate = tools(Alternative("other"))[0]
    house = House(LINE, "At four.", tools=[rate, other]).say()
    assert "`rate` could not be used; a fixed text served instead." in house.answer
    assert "`other` served instead" not in house.answer
    assert "answered instead" not in house.told("c1")


@pytest.mark.parametrize("nested", [False, True], ids=["directly", "by-a-stand-in"])
def test_the_account_shows_what_served_without_what_the_model_was_told(nested: bool) -> None:  # noqa: FBT001
    """When the model gives no answer, the user reads the text that served, and below it that it stood in."""
    chain = (StaticAnswer("At four."),)
    other = tools()[0].declare(name="other", offered=False, fallbacks=chain)
    rate = tools(*((Alternative("other"),) if nested else chain))[0]
    house = House(LINE, ConnectionError("no route"), tools=[rate, other]).say()
    assert 'rate {"currency":"NOK"}: At four.' in house.answer
    assert "in your answer" not in house.answer
    assert "a fixed text served instead" in house.answer


@pytest.mark.parametrize(
    ("fallback", "offers"),
    [
        pytest.param(StaticAnswer("At four."), [["rate"]] * 5, id="a-text-stays-on-offer"),
        pytest.param(Alternative("table", as_code), [["rate"]] * 5, id="a-tool-that-is-not-offered"),
        pytest.param(LastGood(max_age=60), [["rate"]] * 2, id="nothing-served"),
        pytest.param(GiveUp("Call the desk."), [["rate"]], id="the-end"),
    ],
)
def test_a_tool_that_is_served_for_stays_on_offer_however_often_it_failed(fallback: Any, offers: list[Any]) -> None:
    """It is not called any more, but the model gets what stands in for it, which it can't reach by itself."""
    lines = [calls(call("rate", {"currency": f"C{number}"}, f"c{number}")) for number in range(4)]
    model = Attentive(lines=[*lines, "Told."])
    agent = build_agent(model=model, tools=tools(fallback), limits=ONCE)
    agent.invoke({"messages": [("user", "rates?")]})
    assert model.offers == offers

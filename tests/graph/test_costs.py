"""What runs spend: money that calls cost, lighter calls, calls that are counted, and what the state says of it."""

from __future__ import annotations

from typing import Any

import pytest

from reinforced_agent import Estimate, Lighter, Limits, StaticAnswer, ToolLimits, tool
from tests.graph.house import House, assert_valid, call, calls


def search(**declared: Any) -> list[Any]:
    """Make a search that costs a cent a hit, unless it declares something else."""
    declared.setdefault("estimate", Estimate(money=lambda given: given["limit"] / 100))

    @tool(risk="read", **declared)
    def search(query: str, limit: int = 100) -> dict[str, Any]:
        """Search."""
        if query == "broken":
            msg = "no index"
            raise OSError(msg)
        return {"query": query, "hits": limit, "bill": 0.05}

    return [search]


def ask(query: str, limit: int, call_id: str) -> dict[str, Any]:
    """Write one search of a script."""
    return call("search", {"query": query, "limit": limit}, call_id)


def test_calls_of_earlier_proposals_and_of_the_same_one_count() -> None:
    """The budget of a run is spent by what ran, and by what was accepted beside a call."""
    lines = [calls(ask("a", 40, "c1")), calls(ask("b", 40, "c2"), ask("c", 40, "c3")), "Found."]
    house = House(*lines, tools=search(), limits=Limits(money=1)).say()
    assert [house.status(one) for one in ("c1", "c2", "c3")] == ["done", "done", "revise"]
    assert "about 0.4 with these arguments; 0.2 is left" in house.told("c3")
    assert house.result["turn"]["spent"]["money"] == pytest.approx(0.8)
    assert house.result["turn"]["left"]["money"] == pytest.approx(0.2)
    assert_valid(house.history)


def test_a_lighter_call_is_proposed_and_runs() -> None:
    """The model is told which arguments fit, and a call with them runs."""
    estimate = Estimate(money=lambda given: given["limit"] / 100, lighter=(Lighter(arguments={"limit": 20}),))
    lines = [calls(ask("a", 90, "c1")), calls(ask("a", 20, "c2")), "Found."]
    house = House(*lines, tools=search(estimate=estimate), limits=Limits(call_money=0.5)).say()
    assert 'Call `search` with {"limit":20,"query":"a"} instead.' in house.told("c1")
    verdict = house.result["calls"]["c1"]["verdicts"][-1]
    assert (verdict["layer"], verdict["corrected_input"]) == ("cost", {"query": "a", "limit": 20})
    assert (house.status("c2"), house.outcome) == ("done", "answered")


def test_a_person_may_let_a_dear_call_run() -> None:
    """With `ask`, a call over the budget waits for a person who reads what it costs, and runs when they agree."""
    limits = Limits(money=0.5, too_expensive="ask")
    house = House(calls(ask("a", 90, "c1")), "Found.", tools=search(), limits=limits).say()
    assert "it would cost about 0.9, and 0.5 is left" in house.question.value["calls"][0]["reason"]
    house.decide({"type": "approve"})
    assert (house.status("c1"), house.outcome) == ("done", "answered")
    assert house.result["turn"]["left"]["money"] == 0


def test_a_tool_has_its_own_price_limit_and_its_own_way() -> None:
    """`ToolLimits` sets the most that a call may cost, and whether a person is asked."""
    own = ToolLimits(money=0.1, too_expensive="ask")
    house = House(calls(ask("a", 20, "c1")), "Found.", tools=search(limits=own)).say()
    assert "one call may cost 0.1" in house.question.value["calls"][0]["reason"]


def test_a_refused_call_is_served_by_its_fallback_and_the_run_goes_on() -> None:
    """Where asking again is no use the chain of fallbacks serves, and the model answers."""
    tools = search(estimate=Estimate(money=3), fallbacks=(StaticAnswer("See the printed catalogue."),))
    house = House(calls(ask("a", 9, "c1")), "See the catalogue.", tools=tools, limits=Limits(money=1)).say()
    assert (house.status("c1"), house.outcome) == ("served", "answered")
    assert "printed catalogue" in house.told("c1")
    assert_valid(house.history)


def test_a_call_sent_back_once_too_often_is_served_as_well() -> None:
    """When the budget for asking again is used up the fallback serves, and that ends the matter, not the run."""
    tools = search(fallbacks=(StaticAnswer("See the printed catalogue."),))
    lines = [calls(ask("a", 90, "c1")), calls(ask("a", 80, "c2")), "See the catalogue."]
    house = House(*lines, tools=tools, limits=Limits(money=0.5)).say()
    assert (house.status("c1"), house.status("c2"), house.outcome) == ("revise", "served", "answered")
    assert house.answer.startswith("See the catalogue.")


def test_what_a_call_did_cost_counts_where_the_tool_tells() -> None:
    """The bill in a result takes the place of the estimate; a failure costs what was estimated."""
    estimate = Estimate(money=0.5, actual=lambda result: result["bill"])
    lines = [calls(ask("a", 1, "c1")), calls(ask("broken", 1, "c2")), calls(ask("b", 1, "c3")), "Found."]
    house = House(*lines, tools=search(estimate=estimate), limits=Limits(money=0.9)).say()
    assert [house.status(one) for one in ("c1", "c2", "c3")] == ["done", "failed", "refused"]
    assert house.result["calls"]["c1"]["money"] == 0.05
    assert house.result["turn"]["spent"]["money"] == pytest.approx(0.55)


@pytest.mark.parametrize(
    "actual",
    [
        pytest.param(lambda result: result["nothing"], id="breaks"),
        pytest.param(lambda _: None, id="not told"),
        pytest.param(lambda _: -1, id="below zero"),
        pytest.param(lambda _: "1", id="text"),
    ],
)
def test_a_bill_that_can_not_be_read_leaves_the_estimate(actual: Any) -> None:
    """Nothing gets cheaper because a function breaks."""
    tools = search(estimate=Estimate(money=0.5, actual=actual))
    house = House(calls(ask("a", 1, "c1")), "Found.", tools=tools).say()
    assert house.result["turn"]["spent"]["money"] == 0.5


def test_a_tool_that_was_called_as_often_as_it_may_is_withheld() -> None:
    """One more call is refused, and the tool is no longer offered."""
    tools = search(estimate=None, limits=ToolLimits(calls=1))
    lines = [calls(ask("a", 1, "c1")), calls(ask("b", 1, "c2")), "That is all I found."]
    house = House(*lines, tools=tools).say()
    assert (house.status("c1"), house.status("c2"), house.outcome) == ("done", "refused", "answered")
    assert "as often as one request may" in house.told("c2")


def test_calls_of_one_message_count_as_well() -> None:
    """A message with more calls than the run may start runs as many as it may, and answers the rest."""
    batch = calls(*(ask(f"q{n}", 1, f"c{n}") for n in range(5)))
    house = House(batch, "Found.", tools=search(estimate=None), limits=Limits(calls=3)).say()
    assert [house.status(f"c{n}") for n in range(5)] == ["done", "done", "done", "refused", "refused"]
    assert (house.result["turn"]["spent"]["calls"], house.result["turn"]["left"]["calls"]) == (3, 0)
    assert_valid(house.history)


def test_the_record_of_a_proposal_says_what_was_spent() -> None:
    """Sinks get the money of each call, and what the turn has spent and has left."""
    kept: list[Any] = []
    House(calls(ask("a", 40, "c1")), "Found.", tools=search(), limits=Limits(money=1), sinks=[kept.extend]).say()
    first, last = kept
    assert first.calls[0].money == 0.4
    assert last.spent["money"] == 0.4
    assert last.left["money"] == pytest.approx(0.6)
    assert last.left["steps"] == 6


def test_an_approval_counts_while_it_waits() -> None:
    """Money that a waiting call would cost is not given out to the calls beside it."""

    @tool(estimate=Estimate(money=0.7))
    def print_poster(text: str) -> str:
        """Print a poster."""
        return f"printed {text}"

    batch = calls(call("print_poster", {"text": "a"}, "c1"), call("print_poster", {"text": "b"}, "c2"))
    house = House(batch, "Printed.", tools=[print_poster], limits=Limits(money=1)).say()
    assert [held["call_id"] for held in house.question.value["calls"]] == ["c1"]
    house.decide({"type": "approve"})
    assert (house.status("c1"), house.status("c2")) == ("done", "refused")
    assert_valid(house.history)

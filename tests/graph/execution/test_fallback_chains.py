"""What chains of fallbacks serve: earlier results and for whom, an end with a text, chains of chains, and circles."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from langgraph.checkpoint.memory import InMemorySaver

from reinforced_agent import Alternative, Breakers, Context, GiveUp, LastGood, StaticAnswer, Toolset, build_agent, tool
from reinforced_agent.graph.resilience.good_results import GoodResults
from reinforced_agent.tools.functions import ToolDefinitionError
from tests.graph.house import House, assert_valid, call, calls
from tests.graph.services import ONCE, Attentive, Clock, Service, fail_once


LINE = calls(call("rate", {"currency": "NOK"}, "c1"))
ANN, BOB = Context(user_id="ann", tenant="one"), Context(user_id="bob", tenant="one")


class Shop:
    """A service that worked once and is down now, and the results kept of it."""

    def __init__(self, fallback: Any, **options: Any) -> None:
        """Build the graph anew for every message, over one memory."""
        self.clock, self.service = Clock(), Service()
        self.good = GoodResults(clock=self.clock, **options)
        self.tool = self.service.rates(fallbacks=(fallback,))

    def ask(self, context: Context, thread: str = "", arguments: Any = None, line: Any = None) -> dict[str, Any]:
        """Let a person ask once."""
        proposal = line or calls(call("rate", arguments or {"currency": "NOK"}, "c1"))
        agent = build_agent(
            model=Attentive(lines=[proposal, "Here."]),
            tools=[self.tool],
            limits=ONCE,
            good_results=self.good,
            checkpointer=InMemorySaver() if thread else None,
        )
        config: Any = {"configurable": {"thread_id": thread}} if thread else None
        result: dict[str, Any] = agent.invoke({"messages": [("user", "rate?")]}, config, context=context)
        return result

    def goes_down(self, seconds: float) -> None:
        """Go down, and let time pass."""
        self.service.fault = ConnectionError("no route")
        self.clock.now += seconds


def test_the_last_good_result_serves_with_its_age() -> None:
    """The model and the user are told whose result it is and how old."""
    shop = Shop(LastGood(max_age=3_600))
    shop.ask(ANN)
    shop.goes_down(720)
    result = shop.ask(ANN)
    record = result["calls"]["c1"]
    assert (record["status"], record["served_by"], record["age"]) == ("served", "last_good", 720.0)
    assert "NOK: 11.7" in record["result"]
    assert "about 12 min old" in record["result"]
    assert "its last good result, about 12 min old, served instead" in result["messages"][-1].text
    assert_valid(result["messages"])


@pytest.mark.parametrize(
    ("fallback", "asker", "thread", "served"),
    [
        pytest.param(LastGood(max_age=60), ANN, "", True, id="same-person"),
        pytest.param(LastGood(max_age=60), BOB, "", False, id="somebody-else"),
        pytest.param(LastGood(max_age=60), Context(user_id="ann", tenant="two"), "", False, id="another-tenant"),
        pytest.param(LastGood(max_age=60), Context(), "", False, id="nobody-known"),
        pytest.param(
            LastGood(max_age=60),
            Context(user_id="ann", tenant="one", facts={"customer": 7}),
            *("", False),
            id="for-another-customer",
        ),
        pytest.param(LastGood(max_age=60, shared=True), BOB, "", True, id="declared-for-everybody"),
        pytest.param(LastGood(max_age=9), ANN, "", False, id="too-old"),
    ],
)
def test_who_may_see_an_earlier_result(fallback: Any, asker: Context, thread: str, served: bool) -> None:  # noqa: FBT001
    """It is told to the person it was made for, while it isn't too old, and to others only where that is declared."""
    shop = Shop(fallback)
    shop.ask(ANN)
    shop.goes_down(10)
    assert (shop.ask(asker, thread)["calls"]["c1"]["status"] == "served") is served


@pytest.mark.parametrize(("thread", "served"), [("a", True), ("b", False), ("", False)], ids=["same", "other", "none"])
def test_results_of_nobody_known_stay_in_their_thread(thread: str, served: bool) -> None:  # noqa: FBT001
    """Without a user, a result is told in the same thread only."""
    shop = Shop(LastGood(max_age=60))
    shop.ask(Context(), "a")
    shop.goes_down(10)
    assert (shop.ask(Context(), thread)["calls"]["c1"]["status"] == "served") is served


@pytest.mark.parametrize(
    ("key", "served"),
    [(None, False), (lambda _: "any", True), (lambda _: None, False), (lambda a: a["nothing"], False)],
    ids=["same-arguments-only", "by-a-key", "no-key", "key-that-breaks"],
)
def test_which_calls_stand_for_one_another(key: Any, served: bool) -> None:  # noqa: FBT001
    """Other arguments get nothing, unless the host says that they are as good."""
    shop = Shop(LastGood(max_age=60, key=key))
    shop.ask(ANN, arguments={"currency": "NOK"})
    shop.goes_down(10)
    assert (shop.ask(ANN, arguments={"currency": "SEK"})["calls"]["c1"]["status"] == "served") is served


def test_only_so_many_results_are_kept() -> None:
    """The oldest goes when there is no more room."""
    shop = Shop(LastGood(max_age=60), most=2)
    for currency in ("NOK", "SEK", "DKK"):
        shop.ask(ANN, arguments={"currency": currency})
    shop.goes_down(10)
    found = [shop.ask(ANN, arguments={"currency": name})["calls"]["c1"]["status"] for name in ("NOK", "SEK", "DKK")]
    assert found == ["failed", "served", "served"]


def test_no_earlier_result_stands_in_for_a_write() -> None:
    """A toolset with such a chain is refused when it is built."""

    @tool(risk="write", fallbacks=(LastGood(max_age=60),))
    def pay(amount: int) -> str:
        """Pay."""
        return f"paid {amount}"

    with pytest.raises(ToolDefinitionError, match="'pay' changes something"):
        Toolset([pay])


def test_an_age_must_be_above_zero() -> None:
    """A bound that nothing could keep is named."""
    with pytest.raises(ValueError, match="max_age"):
        LastGood(max_age=0)


def test_giving_up_ends_the_turn_with_the_text() -> None:
    """The model isn't asked again; the user reads the text, and what was done and what was not."""

    @tool(risk="read")
    def table(code: str) -> str:
        """Look a rate up in a table."""
        return f"{code}: 11"

    service = Service(ConnectionError("no route"))
    rate = service.rates(fallbacks=(GiveUp("Rates are down. Call the desk."),))
    lines = calls(call("rate", {"currency": "NOK"}, "c1"), call("table", {"code": "SEK"}, "c2"))
    house = House(lines, "Never said.", tools=[rate, table], limits=ONCE).say()
    assert house.outcome == "given_up"
    assert len(house.model.seen) == 1
    assert house.answer.startswith("Rates are down. Call the desk.")
    assert "SEK: 11" in house.answer
    assert_valid(house.history)


def broken(name: str, *fallbacks: Any, ran: list[str], offered: bool = False) -> Any:
    """Make a tool that is down."""

    def run(currency: str) -> str:
        """Tell a rate."""
        ran.append(name)
        raise ConnectionError(currency)

    run.__name__ = name
    return tool(run, risk="read", fallbacks=fallbacks, offered=offered)


@pytest.mark.parametrize("mode", ["sync", "async"])
@pytest.mark.parametrize(
    ("chains", "order", "status"),
    [
        pytest.param({"rate": ["b"], "b": ["rate"]}, ["rate", "b"], "failed", id="circle-of-two"),
        pytest.param({"rate": ["b"], "b": ["c"], "c": ["rate", "b"]}, ["rate", "b", "c"], "failed", id="three"),
        pytest.param({"rate": ["b", "d"], "b": ["c"]}, ["rate", "b", "c", "d"], "failed", id="depth-first"),
        pytest.param({"rate": ["rate"]}, ["rate", "rate"], "failed", id="itself-once-more"),
        pytest.param({"rate": ["b", "static"], "b": ["rate"]}, ["rate", "b"], "served", id="circle-before-a-text"),
        pytest.param({"rate": ["b"], "b": ["static"]}, ["rate", "b"], "served", id="text-of-the-stand-in"),
        pytest.param({"rate": ["b", "static"], "b": ["give up"]}, ["rate", "b"], "served", id="stand-in-that-gives-up"),
    ],
)
def test_chains_of_chains_end(chains: dict[str, list[str]], order: list[str], status: str, mode: str) -> None:
    """A stand-in's own chain is followed before the next entry; a tool that led there isn't tried again."""
    ran: list[str] = []
    special = {"static": StaticAnswer("At four."), "give up": GiveUp("No.")}
    names = {*chains, *(name for chain in chains.values() for name in chain)} - special.keys()
    tools = [
        broken(name, *(_entry(item, name, special) for item in chains.get(name, [])), ran=ran, offered=name == "rate")
        for name in sorted(names)
    ]
    agent = build_agent(model=Attentive(lines=[LINE, "Told."]), tools=tools, limits=ONCE)
    question = {"messages": [("user", "rate?")]}
    result = agent.invoke(question) if mode == "sync" else asyncio.run(agent.ainvoke(question))
    assert ran == order
    assert (result["calls"]["c1"]["status"], result["turn"]["outcome"]) == (status, "answered")
    assert_valid(result["messages"])


def _entry(name: str, owner: str, special: dict[str, Any]) -> Any:
    """Make an entry of a chain; a tool that stands in for itself gets other arguments."""
    if name in special:
        return special[name]
    return Alternative(name, lambda _: {"currency": "EUR"}) if name == owner else Alternative(name)


def test_a_stand_in_whose_breaker_is_open_is_passed_over() -> None:
    """The chain goes on to its next entry without calling it."""
    ran: list[str] = []
    clock = Clock()
    breakers = Breakers(clock=clock)
    other = broken("other", ran=ran)
    for _ in range(5):
        fail_once(breakers, other)
    rate = broken("rate", Alternative("other"), StaticAnswer("At four."), ran=ran, offered=True)
    agent = build_agent(model=Attentive(lines=[LINE, "Told."]), tools=[rate, other], limits=ONCE, breakers=breakers)
    result = agent.invoke({"messages": [("user", "rate?")]})
    assert (ran, result["calls"]["c1"]["status"]) == (["rate"], "served")


def test_an_unusable_result_goes_down_the_chain() -> None:
    """A tool that answers with an error is replaced like one that raises."""

    @tool(risk="read", fallbacks=(StaticAnswer("At four."),))
    def rate(currency: str) -> dict[str, str]:
        """Tell a rate."""
        return {"status": "error", "message": f"{currency} is closed"}

    house = House(LINE, "At four.", tools=[rate]).say()
    assert house.status("c1") == "served"
    assert "a fixed text served instead" in house.answer

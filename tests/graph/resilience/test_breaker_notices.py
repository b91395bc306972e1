"""What the model, the host and the log are told about tools that are left alone."""

from __future__ import annotations

import logging
from typing import Any

import pytest
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.types import Command

from reinforced_agent import Alternative, Breaker, Context, StaticAnswer, build_agent, tool
from tests.graph.house import assert_valid, call, calls
from tests.graph.services import ONCE, Attentive, Desk, Service, down_desk


def test_an_open_tool_is_not_offered_and_the_model_is_told_when_it_returns() -> None:
    """The system message names the tool, the time and what to do, in the language of the turn."""
    _, desk = down_desk()
    desk.clock.now += 10
    asked = desk.ask()
    assert asked.model.offers == []
    assert "`rate` is down; it may be back in about 20 s." in asked.notices[0]
    assert "tell the user" in asked.notices[0]
    assert "about 20 s" in asked.call["feedback"]
    assert_valid(asked.result["messages"])
    agent, model = desk.agent("好")
    agent.invoke({"messages": [("user", "汇率")]}, context=Context(locale="zh-CN"))
    assert "`rate` 目前不可用，可能在约 20 秒后恢复。" in model.seen[0][0].text


def test_the_model_is_pointed_to_the_alternative_it_may_call_itself() -> None:
    """A tool that is offered and up is named."""

    @tool(risk="read")
    def table(currency: str) -> str:
        """Look a rate up in a table."""
        return f"{currency}: 11"

    service = Service(ConnectionError("no route"))
    desk = Desk(service.rates(fallbacks=(Alternative("table"),)), table, limits=ONCE)
    desk.fail(5)
    asked = desk.ask()
    assert asked.model.offers[0] == ["table"]
    assert "Use `table` instead, or tell the user." in asked.notices[0]
    assert (asked.status, len(service.asked)) == ("served", 5)
    assert "`rate` could not be used; `table` served instead." in asked.answer


def test_a_tool_with_a_stand_in_that_only_it_reaches_stays_on_offer() -> None:
    """A call of it gets the stand-in, without calling the tool, and the model knows that."""
    service, desk = down_desk(fallbacks=(StaticAnswer("Rates come at four."),))
    asked = desk.ask()
    assert asked.model.offers[0] == ["rate"]
    assert "A call of it is answered by what stands in for it." in asked.notices[0]
    assert (asked.status, len(service.asked)) == ("served", 5)


def test_the_model_is_told_when_a_tool_is_back() -> None:
    """In the same thread, the turn after knows that what was down may be called again; the one after that needn't."""
    service = Service(ConnectionError("no route"))
    desk = Desk(service.rates(), limits=ONCE, checkpointer=InMemorySaver())
    agent, model = desk.agent("It is down.", "It is up.", "Fine.")
    config: Any = {"configurable": {"thread_id": "one"}}
    other = Desk(service.rates(), limits=ONCE, breakers=desk.breakers)
    other.fail(5)
    result = agent.invoke({"messages": [("user", "rates?")]}, config)
    assert result["turn"]["breakers"] == {"rate": "open"}
    desk.clock.now += 30
    service.fault = None
    assert other.ask().status == "done"
    result = agent.invoke({"messages": [("user", "and now?")]}, config)
    assert "`rate` was down and may be called again." in model.seen[1][0].text
    assert result["turn"]["breakers"] == {"rate": "closed"}
    agent.invoke({"messages": [("user", "thanks")]}, config)
    assert "was down" not in model.seen[2][0].text


def test_calls_of_open_tools_are_on_record_by_layer() -> None:
    """The record says which layer stopped the call; the call itself counts as a right one."""
    records: list[Any] = []
    service = Service(ConnectionError("no route"))
    desk = Desk(service.rates(), limits=ONCE, sinks=[records.extend])
    desk.fail(5)
    records.clear()
    asked = desk.ask()
    (stopped,) = records[0].calls
    assert stopped.verdicts[-1].layer == "breaker"
    assert (stopped.status, stopped.is_valid, records[0].is_valid) == ("open", True, True)
    assert asked.result["turn"]["breakers"] == {"rate": "open"}


def test_a_model_that_insists_on_a_tool_that_is_down_comes_to_an_end() -> None:
    """The second call of a tool that isn't offered ends the turn with an account."""
    service, desk = down_desk()
    asked = desk.ask(calls(call("rate", {"currency": "SEK"}, "c2")))
    assert asked.outcome == "budget"
    assert "was not called" in asked.answer
    assert len(service.asked) == 5


def test_keys_have_breakers_of_their_own() -> None:
    """An open breaker of one host stops the calls of that host only, and the tool stays on offer."""
    fetched: list[str] = []

    @tool(risk="read", breaker=Breaker(failures=2, key=lambda arguments: str(arguments["host"])))
    def fetch(host: str, page: int) -> str:
        """Fetch a page of a host."""
        fetched.append(host)
        if host == "down.example":
            raise ConnectionError(host)
        return f"{host} {page}"

    desk = Desk(fetch, limits=ONCE)
    for page in range(2):
        desk.ask(tool_name="fetch", arguments={"host": "down.example", "page": page})
    stopped = desk.ask(tool_name="fetch", arguments={"host": "down.example", "page": 7})
    works = desk.ask(tool_name="fetch", arguments={"host": "up.example", "page": 1})
    assert (stopped.status, works.status) == ("open", "done")
    assert stopped.model.offers == works.model.offers == [["fetch"], ["fetch"]]
    assert "other calls of `fetch` are not concerned" in stopped.call["feedback"]
    assert stopped.result["turn"]["breakers"] == {"fetch:down.example": "open"}
    assert works.result["turn"]["breakers"] == {}
    assert all("down.example" not in text for text in works.notices)
    assert fetched.count("down.example") == 2


def test_each_change_is_one_line_of_the_log(caplog: pytest.LogCaptureFixture) -> None:
    """Opening, probing and closing are logged once each."""
    with caplog.at_level(logging.INFO, logger="reinforced_agent.breakers"):
        service, desk = down_desk()
        desk.ask()
        desk.clock.now += 30
        service.fault = None
        desk.ask()
    assert [record.getMessage() for record in caplog.records] == [
        "The breaker of rate opened: it is left alone for 30 seconds.",
        "The breaker of rate lets one call out as a probe.",
        "The breaker of rate closed: it may be called again.",
    ]


def test_resuming_needs_no_breaker_in_the_checkpoint() -> None:
    """What the state holds about breakers is plain data and survives a question to a person."""
    service, desk = down_desk()

    @tool(risk="write")
    def note(text: str) -> str:
        """Write a note."""
        return f"noted {text}"

    line = calls(call("note", {"text": "x"}, "c1"))
    model = Attentive(lines=[line, "Done."])
    agent = build_agent(
        model=model, tools=[service.rates(), note], breakers=desk.breakers, checkpointer=InMemorySaver()
    )
    config: Any = {"configurable": {"thread_id": "one"}}
    question = agent.invoke({"messages": [("user", "note x")]}, config)["__interrupt__"][0]
    decision = {"type": "approve", "token": question.value["calls"][0]["token"]}
    result = agent.invoke(Command(resume={question.id: {"decisions": [decision]}}), config)
    assert result["turn"]["breakers"] == {"rate": "open"}
    assert model.offers == [["note"], ["note"]]

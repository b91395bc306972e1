"""A tool that an operator has paused is not called by any worker, whatever was approved or queued before."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.types import Command

from reinforced_agent import (
    Alternative,
    ApprovalPolicy,
    ApprovalRule,
    Ledger,
    LedgerError,
    StaticAnswer,
    build_agent,
    tool,
)
from reinforced_agent.ledger.pauses import Paused, Pauses
from reinforced_agent.models.scripted import ScriptedModel
from tests.graph.house import House, call, calls
from tests.graph.services import Attentive
from tests.ledger.cases import Clock, shut


NOTE = call("send_note", {"to": "bob", "text": "hi"}, "c1")
FORECAST = call("get_forecast", {"city": "Oslo", "date": "2026-12-24"}, "c1")
APPROVE, REJECT = {"type": "approve"}, {"type": "reject", "message": "no"}
UNASKED = ApprovalPolicy(write=ApprovalRule(ask=False))
WHY = 'the "outbox" is on fire'


@pytest.fixture
def clock() -> Clock:
    """Make a clock that stands still."""
    return Clock()


@pytest.fixture
def worker(shared_address: str, clock: Clock) -> Iterator[Callable[[], Ledger]]:
    """Open the ledger as one more worker does."""
    opened: list[Ledger] = []

    def one() -> Ledger:
        opened.append(Ledger.open(shared_address, clock=clock))
        return opened[-1]

    yield one
    for ledger in opened:
        shut(ledger)


def command(*words: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run the command as a process of its own."""
    return subprocess.run(
        [sys.executable, "-c", "from reinforced_agent.service.cli.main import main; main()", "tools", *words],
        env={**os.environ, "COLUMNS": "200", **environment},
        check=False,
        capture_output=True,
        text=True,
    )


def test_a_write_paused_by_another_process_is_refused_here(
    shared_address: str, worker: Callable[[], Ledger], clock: Clock
) -> None:
    """The command stops the tool for a worker that had looked a moment ago; it lists the pause, and lets it go on."""
    house = House(calls(NOTE), "Sorry.", calls(NOTE), "Done.", ledger=worker(), approvals=UNASKED)
    assert house.agent.ledger.paused() == {}
    assert command("pause", "send_note", "--reason", WHY, "--db", shared_address).returncode == 0
    house.say()
    assert (house.effects, house.status("c1")) == ([], "open")
    assert json.dumps(WHY) in house.told("c1")
    listed = json.loads(command("list", "--json", REINFORCED_AGENT_DATABASE=shared_address).stdout)["paused"]
    assert [(one["tool"], one["reason"]) for one in listed] == [("send_note", WHY)]
    assert command("resume", "send_note", "--db", shared_address).returncode == 0
    assert command("resume", "send_note", "--db", shared_address).returncode == 2
    clock.now += 2
    house.say("again")
    assert house.effects == [("bob", "hi")]


def test_a_read_paused_by_another_worker_is_not_offered(worker: Callable[[], Ledger], clock: Clock) -> None:
    """Within two seconds every worker has seen it; the other tools are offered, and it comes back."""
    model = Attentive(lines=[calls(FORECAST), "Sorry."], repeat_last=True)
    house = House(ledger=worker())
    agent = build_agent(model=model, tools=house.tools(), ledger=worker(), checkpointer=InMemorySaver())
    other = worker()
    other.pauses.pause("get_forecast", by="ops", reason=WHY)
    clock.now += 2
    result = agent.invoke({"messages": [("user", "weather?")]}, house.config)
    assert result["calls"]["c1"]["status"] == "open"
    assert house.runs == 0
    assert all("get_forecast" not in offer and "send_note" in offer for offer in model.offers)
    assert json.dumps(WHY) in str(model.seen[0][0].text)
    other.pauses.resume("get_forecast")
    clock.now += 2
    agent.invoke({"messages": [("user", "and now?")]}, house.config)
    assert "get_forecast" in model.offers[-1]


def test_an_approval_that_waits_says_so_and_waits_on(worker: Callable[[], Ledger], clock: Clock) -> None:
    """What was asked before the pause tells of it; approving or editing runs nothing and uses up no token."""
    house = House(calls(NOTE), "Done.", ledger=worker()).say()
    token = house.question.value["calls"][0]["token"]
    assert house.agent.get_state(house.config).interrupts[0].value["calls"][0]["note"] == ""
    other = worker()
    other.pauses.pause("send_note", by="ops", reason=WHY)
    clock.now += 2
    shown = house.agent.get_state(house.config).interrupts[0].value
    assert json.dumps(WHY) in shown["calls"][0]["note"]
    assert json.dumps(WHY) in shown["action_requests"][0]["description"]
    edit = {"type": "edit", "edited_action": {"name": "send_note", "args": {"to": "ann", "text": "hi"}}}
    for decision in (APPROVE, edit, APPROVE):
        house.decide(decision)
        held = house.question.value["calls"][0]
        assert (house.effects, held["token"]) == ([], token)
        assert json.dumps(WHY) in held["note"]
        assert json.dumps(WHY) in house.question.value["problem"]
    other.pauses.resume("send_note")
    clock.now += 2
    shown = house.agent.get_state(house.config).interrupts[0].value
    assert shown["calls"][0]["note"] == ""
    assert json.dumps(WHY) not in shown["action_requests"][0]["description"]
    assert house.decide(APPROVE).effects == [("bob", "hi")]


def test_a_paused_call_may_be_rejected(worker: Callable[[], Ledger]) -> None:
    """Saying no needs no tool."""
    house = House(calls(NOTE), "Done.", ledger=worker()).say()
    worker().pauses.pause("send_note")
    house.decide(REJECT)
    assert (house.effects, house.status("c1"), house.outcome) == ([], "rejected", "answered")


@pytest.mark.parametrize(
    ("proposed", "policy"),
    [
        pytest.param(NOTE, None, id="approved write"),
        pytest.param(NOTE, UNASKED, id="unasked write"),
        pytest.param(FORECAST, ApprovalPolicy(read=ApprovalRule()), id="approved read"),
        pytest.param(FORECAST, None, id="queued read"),
    ],
)
def test_what_was_queued_before_the_pause_does_not_run(
    worker: Callable[[], Ledger], clock: Clock, proposed: dict[str, Any], policy: ApprovalPolicy | None
) -> None:
    """The pause comes after the last check and before the call goes out."""
    house = House(calls(proposed), "Sorry.", "Sorry.", ledger=worker(), approvals=policy)
    asked: Any = {"messages": [("user", "please")]}
    house.result = house.agent.invoke(asked, house.config, interrupt_before=["execute"])
    if house.agent.get_state(house.config).interrupts:
        question = house.question.value["calls"][0]
        approve = {"decisions": [{"token": question["token"], **APPROVE}]}
        house.agent.invoke(Command(resume={house.question.id: approve}), house.config, interrupt_before=["execute"])
    assert house.agent.get_state(house.config).next == ("execute",)
    worker().pauses.pause(proposed["name"], reason=WHY)
    clock.now += 2 if proposed is FORECAST and policy is None else 0
    house.result = house.agent.invoke(None, house.config)
    assert (house.effects, house.runs, house.status("c1")) == ([], 0, "open")
    assert json.dumps(WHY) in house.told("c1")


def test_a_fallback_serves_as_with_an_open_breaker(worker: Callable[[], Ledger]) -> None:
    """A tool whose fallback the model can't reach stays on offer, and what stands in for it answers."""
    ran: list[str] = []

    @tool(risk="read", fallbacks=(StaticAnswer("about 11"),))
    def rate(currency: str) -> str:
        """Tell the rate of a currency."""
        ran.append(currency)
        return "11.7"

    ledger = worker()
    ledger.pauses.pause("rate")
    model = Attentive(lines=[calls(call("rate", {"currency": "NOK"}, "c1")), "About 11."])
    result = build_agent(model=model, tools=[rate], ledger=ledger).invoke({"messages": [("user", "rate?")]})
    assert (ran, result["calls"]["c1"]["status"], "rate" in model.offers[0]) == ([], "served", True)


def test_a_paused_stand_in_is_not_called(worker: Callable[[], Ledger]) -> None:
    """A pause holds for calls that the model did not make itself."""
    ran: list[str] = []

    @tool(risk="read")
    def second() -> str:
        """Read."""
        ran.append("second")
        return "two"

    @tool(risk="read", fallbacks=(Alternative("second"),))
    def first() -> str:
        """Read."""
        msg = "down"
        raise ValueError(msg)

    ledger = worker()
    ledger.pauses.pause("second")
    model = ScriptedModel(lines=[calls(call("first", {}, "c1"))], repeat_last=True)
    build_agent(model=model, tools=[first, second], ledger=ledger).invoke({"messages": [("user", "go")]})
    assert ran == []


def test_a_retry_within_a_call_does_not_go_out(worker: Callable[[], Ledger], clock: Clock) -> None:
    """A read that fails is called again only while its tool isn't paused."""
    ran: list[int] = []
    mine, other = worker(), worker()

    @tool(risk="read")
    def look() -> str:
        """Read."""
        ran.append(1)
        other.pauses.pause("look")
        clock.now += 2
        msg = "gone"
        raise ConnectionError(msg)

    model = ScriptedModel(lines=[calls(call("look", {}, "c1")), "Sorry."])
    build_agent(model=model, tools=[look], ledger=mine).invoke({"messages": [("user", "go")]})
    assert ran == [1]


def test_what_was_done_before_the_pause_is_told(worker: Callable[[], Ledger]) -> None:
    """A run that was cut off behind a write tells its outcome; the pause changes nothing about what happened."""
    house = House(calls(NOTE), "Done.", ledger=worker(), approvals=UNASKED)
    asked: Any = {"messages": [("user", "please")]}
    house.agent.invoke(asked, house.config, interrupt_before=["execute"])
    before = house.agent.get_state(house.config).config
    house.agent.invoke(None, house.config)
    worker().pauses.pause("send_note")
    house.result = house.agent.invoke(None, before)
    assert (house.effects, house.status("c1")) == ([("bob", "hi")], "done")


def test_an_event_loop_sees_it_too(worker: Callable[[], Ledger]) -> None:
    """The asynchronous run keeps to it as the other does."""
    house = House(calls(NOTE), "Sorry.", ledger=worker(), approvals=UNASKED)
    worker().pauses.pause("send_note", reason=WHY)
    result = asyncio.run(house.agent.ainvoke({"messages": [("user", "please")]}, house.config))
    assert (house.effects, result["calls"]["c1"]["status"]) == ([], "open")


def test_a_ledger_in_memory_sees_it_at_once() -> None:
    """One process may pause its own tools, and no database is asked meanwhile."""
    house = House(calls(FORECAST), "Sorry.", calls(FORECAST), "Cold.")
    house.agent.ledger.pauses.pause("get_forecast")
    house.say()
    assert (house.runs, house.status("c1")) == (0, "open")
    house.agent.ledger.pauses.resume("get_forecast")
    assert house.say("and now?").runs == 1


def test_looking_costs_one_question_a_second(
    worker: Callable[[], Ledger], clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However often it is looked, the database is asked once a second; one that is away changes nothing."""
    ledger, asked = worker(), list[int]()
    ledger.pauses.pause("look")
    read = Pauses.all

    def counted(pauses: Pauses) -> dict[str, Paused]:
        asked.append(1)
        return read(pauses)

    monkeypatch.setattr(Pauses, "all", counted)
    for _ in range(3):
        assert all("look" in ledger.paused() for _ in range(100))
        clock.now += 1.5
    assert len(asked) == 3

    def away(_pauses: object) -> None:
        msg = "away"
        raise LedgerError(msg)

    monkeypatch.setattr(Pauses, "all", away)
    assert "look" in ledger.paused()


@pytest.mark.parametrize("name", ["", "x" * 501], ids=["empty", "long"])
def test_a_name_that_no_tool_can_have_is_refused(name: str) -> None:
    """It would pause nothing."""
    with pytest.raises(ValueError, match="name of a tool"):
        Ledger().pauses.pause(name)


def test_the_command_says_what_is_missing(shared_address: str) -> None:
    """Without a ledger there is nothing to pause on; an empty list says so."""
    assert command("pause", "send_note", REINFORCED_AGENT_DATABASE="").returncode == 2
    assert "No tool" in command("list", "--db", shared_address).stdout

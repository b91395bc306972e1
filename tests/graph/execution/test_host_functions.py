"""What a host declares beside its tools may break, change what it is given, or return anything: no call suffers."""

from __future__ import annotations

import asyncio
import copy
import threading
from collections.abc import Callable
from typing import Any

import pytest

from reinforced_agent import (
    Alternative,
    ApprovalPolicy,
    ApprovalRule,
    Breaker,
    Breakers,
    Context,
    FailureRules,
    GoodResults,
    LastGood,
    Ledger,
    Limits,
    ScriptedModel,
    StaticAnswer,
    Toolset,
    tool,
)
from reinforced_agent.graph.deps import Bindings
from reinforced_agent.graph.execution.guarded_call import call_guarded
from reinforced_agent.graph.execution.sync_async import Blocking, Dispatch
from reinforced_agent.policies.pipeline import RuleBook
from reinforced_agent.tools.execution import Returned
from tests.graph.house import House, assert_valid, call, calls
from tests.graph.services import ONCE, Clock, Desk, Service, fail_once


def change(arguments: Any) -> str:
    """Change what it is given."""
    arguments["currency"] = "EUR"
    arguments.clear()
    return "key"


def changed(arguments: Any) -> dict[str, Any]:
    """Change what it is given, and return it."""
    arguments["currency"] = "EUR"
    return dict(arguments)


class Nameless:
    """An object without a text of its own."""


@pytest.mark.parametrize(
    "declared",
    [
        pytest.param({"breaker": Breaker(key=change)}, id="key-of-the-breaker"),
        pytest.param({"fallbacks": (LastGood(max_age=9, key=change),)}, id="key-of-the-last-good-result"),
        pytest.param({"fallbacks": (Alternative("rate", changed),)}, id="mapping"),
    ],
)
def test_a_function_that_changes_the_arguments_changes_no_call(declared: Any) -> None:
    """What was checked and approved is what runs, and what stands on record."""
    service = Service(ConnectionError("no route"))
    desk = Desk(service.rates(**declared), limits=ONCE)
    asked = desk.ask()
    assert service.asked[0] == "NOK"
    assert asked.call["arguments"] == {"currency": "NOK"}


@pytest.mark.parametrize(
    ("key", "names"),
    [
        pytest.param(lambda _: ["a", 1], ["rate:['a', 1]"], id="unhashable"),
        pytest.param(lambda _: "", ["rate:"], id="empty"),
        pytest.param(lambda _: 7, ["rate:7"], id="number"),
        pytest.param(lambda _: "at 0x1f", ["rate:at 0x1f"], id="text-like-an-address"),
        pytest.param(lambda _: Nameless(), [], id="object-without-a-text"),
        pytest.param(lambda _: print, ["rate:<built-in function print>"], id="function"),
        pytest.param(lambda arguments: arguments.get, [], id="method-not-called"),
    ],
)
def test_what_names_a_breaker(key: Callable[[Any], Any], names: list[str]) -> None:
    """A text, or what has one; the place of an object in memory names nothing."""
    desk = Desk(Service(ConnectionError("no route")).rates(breaker=Breaker(key=key)), limits=ONCE)
    desk.fail(2)
    assert list(desk.breakers.snapshot()) == names


async def later(_: Any) -> Any:
    """Return what nobody awaits."""


@pytest.mark.parametrize(
    "declare",
    [
        lambda function: Breaker(key=function),
        lambda function: LastGood(max_age=1, key=function),
        lambda function: Alternative("other", function),
    ],
    ids=["breaker", "last-good", "alternative"],
)
@pytest.mark.parametrize(("function", "words"), [(later, "nobody awaits"), (3, "write a function")], ids=["async", "3"])
def test_what_could_never_be_used_is_refused(declare: Any, function: Any, words: str) -> None:
    """When it is declared, not when a tool is down."""
    with pytest.raises(TypeError, match=words):
        declare(function)


@pytest.mark.parametrize(
    ("mapping", "status"),
    [
        pytest.param(lambda _: {1: "x"}, "refused", id="key-that-is-no-text"),
        pytest.param(lambda _: {"currency": float("nan")}, "refused", id="no-number"),
        pytest.param(lambda _: {"currency": ("a", "b")}, "refused", id="tuple"),
        pytest.param(lambda _: {"currency": {"a"}}, "", id="set"),
        pytest.param(lambda _: "NOK", "", id="text"),
        pytest.param(lambda _: None, "", id="nothing"),
        pytest.param(lambda _: [("currency", "SEK")], "done", id="pairs"),
        pytest.param(copy.copy, "done", id="a-copy"),
    ],
)
def test_a_mapping_may_return_anything(mapping: Any, status: str) -> None:
    """What is no call is passed over, what is a wrong one is refused, and the chain goes on."""

    @tool(risk="read", offered=False)
    def other(currency: str) -> str:
        """Tell a rate."""
        return f"{currency}: 11"

    rate = Service(ConnectionError("no route")).rates(fallbacks=(Alternative("other", mapping), StaticAnswer("At 4.")))
    house = House(calls(call("rate", {"currency": "NOK"}, "c1")), "Told.", tools=[rate, other], limits=ONCE).say()
    assert house.status("c1") == "served"
    assert house.result["calls"].get("c1-fallback-1", {"status": ""})["status"] == status
    assert ("At 4." in house.told("c1")) is (status != "done")
    assert_valid(house.history)


class NotThere(Exception):  # noqa: N818  # what a tool calls a wrong currency
    """Says that the arguments were wrong."""


@pytest.mark.parametrize(
    ("fault", "declared", "state"),
    [
        pytest.param(NotThere("x"), {"failures": FailureRules(mistakes=(NotThere,))}, "closed", id="declared-mistake"),
        pytest.param(asyncio.CancelledError(), {}, "closed", id="cancelled"),
        pytest.param(KeyboardInterrupt(), {}, "closed", id="interrupted"),
        pytest.param(NotThere("x"), {}, "open", id="everything-else"),
    ],
)
def test_however_broad_its_errors_a_breaker_counts_no_mistake(fault: Any, declared: Any, state: str) -> None:
    """Mistakes of the caller and cancelled calls are no failures of the tool."""
    broad = Breaker(errors=(BaseException,))
    desk = Desk(Service(fault).rates(breaker=broad, **declared), limits=ONCE)
    desk.fail(6)
    assert desk.state() == state


@pytest.mark.parametrize(
    ("limits", "state"),
    [
        pytest.param(Limits(seconds=0.1), "open", id="a-run-shorter-than-the-call"),
        pytest.param(Limits(call_seconds=0.05), "open", id="its-own-time"),
        pytest.param(Limits(call_seconds=0.05, seconds=None), "open", id="a-run-without-end"),
    ],
)
def test_a_tool_that_hangs_is_left_alone(limits: Limits, state: str) -> None:
    """Also where a run never has as much time as a call may take."""
    service = Service()
    service.gate = threading.Event()
    desk = Desk(service.rates(breaker=Breaker(failures=2)), limits=limits)
    desk.fail(2)
    service.gate.set()
    assert desk.state() == state


def test_a_call_that_a_person_had_to_agree_to_is_told_no_earlier_result() -> None:
    """A breaker that is open keeps the question from being asked, and so the answer from being told."""
    service, good = Service(), GoodResults()
    rate = service.rates(fallbacks=(LastGood(max_age=60),), breaker=Breaker(failures=1))
    desk = Desk(limits=ONCE)
    statuses = []
    for asks in (False, False, True, False):
        house = House(
            calls(call("rate", {"currency": "NOK"}, "c1")),
            *("Told.", "Told."),
            tools=[rate],
            limits=ONCE,
            good_results=good,
            breakers=desk.breakers,
            approvals=ApprovalPolicy(read=ApprovalRule(ask=asks)),
        ).say(context=Context(user_id="ann"))
        statuses.append(house.status("c1"))
        service.fault = ConnectionError("no route")
    assert statuses == ["done", "served", "open", "served"]


def test_a_probe_that_is_cancelled_while_its_result_is_written_frees_its_place() -> None:
    """The tool has answered, but the run ends before that is told: the next call is the probe."""
    clock = Clock()
    breakers = Breakers(clock=clock)
    spec = Service().rates()
    for _ in range(5):
        fail_once(breakers, spec)
    clock.now += 30
    toolset = Toolset([spec])
    rules = RuleBook(toolset.values())
    model = ScriptedModel(lines=[])
    bound = Bindings(
        model=model, toolset=toolset, rules=rules, limits=ONCE, ledger=Ledger(), prompt="", breakers=breakers
    )
    arguments = {"currency": "NOK"}
    record: Any = {"id": "c", "tool": "rate", "arguments": arguments, "status": "accepted"}
    plan = call_guarded(record, "key", bound, "en")
    assert isinstance(next(plan), Dispatch)
    judging = plan.send(Returned(["x" * 1_000] * 1_000))
    assert isinstance(judging, Blocking)
    writing = plan.send(judging.function())
    assert isinstance(writing, Blocking)
    assert breakers.peek(spec, arguments) is not None
    with pytest.raises(asyncio.CancelledError):
        plan.throw(asyncio.CancelledError())
    assert breakers.peek(spec, arguments) is None

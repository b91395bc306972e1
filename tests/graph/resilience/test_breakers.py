"""A tool that keeps failing is left alone: what counts, what is called while it is, and whose breakers these are."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from reinforced_agent import Breaker, Breakers, Limits, build_agent, tool
from tests.graph.house import call, calls
from tests.graph.services import ONCE, Answered, Attentive, Desk, Service, down_desk


def test_five_failures_open_and_a_probe_closes() -> None:
    """While it is open nothing goes out; after the cool-down one call does, and when it works all do."""
    service, desk = down_desk()
    assert len(service.asked) == 5
    assert desk.ask().status == "open"
    assert len(service.asked) == 5
    desk.clock.now += 30
    service.fault = None
    assert desk.ask().status == "done"
    assert desk.state() == "closed"
    assert desk.ask().status == "done"
    assert desk.breakers.snapshot()["rate"] == {
        "tool": "rate",
        "key": None,
        "state": "closed",
        "failures": 0,
        "returns_in": 0.0,
        "opened": 1,
        "stopped": 1,
        "probes": 1,
    }


@pytest.mark.parametrize(
    ("fault", "declared", "state"),
    [
        pytest.param(ConnectionError("gone"), {}, "open", id="lost-connection"),
        pytest.param(TimeoutError("read timed out"), {}, "open", id="time-out-of-the-tool"),
        pytest.param(Answered(503), {}, "open", id="broken-server"),
        pytest.param(Answered(429), {}, "open", id="busy-server"),
        pytest.param(Answered(404), {}, "closed", id="not-found"),
        pytest.param(Answered(422), {}, "closed", id="refused-arguments"),
        pytest.param(ValueError("no such currency"), {}, "closed", id="mistake-of-the-model"),
        pytest.param(asyncio.CancelledError(), {}, "closed", id="cancelled"),
        pytest.param(RuntimeError("pool empty"), {}, "closed", id="unknown-error"),
        pytest.param(RuntimeError("pool empty"), {"transient": (RuntimeError,)}, "open", id="declared-transient"),
        pytest.param(
            RuntimeError("pool empty"),
            {"breaker": Breaker(errors=(RuntimeError,))},
            "open",
            id="declared-for-the-breaker",
        ),
    ],
)
def test_what_counts_as_a_failure(fault: BaseException, declared: dict[str, Any], state: str) -> None:
    """Trouble with the service counts; mistakes of the caller and cancelled calls don't."""
    desk = Desk(Service(fault).rates(**declared), limits=ONCE)
    desk.fail(6)
    assert desk.state() == state


def test_arguments_that_are_wrong_count_nothing() -> None:
    """A call that is sent back by the layers never reaches the breaker."""
    service = Service()
    desk = Desk(service.rates())
    for _ in range(8):
        assert desk.ask(arguments={"money": "NOK"}).status == "revise"
    assert desk.breakers.snapshot() == {}


@pytest.mark.parametrize(("counts", "state"), [(True, "open"), (False, "closed")], ids=["on", "off"])
def test_bad_results_may_count(counts: bool, state: str) -> None:  # noqa: FBT001
    """An error that is returned counts where the tool says so."""

    @tool(risk="read", breaker=Breaker(bad_results=counts))
    def rate(currency: str) -> dict[str, str]:
        """Tell the rate of a currency."""
        return {"status": "error", "message": f"{currency} is closed"}

    desk = Desk(rate)
    desk.fail(6)
    assert desk.state() == state


def test_a_call_counts_once_however_often_it_was_tried() -> None:
    """Three attempts at each of four calls are four failures, not twelve."""
    service = Service(ConnectionError("no route"))
    desk = Desk(service.rates(), limits=Limits(call_attempts=3))
    desk.fail(4)
    assert (len(service.asked), desk.state()) == (12, "closed")
    desk.fail(1)
    assert desk.state() == "open"


def test_a_server_that_asks_for_time_gets_it() -> None:
    """`Retry-After` keeps it open for longer than the cool-down."""
    _, desk = down_desk(Answered(503, **{"Retry-After": "120"}))
    desk.clock.now += 100
    assert desk.ask().status == "open"


@pytest.mark.parametrize(
    "key", [lambda _: None, lambda arguments: str(arguments["nothing"])], ids=["none", "function-that-breaks"]
)
def test_a_call_without_a_key_has_no_breaker(key: Any) -> None:
    """What the host can't name is neither counted nor stopped."""
    service = Service(ConnectionError("no route"))
    desk = Desk(service.rates(breaker=Breaker(key=key)), limits=ONCE)
    desk.fail(8)
    assert len(service.asked) == 8
    assert desk.breakers.snapshot() == {}


def test_a_breaker_can_be_switched_off() -> None:
    """`failures=None` never opens."""
    service = Service(ConnectionError("no route"))
    desk = Desk(service.rates(breaker=Breaker(failures=None)), limits=ONCE)
    desk.fail(8)
    assert len(service.asked) == 8


def test_without_configuration_each_graph_has_its_own() -> None:
    """Two graphs with a tool of the same name don't disturb each other, and the numbers are at the agent."""
    service = Service(ConnectionError("no route"))
    agents = [
        build_agent(
            model=Attentive(lines=[calls(call("rate", {"currency": "NOK"}, "c1")), "Done."] * 6),
            tools=[service.rates()],
            limits=ONCE,
        )
        for _ in range(2)
    ]
    for _ in range(6):
        agents[0].invoke({"messages": [("user", "please")]})
    assert agents[0].breakers.snapshot()["rate"]["state"] == "open"
    assert agents[0].breakers.snapshot()["rate"]["stopped"] == 1
    assert agents[1].breakers.snapshot() == {}


def test_an_operator_may_close_a_breaker() -> None:
    """After a repair nobody has to wait for the cool-down."""
    service, desk = down_desk()
    service.fault = None
    desk.breakers.reset("rate")
    assert desk.ask().status == "done"


def per_request(name: str, times: int, **options: Any) -> list[str]:
    """Build an agent anew for each of several requests for a tool that fails, and return what became of the calls."""
    found = []
    for number in range(times):

        @tool(name=name, risk="read")
        def fail(page: int) -> str:
            """Fail."""
            msg = f"no route to page {page}"
            raise ConnectionError(msg)

        model = Attentive(lines=[calls(call(name, {"page": number}, "c")), "Done."])
        agent = build_agent(model=model, tools=[fail], limits=ONCE, **options)
        found.append(agent.invoke({"messages": [("user", "please")]})["calls"]["c"]["status"])
    return found


def test_an_agent_for_every_request_is_told_what_it_lacks(caplog: pytest.LogCaptureFixture) -> None:
    """Breakers that live for a request never open: the log says so once, and what to do."""
    assert per_request("fetch_alone", 12) == ["failed"] * 12
    [said] = [record.getMessage() for record in caplog.records if "fetch_alone" in record.getMessage()]
    assert "10 agents with the tools fetch_alone were built without `breakers=`" in said
    assert "give all of them the same `Breakers()`" in said


def test_agents_for_every_request_may_share_breakers(caplog: pytest.LogCaptureFixture) -> None:
    """With one `Breakers` for all the sixth call doesn't go out, though the tools are made anew."""
    assert per_request("fetch_together", 12, breakers=Breakers()) == ["failed"] * 5 + ["open"] * 7
    assert "were built without" not in caplog.text

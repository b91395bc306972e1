"""A service that a test takes down and up again, a clock that it moves, and a model that notes what it is offered."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import Any

from pydantic import PrivateAttr

from reinforced_agent import Breakers, Limits, build_agent, tool
from reinforced_agent.graph.agent import Agent
from reinforced_agent.graph.resilience.breakers import Ticket
from reinforced_agent.models.scripted import ScriptedModel
from reinforced_agent.policies.breaker import Failed
from tests.graph.house import call, calls


ONCE = Limits(call_attempts=1)
"""A call is one attempt."""


class Clock:
    """A clock that stands still until it is moved."""

    def __init__(self) -> None:
        """Start anywhere."""
        self.now = 1_000.0

    def __call__(self) -> float:
        """Tell the time."""
        return self.now


class Attentive(ScriptedModel):
    """A script that notes which tools it is offered."""

    _offers: list[list[str]] = PrivateAttr(default_factory=list)

    @property
    def offers(self) -> list[list[str]]:
        """Return the names of the tools of every request."""
        return self._offers

    def bind_tools(self, tools: Sequence[Any], **kwargs: Any) -> Attentive:
        """Note what is offered."""
        del kwargs
        self._offers.append([item["function"]["name"] if isinstance(item, dict) else item.name for item in tools])
        return self


class Service:
    """A service behind a tool, in the condition that a test chooses."""

    def __init__(self, fault: BaseException | None = None) -> None:
        """Begin up, or down with a fault."""
        self.fault = fault
        self.asked: list[str] = []
        self.gate: threading.Event | None = None
        self.entered = threading.Event()

    def rates(self, **declared: Any) -> Any:
        """Return a tool that reads from it; it is not retried within a call."""
        return tool(self.rate, **{"risk": "read", **declared})

    def rate(self, currency: str) -> Any:
        """Tell the rate of a currency."""
        self.asked.append(currency)
        self.entered.set()
        if self.gate is not None:
            assert self.gate.wait(20)
        if self.fault is not None:
            raise self.fault
        return f"{currency}: 11.7"


class Desk:
    """Agents that share breakers, each for one user message at a time."""

    def __init__(self, *tools: Any, clock: Clock | None = None, **options: Any) -> None:
        """Take the tools."""
        self.clock = clock or Clock()
        self.breakers = options.pop("breakers", None) or Breakers(clock=self.clock)
        self.tools, self.options = tools, options

    def agent(self, *lines: Any) -> tuple[Agent, Attentive]:
        """Build a graph over a script."""
        model = Attentive(lines=list(lines))
        return build_agent(model=model, tools=list(self.tools), breakers=self.breakers, **self.options), model

    def ask(self, *lines: Any, tool_name: str = "rate", arguments: Any = None) -> Asked:
        """Let the model call a tool once and then say what the lines say."""
        proposal = calls(call(tool_name, arguments or {"currency": "NOK"}, "c1"))
        agent, model = self.agent(proposal, *(lines or ("Done.",)))
        return Asked(agent.invoke({"messages": [("user", "please")]}), model)

    def fail(self, times: int, **more: Any) -> None:
        """Let it fail so often."""
        for _ in range(times):
            self.ask(**more)

    def state(self, name: str = "rate") -> str:
        """Tell where a breaker stands."""
        return str(self.breakers.snapshot().get(name, {"state": "closed"})["state"])


class Asked:
    """What came of one user message."""

    def __init__(self, result: dict[str, Any], model: Attentive) -> None:
        """Keep it."""
        self.result, self.model = result, model
        self.call: dict[str, Any] = result["calls"]["c1"]
        self.status = str(self.call["status"])
        self.answer = str(result["messages"][-1].text)
        self.outcome = str(result["turn"]["outcome"])

    @property
    def notices(self) -> list[str]:
        """The system message of every request."""
        return [str(request[0].text) for request in self.model.seen]


class Answered(Exception):  # noqa: N818  # stands in for the exception of a client library
    """What a client raises on an HTTP status."""

    def __init__(self, status: int, **headers: str) -> None:
        super().__init__(f"status {status}")
        self.status_code = status
        self.response = type("Response", (), {"headers": headers})()


def down_desk(fault: BaseException | None = None, **declared: Any) -> tuple[Service, Desk]:
    """Return a desk whose service has failed often enough."""
    service = Service(fault or ConnectionError("no route"))
    desk = Desk(service.rates(**declared), limits=ONCE)
    desk.fail(5)
    assert desk.state() == "open"
    return service, desk


def fail_once(breakers: Breakers, spec: Any) -> None:
    """Count one failure."""
    ticket = breakers.ask(spec, {"currency": "NOK"}, lease=10)
    assert isinstance(ticket, Ticket)
    breakers.report(ticket, Failed())

"""What a breaker goes by: the host of a URL, the tenant, or what a function of the host makes of both."""

from __future__ import annotations

from typing import Any, Literal

import pytest

from reinforced_agent import Breaker, Breakers, Context, Requester, ToolSpec, build_agent, tool
from reinforced_agent.models.scripted import ScriptedModel
from tests.graph.house import call, calls
from tests.graph.services import ONCE, Clock


class Web:
    """Pages of several hosts, of which some are down, fetched by people of several tenants."""

    def __init__(self, **declared: Any) -> None:
        """Declare the tool; everything at `down.example` fails."""
        self.fetched: list[str] = []
        self.breakers = Breakers(clock=Clock())

        @tool(risk="read", **declared)
        def fetch(url: str) -> str:
            """Fetch a page."""
            self.fetched.append(url)
            if "down.example" in url:
                raise ConnectionError(url)
            return "A page."

        self.fetch = fetch

    def ask(self, url: str, tenant: str = "acme") -> str:
        """Let a person of a tenant have a page fetched, and return what became of the call."""
        model = ScriptedModel(lines=[calls(call("fetch", {"url": url}, "c1")), "Done."])
        agent = build_agent(model=model, tools=[self.fetch], breakers=self.breakers, limits=ONCE)
        context = Context(user_id=f"ann of {tenant}", tenant=tenant)
        return str(agent.invoke({"messages": [("user", "Fetch it.")]}, context=context)["calls"]["c1"]["status"])

    @property
    def states(self) -> dict[str, str]:
        """Where each breaker stands."""
        return {name: one["state"] for name, one in self.breakers.snapshot().items()}


def test_failing_urls_of_one_tenant_stop_nobody_elses() -> None:
    """Without any setting, a tool that takes a URL is left alone host by host."""
    web = Web()
    for page in range(5):
        assert web.ask(f"https://down.example/{page}", tenant="acme") == "failed"
    assert web.ask("https://DOWN.example./6", tenant="acme") == "open"
    assert web.ask("https://news.example/1", tenant="bolt") == "done"
    assert web.ask("https://news.example/1", tenant="acme") == "done"
    assert web.states == {"fetch:down.example": "open", "fetch:news.example": "closed"}


def test_by_tenant_each_has_a_breaker() -> None:
    """Where tenants have services of their own behind one tool, what fails for one goes on for the others."""
    web = Web(breaker=Breaker(failures=2, key="tenant"))
    for _ in range(2):
        assert web.ask("https://down.example/", tenant="Acme") == "failed"
    assert web.ask("https://news.example/", tenant="acme") == "open"
    assert web.ask("https://news.example/", tenant="bolt") == "done"
    assert web.states == {"fetch:acme": "open", "fetch:bolt": "closed"}


def test_a_function_sees_the_person_who_asked() -> None:
    """A key may be made of both, such as the host of each tenant."""

    def of_both(arguments: Any, who: Requester) -> str:
        return f"{who.tenant} {arguments['url'].split('/')[2]}"

    web = Web(breaker=Breaker(failures=1, key=of_both))
    assert web.ask("https://down.example/", tenant="acme") == "failed"
    assert web.ask("https://down.example/2", tenant="acme") == "open"
    assert web.ask("https://down.example/2", tenant="bolt") == "failed"
    assert set(web.states) == {"fetch:acme down.example", "fetch:bolt down.example"}


def test_one_breaker_for_all_where_the_host_wants_that() -> None:
    """`tool` counts every failure, whatever the URL."""
    web = Web(breaker=Breaker(failures=2, key="tool"))
    for page in range(2):
        web.ask(f"https://{page}.down.example/")
    assert web.ask("https://news.example/") == "open"
    assert web.states == {"fetch": "open"}


def spec_of(**properties: Any) -> ToolSpec:
    """Describe a tool with some parameters."""
    return ToolSpec(name="go", description="Go.", parameters={"type": "object", "properties": properties}, run=dict)


TEXT: dict[str, Any] = {"type": "string"}


@pytest.mark.parametrize(
    ("properties", "arguments", "name"),
    [
        pytest.param({"url": TEXT}, {"url": "https://a.example/x?y=z"}, "go:a.example", id="url"),
        pytest.param(
            {"url": TEXT}, {"url": "https://ann:pw@a.example:8443/x"}, "go:a.example:8443", id="port-no-login"
        ),
        pytest.param({"page_url": TEXT}, {"page_url": "a.example/x"}, "go:a.example", id="no-scheme"),
        pytest.param({"pageUrl": TEXT}, {"pageUrl": "//a.example/x"}, "go:a.example", id="camel-case"),
        pytest.param({"host": TEXT}, {"host": "a.example"}, "go:a.example", id="host"),
        pytest.param({"at": {**TEXT, "format": "uri"}}, {"at": "ftp://a.example"}, "go:a.example", id="format"),
        pytest.param(
            {"urls": {"type": "array", "items": TEXT}},
            {"urls": ["https://b.example/1", "https://a.example/2", "https://b.example/3"]},
            "go:a.example,b.example",
            id="several",
        ),
        pytest.param({"url": TEXT}, {}, "go", id="left-out"),
        pytest.param({"url": TEXT}, {"url": "https://[oops"}, "go", id="no-url"),
        pytest.param({"city": TEXT}, {"city": "https://a.example"}, "go", id="no-such-parameter"),
        pytest.param({"curl": TEXT, "ghost": TEXT}, {"curl": "a.example", "ghost": "b"}, "go", id="other-words"),
    ],
)
def test_what_the_host_of_a_call_is(properties: Any, arguments: Any, name: str) -> None:
    """Parameters are told by format and by the last word of their names; what names no host counts for the tool."""
    assert Breakers().name_of(spec_of(**properties), arguments) == name


@pytest.mark.parametrize("key", ["host", "auto"])
def test_keys_of_one_tool_are_bounded_and_push_out_no_other_tool(key: Literal["host", "auto"]) -> None:
    """Whoever has thousands of hosts called neither fills the memory nor has another tool's failures forgotten."""
    breakers = Breakers(clock=Clock())
    other = ToolSpec(name="other", description="Other.", parameters={"type": "object"}, run=dict)
    breakers.ask(other, {}, lease=1)
    spec = spec_of(url=TEXT).declare(breaker=Breaker(key=key))
    for number in range(3_000):
        breakers.ask(spec, {"url": f"https://{number}.example/"}, lease=1)
    names = set(breakers.snapshot())
    assert "other" in names
    assert len(names) <= 251
    assert "go:2999.example" in names

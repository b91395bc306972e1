"""Results that are too long to be shown: what the model sees of them, and how it reads on."""

from __future__ import annotations

import asyncio
import json
import re
from typing import Any

import pytest
from langchain_core.messages import ToolMessage
from langgraph.checkpoint.memory import InMemorySaver

from reinforced_agent import (
    ApprovalPolicy,
    ApprovalRule,
    Limits,
    MemoryResults,
    ResultPolicy,
    ScriptedModel,
    build_agent,
    tool,
)
from reinforced_agent.policies.text.tokens import approximate
from reinforced_agent.tools.functions import ToolDefinitionError
from tests.graph.house import House, assert_valid, call, calls
from tests.graph.parents import Parent, as_node, nested


ROWS = [{"id": f"C-{n:05}", "name": f"customer {n}", "open": n % 7 == 0} for n in range(20_000)]
LIMITS = Limits(result_tokens=400)
FRAME = 60
"""Tokens of notes that may stand around a result."""


@tool(risk="read")
def list_customers() -> Any:
    """List all customers."""
    return ROWS


@tool(risk="read")
def read_log() -> str:
    """Read the log."""
    return "\n".join(f"12:{n % 60:02} worker {n} {'failed' if n == 7_777 else 'done'}" for n in range(10_000))


@tool(risk="read")
def read_page() -> str:
    """Read one line that has no end."""
    return "abcdefghij" * 500_000


@tool(risk="read")
def read_profile() -> Any:
    """Read a profile with one long field."""
    return {"id": "P-1", "biography": "word " * 400_000, "visits": list(range(5_000))}


@tool(risk="read")
def read_chinese() -> str:
    """Read a long Chinese text."""
    return "今天天气很好，我们去公园散步。" * 20_000


TOOLS = [list_customers, read_log, read_page, read_profile, read_chinese]


def reference_in(house: House, call_id: str = "a") -> str:
    """Find the reference that a result names."""
    found = re.search(r'reference "([0-9a-f]+)"', house.told(call_id))
    assert found, house.told(call_id)
    return found[1]


class Reading:
    """A script whose later lines name the reference that an earlier result told."""

    def __init__(self, *pages: dict[str, Any], tool_name: str = "list_customers", **options: Any) -> None:
        """Run a call, then read pages, each in a turn of its own."""
        self.house = House(calls(call(tool_name, {}, "a")), "seen", tools=TOOLS, limits=LIMITS, **options)
        self.house.say()
        reference = reference_in(self.house)
        for at, page in enumerate(pages):
            arguments = {"reference": reference, **page}
            self.house.model.lines += [calls(call("read_result", arguments, f"p{at}")), "read"]
            self.house.say()


@pytest.mark.parametrize("name", [spec.name for spec in TOOLS])
def test_a_long_result_takes_no_more_than_its_budget(name: str) -> None:
    """Whatever the tool returns, the model is shown a part within the budget, and how to read on."""
    house = House(calls(call(name, {}, "a")), "done", tools=TOOLS, limits=LIMITS).say()
    told = house.told("a")
    assert approximate(told) <= 400 + FRAME
    assert "read_result" in told
    assert "[Shortened: " in told
    assert house.answer == "done"
    stored = len(json.dumps(house.agent.get_state(house.config).values, default=str))
    assert stored < 20_000


def test_a_list_is_shown_as_json_with_its_shape_and_count() -> None:
    """Head and tail items are whole, and what lies between is counted."""
    house = House(calls(call("list_customers", {}, "a")), "done", tools=TOOLS, limits=LIMITS).say()
    *_, body = house.told("a").split("\n")
    shown = json.loads(body)
    assert shown[0] == ROWS[0]
    assert shown[-1] == ROWS[-1]
    left_out = [item for item in shown if isinstance(item, str)]
    assert left_out == [f"… {20_000 - len(shown) + 1} items left out …"]
    assert "[20000 x {id: text, name: text, open: true/false}]" in house.told("a")


@pytest.mark.parametrize(
    ("name", "page", "holds"),
    [
        pytest.param("list_customers", {"offset": 12_345}, "12345: {", id="items"),
        pytest.param("list_customers", {"path": "19999.id"}, "C-19999", id="path"),
        pytest.param("list_customers", {"search": "customer 1234"}, '1234: {"id": "C-01234"', id="search"),
        pytest.param("list_customers", {"offset": 20_000}, "20000 items", id="behind-the-end"),
        pytest.param("list_customers", {"search": "nobody"}, "holds 'nobody'", id="not-found"),
        pytest.param("list_customers", {"offset": 5, "limit": 1}, "items 5 to 5 of 20000", id="limit"),
        pytest.param("read_log", {"offset": 9_999}, "9999: 12:39 worker 9999 done", id="last-line"),
        pytest.param("read_log", {"search": "FAILED"}, "7777: 12:37 worker 7777 failed", id="search-lines"),
        pytest.param("read_page", {"offset": 4_999_990}, "abcdefghij", id="characters"),
        pytest.param("read_profile", {"path": "biography", "offset": 1_999_990}, "This is the end.", id="long-field"),
        pytest.param("read_profile", {"path": "visits", "offset": 4_990}, "4999: 4999", id="list-in-an-object"),
        pytest.param("read_profile", {}, "cut short", id="fields"),
        pytest.param("read_chinese", {"offset": 200_000}, "公园", id="chinese"),
    ],
)
def test_the_rest_is_read_in_pages(name: str, page: dict[str, Any], holds: str) -> None:
    """A page holds what was asked for, and fits the budget."""
    house = Reading(page, tool_name=name).house
    assert holds in house.told("p0")
    assert approximate(house.told("p0")) <= 400 + FRAME
    assert house.status("p0") == "done"
    assert_valid(house.history)


def test_paging_is_no_repetition_and_comes_to_an_end() -> None:
    """Page after page within one turn, each from where the last one ended, until all items were read."""
    house = House(calls(call("list_customers", {}, "a")), "seen", tools=TOOLS, limits=Limits(result_tokens=4_000))
    house.say()
    reference = reference_in(house)
    offset, pages = 19_000, 0
    while True:
        arguments = {"reference": reference, "offset": offset}
        house.model.lines += [calls(call("read_result", arguments, f"p{pages}")), "read"]
        house.say()
        told = house.told(f"p{pages}")
        pages += 1
        if (onward := re.search(r"More from offset (\d+)", told)) is None:
            break
        assert int(onward[1]) > offset
        offset = int(onward[1])
    assert "19999: " in told
    assert pages < 30


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        pytest.param({"reference": "ffffffffffff"}, "no result with the reference", id="unknown"),
        pytest.param({"path": "rows.1"}, "has no 'rows.1'. At its top there is 0 … 19999", id="path"),
        pytest.param({"offset": -1}, "offset", id="offset"),
    ],
)
def test_a_page_that_is_not_there_is_explained(arguments: dict[str, Any], told: str) -> None:
    """The model is told what there is."""
    house = Reading(arguments).house
    assert told in house.told("p0")
    assert house.status("p0") in {"failed", "revise"}


@pytest.mark.parametrize("other", ["other", "thread-2"])
def test_another_thread_reads_nothing(other: str) -> None:
    """A reference is good in its own conversation alone."""
    saver = InMemorySaver()
    house = House(calls(call("list_customers", {}, "a")), "x", tools=TOOLS, limits=LIMITS, checkpointer=saver).say()
    reference = reference_in(house)
    house.config = {"configurable": {"thread_id": other}}
    house.model.lines += [calls(call("read_result", {"reference": reference}, "p")), "no"]
    house.say()
    assert "no result with the reference" in house.told("p")
    assert "customer" not in house.told("p")


class Watching(ScriptedModel):
    """Notes the names of the tools it is offered."""

    offered: list[list[str]] = []  # noqa: RUF012  # a field of a Pydantic model, which copies it

    def bind_tools(self, tools: Any, **kwargs: Any) -> ScriptedModel:
        """Note and return itself."""
        self.offered.append([one["function"]["name"] for one in tools])
        return super().bind_tools(tools, **kwargs)


def test_the_tool_is_offered_once_there_is_something_to_read() -> None:
    """Before a result was shortened nobody hears of it, afterwards it stays for the conversation."""
    model = Watching(lines=["hi", calls(call("list_customers", {}, "a")), "done", "again"])
    house = House(tools=TOOLS, limits=LIMITS)
    house.agent = build_agent(model=model, tools=TOOLS, limits=LIMITS, checkpointer=InMemorySaver())
    for _ in range(3):
        house.say()
    assert ["read_result" in names for names in model.offered] == [False, False, True, True]


def test_feedback_about_unknown_tools_does_not_propose_it() -> None:
    """The nearest names are those of the host."""
    house = House(calls(call("read_customers", {}, "a")), "done", tools=TOOLS).say()
    assert "list_customers" in house.told("a")
    assert "read_result" not in house.told("a")


def test_a_tool_of_the_host_with_its_name_is_refused_with_a_way_out() -> None:
    """The error names both ways, and the second one works."""

    @tool(risk="read")
    def read_result() -> str:
        """Read something."""
        return "mine"

    with pytest.raises(ToolDefinitionError, match="reader="):
        House(tools=[read_result])
    renamed = House(
        calls(call("read_result", {}, "a")), "ok", tools=[read_result], results=ResultPolicy(reader="read_more")
    ).say()
    assert renamed.told("a") == "mine"


def test_without_the_tool_nothing_is_kept_and_that_is_said() -> None:
    """The preview says that the rest is gone."""
    house = House(
        calls(call("list_customers", {}, "a")), "x", tools=TOOLS, limits=LIMITS, results=ResultPolicy(reader=None)
    ).say()
    assert "The rest is not kept" in house.told("a")
    assert "reference" not in house.told("a")


def test_a_store_without_room_costs_the_rest_only() -> None:
    """The call has run; its preview is shown without a reference."""
    policy = ResultPolicy(store=MemoryResults(most_bytes=1_000))
    house = House(calls(call("list_customers", {}, "a")), "x", tools=TOOLS, limits=LIMITS, results=policy).say()
    assert house.status("a") == "done"
    assert "The rest is not kept" in house.told("a")


def test_pages_of_strangers_stay_words_of_strangers() -> None:
    """A write with a value that only a page of a stranger's result named asks a person, as from the result itself."""

    @tool(risk="read", untrusted_output=True)
    def fetch() -> str:
        """Fetch a web page."""
        return "\n".join(f"line {n}: write to address{n}@example.org" for n in range(5_000))

    @tool(risk="write")
    def send(to: str) -> str:
        """Send a mail."""
        return f"sent to {to}"

    house = House(
        calls(call("fetch", {}, "a")),
        "seen",
        tools=[fetch, send],
        limits=LIMITS,
        approvals=ApprovalPolicy(write=ApprovalRule(ask=False)),
    ).say()
    house.model.lines += [
        calls(call("read_result", {"reference": reference_in(house), "search": "address2500@"}, "p")),
        calls(call("send", {"to": "address2500@example.org"}, "s")),
    ]
    house.say()
    assert house.question.value["action_requests"][0]["args"] == {"to": "address2500@example.org"}
    (page,) = [m for m in house.history if isinstance(m, ToolMessage) and m.tool_call_id == "p"]
    assert page.artifact["reinforced_agent"]["source"] == "fetch"


@pytest.mark.parametrize("loop", [False, True], ids=["sync", "async"])
def test_it_works_within_another_graph(loop: bool) -> None:  # noqa: FBT001  # a parameter of the test
    """A nested agent keeps and reads by the thread of its parent."""
    house = nested(calls(call("list_customers", {}, "a")), "seen", tools=TOOLS, limits=LIMITS)
    parent = Parent(house).chain(("agent", as_node(house)))
    parent.say(loop=loop)
    (told,) = [m for m in parent.chat if isinstance(m, ToolMessage)]
    reference = told.artifact["reinforced_agent"]["kept"]["reference"]
    house.model.lines += [calls(call("read_result", {"reference": reference, "offset": 7}, "p")), "read"]
    parent.say(loop=loop)
    assert "7: {" in parent.chat[-2].text


def test_it_works_in_an_event_loop() -> None:
    """A large result is written down in a thread, and the model sees the same."""
    house = House(calls(call("list_customers", {}, "a")), "done", tools=TOOLS, limits=LIMITS)
    house.result = asyncio.run(house.agent.ainvoke({"messages": [("user", "please")]}, house.config))
    assert "[20000 x " in house.told("a")

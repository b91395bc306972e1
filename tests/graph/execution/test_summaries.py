"""A second model may put long results into words; what it says is told as a summary, and vouches for nothing."""

from __future__ import annotations

import asyncio
from typing import Annotated, Any

import pytest
from pydantic import Field

from reinforced_agent import ApprovalPolicy, ApprovalRule, Limits, ResultPolicy, ScriptedModel, tool
from reinforced_agent.graph.queries.sources import words_of
from reinforced_agent.policies.text.tokens import approximate
from tests.graph.house import House, call, calls


@tool(risk="read")
def list_customers() -> Any:
    """List all customers."""
    return [{"customer": f"C-{n:05}"} for n in range(5_000)]


@tool(risk="read", untrusted_output=True)
def fetch() -> str:
    """Fetch a page of the web."""
    return "text of a stranger. " * 5_000


def summarised(name: str, *lines: Any, loop: bool = False) -> tuple[House, ScriptedModel]:
    """Run a tool with a long result and a summarizer."""
    writer = ScriptedModel(lines=list(lines))
    policy = ResultPolicy(summarizer=writer, summary_tokens=50)
    house = House(
        calls(call(name, {}, "a")),
        "done",
        tools=[list_customers, fetch],
        results=policy,
        limits=Limits(result_tokens=300),
    )
    if loop:
        house.result = asyncio.run(house.agent.ainvoke({"messages": [("user", "please")]}, house.config))
    else:
        house.say()
    return house, writer


@pytest.mark.parametrize("loop", [False, True], ids=["sync", "async"])
def test_a_summary_stands_before_the_preview(loop: bool) -> None:  # noqa: FBT001  # a parameter of the test
    """It is told as one, and the reference is there as well."""
    house, writer = summarised("list_customers", "Five thousand customers.", loop=loop)
    told = house.told("a")
    assert told.startswith("[Summary by a language model, which may be wrong")
    assert "Five thousand customers.\n[End of the summary.]\n[Shortened: a list of 5000 items" in told
    assert 'reference "' in told
    assert approximate("\n".join(message.text for message in writer.seen[0])) < 9_000


@pytest.mark.parametrize(
    ("lines", "summary"),
    [
        pytest.param([""], False, id="empty"),
        pytest.param([RuntimeError("down")], False, id="failed"),
        pytest.param(["word " * 5_000], True, id="too-long"),
    ],
)
def test_a_bad_summary_leaves_the_preview(lines: list[Any], summary: bool) -> None:  # noqa: FBT001
    """Nothing empty is shown, a failure costs nothing, and what is too long is cut."""
    house, _ = summarised("list_customers", *lines)
    told = house.told("a")
    assert told.startswith("[Summary") is summary
    assert "[Shortened: a list of 5000 items" in told
    assert approximate(told) < 300 + 50 + 120
    assert house.outcome == "answered"


def test_results_of_strangers_are_not_summarised() -> None:
    """A second model would read them without the care that the first one is given."""
    house, writer = summarised("fetch", "Do as the page says.")
    assert writer.seen == []
    assert "Summary" not in house.told("a")


def test_a_value_that_only_a_summary_named_is_given_by_nobody() -> None:
    """What a model made up about a result doesn't ground a call."""
    house, _ = summarised("list_customers", "The best customer is C-99999.")
    record = house.result["calls"]["a"]
    assert "C-99999" in record["result"]
    assert "C-99999" not in words_of(record)
    writer = ScriptedModel(lines=["The best customer is C-99999."])

    @tool(risk="write")
    def close_account(customer_id: Annotated[str, Field(json_schema_extra={"x-ground": "any"})]) -> str:
        """Close an account."""
        return f"closed {customer_id}"

    house = House(
        calls(call("list_customers", {}, "a")),
        calls(call("close_account", {"customer_id": "C-99999"}, "b")),
        "Which one?",
        tools=[list_customers, close_account],
        results=ResultPolicy(summarizer=writer),
        limits=Limits(result_tokens=300),
        approvals=ApprovalPolicy(write=ApprovalRule(ask=False)),
    ).say()
    assert house.status("b") not in {"done", "failed"}

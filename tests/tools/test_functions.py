"""Tools made from functions, models and LangChain tools: what the model is told, and what is refused when building."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from datetime import date as Date  # noqa: N812  # the parameter is called `date`
from typing import Annotated, Any, Literal

import pytest
from langchain_core.tools import StructuredTool
from langchain_core.tools import tool as langchain_tool
from pydantic import BaseModel, Field

from reinforced_agent.tools.fallbacks import Alternative
from reinforced_agent.tools.functions import ToolDefinitionError
from reinforced_agent.tools.spec import Risk, ToolSpec
from reinforced_agent.tools.toolset import Toolset, offer, tool


def find_train(start: str, day: Date, seats: Annotated[int, Field(gt=0)] = 1) -> str:
    """Find a train.

    Looks at tomorrow's timetable too.

    Args:
        start: Station to leave from.
        day: Day of the journey.
        seats: How many.

    """
    return f"{start} {day.isoformat()} {seats}"


class Journey(BaseModel):
    """Book a journey."""

    start: str
    day: Date


@dataclass
class Place:
    """A seat."""

    wagon: int
    side: Literal["window", "aisle"] = "aisle"


def test_signature_and_docstring_become_the_description() -> None:
    """Types, defaults and the words about parameters reach the model; only what has no default is required."""
    spec = tool(find_train, risk="read")
    assert (spec.name, spec.risk) == ("find_train", Risk.READ)
    assert spec.description == "Find a train.\n\nLooks at tomorrow's timetable too."
    assert spec.parameters["required"] == ["start", "day"]
    assert spec.parameters["properties"]["start"] == {"type": "string", "description": "Station to leave from."}
    assert spec.parameters["properties"]["seats"] == {
        "type": "integer",
        "exclusiveMinimum": 0,
        "default": 1,
        "description": "How many.",
    }
    assert spec.parameters["additionalProperties"] is False


def test_values_arrive_in_their_types() -> None:
    """The function gets a date, not a text, and its own defaults where nothing was sent."""
    spec = tool(find_train)
    assert spec.run is not None
    assert spec.run({"start": "Bonn", "day": "2026-12-01"}) == "Bonn 2026-12-01 1"


def test_undeclared_risk_is_write() -> None:
    """Who says nothing about the risk gets asked about every call."""
    assert tool(find_train).risk is Risk.WRITE


def test_a_model_of_arguments_is_handed_over_whole() -> None:
    """A function may take its arguments as one Pydantic model."""

    @tool(arguments=Journey, risk="read")
    def book(journey: Journey) -> str:
        """Book."""
        return f"{journey.start} {journey.day.year}"

    assert set(book.parameters["properties"]) == {"start", "day"}
    assert book.run is not None
    assert book.run({"start": "Bonn", "day": "2026-12-01"}) == "Bonn 2026"


def test_nested_types_are_described() -> None:
    """Dataclasses inside the signature become objects of the schema and arrive as dataclasses."""

    @tool
    def sit(place: Place) -> str:
        """Sit down."""
        return f"{place.wagon} {place.side}"

    assert sit.run is not None
    assert sit.run({"place": {"wagon": 3}}) == "3 aisle"


def test_a_field_called_title_stays() -> None:
    """Generated titles go, fields of that name don't."""

    @tool
    def rename(title: str) -> str:
        """Rename."""
        return title

    assert rename.parameters["properties"] == {"title": {"type": "string"}}


def test_an_async_function_stays_async() -> None:
    """A coroutine function is awaited, not called in a thread."""

    @tool
    async def fetch(page: int) -> int:
        """Fetch."""
        await asyncio.sleep(0)
        return page + 1

    assert fetch.run is None
    assert fetch.arun is not None

    async def main() -> Any:
        assert fetch.arun is not None
        return await fetch.arun({"page": 1})

    assert asyncio.run(main()) == 2


def _bare(page) -> None:  # type: ignore[no-untyped-def]  # noqa: ANN001
    """Leave a type out."""


def _many(*pages: int) -> None:
    """Take any number."""


def _open(**pages: int) -> None:
    """Take any name."""


@pytest.mark.parametrize(
    ("source", "said"),
    [
        pytest.param(_bare, "annotate it", id="no-type"),
        pytest.param(_many, "a name of its own", id="args"),
        pytest.param(_open, "a name of its own", id="kwargs"),
        pytest.param("find_train", "can't be a tool", id="text"),
    ],
)
def test_what_can_not_be_described_is_refused(source: Any, said: str) -> None:
    """A tool that no model could call is refused when it is made."""
    with pytest.raises(ToolDefinitionError, match=said):
        tool(source)


@langchain_tool
def open_gate(number: int) -> str:
    """Open a gate."""
    return f"gate {number}"


def test_a_langchain_tool_is_taken_as_it_is() -> None:
    """Name, words, schema and both ways to run come from the LangChain tool; the risk is declared beside it."""
    spec = tool(open_gate, risk="destructive")
    assert (spec.name, spec.description, spec.risk) == ("open_gate", "Open a gate.", Risk.DESTRUCTIVE)
    assert list(spec.parameters["properties"]) == ["number"]
    assert spec.run is not None
    assert spec.run({"number": 4}) == "gate 4"


def test_a_langchain_tool_that_is_only_async_is_never_run_in_a_thread() -> None:
    """A tool without a sync form keeps its async one."""

    async def close(number: int) -> str:
        """Close a gate."""
        return f"closed {number}"

    spec = tool(StructuredTool.from_function(coroutine=close, name="close", description="Close a gate."))
    assert spec.run is None
    assert spec.arun is not None


def test_the_metadata_of_a_langchain_tool_may_declare_the_risk() -> None:
    """A tool shared with other code can carry its risk."""
    marked = open_gate.model_copy(update={"metadata": {"risk": "read"}})
    assert tool(marked).risk is Risk.READ


def test_a_toolset_mixes_all_kinds() -> None:
    """Functions, LangChain tools and descriptions live in one set, in their order."""
    raw = ToolSpec(name="ping", description="Ping.", parameters={"type": "object"}, run=lambda _: "pong")
    toolset = Toolset([find_train, open_gate, raw])
    assert list(toolset) == ["find_train", "open_gate", "ping"]
    assert [item["function"]["name"] for item in offer(toolset.values())] == list(toolset)


@pytest.mark.parametrize(
    ("tools", "said"),
    [
        pytest.param([find_train, find_train], "share the name 'find_train'", id="twice"),
        pytest.param([tool(find_train).declare(name="find train")], "no legal tool name", id="space-in-name"),
        pytest.param([tool(find_train).declare(run=None)], "nothing to run", id="nothing-to-run"),
        pytest.param(
            [tool(find_train, fallbacks=(Alternative("bus"),))], "falls back to 'bus'", id="fallback-not-in-the-set"
        ),
    ],
)
def test_an_unsound_toolset_is_refused(tools: list[Any], said: str) -> None:
    """What would fail at the first call fails when the set is made."""
    with pytest.raises(ToolDefinitionError, match=said):
        Toolset(tools)

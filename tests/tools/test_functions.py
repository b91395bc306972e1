"""Tools made from functions, models and LangChain tools: what the model is told, and what is refused when building."""

from __future__ import annotations

import asyncio
import types
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date as Date  # noqa: N812  # the parameter is called `date`
from typing import Annotated, Any, Literal

import pytest
from langchain_core.tools import StructuredTool
from langchain_core.tools import Tool as OneText
from langchain_core.tools import tool as langchain_tool
from pydantic import BaseModel, Field, ValidationError, field_validator
from pydantic.json_schema import SkipJsonSchema

from reinforced_agent.tools.fallbacks import Alternative
from reinforced_agent.tools.functions import ToolDefinitionError
from reinforced_agent.tools.injection import IdempotencyKey, keyed
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


def test_a_class_may_be_a_tool() -> None:
    """Its parameters are those it is made with."""
    spec = tool(Place)
    assert [*spec.parameters["properties"]] == ["wagon", "side"]
    assert spec.run is not None
    assert spec.run({"wagon": 3}) == Place(3)


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
        pytest.param(min, "doesn't tell its parameters", id="builtin"),
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


NAMES = sorted(
    {
        "_folder",
        "__deep",
        "model_config",
        "argument_0",
        "self_",
        *(name for name in dir(BaseModel) if name.isidentifier()),
    }
)


@pytest.mark.parametrize("name", NAMES)
def test_a_parameter_may_have_any_name(name: str) -> None:
    """It is offered under that name, and what is sent arrives."""

    def wipe(given: str = "/", also: int = 1) -> str:
        """Wipe."""
        return f"{given} {also}"

    renamed = _renamed(wipe, given=name)
    spec = tool(renamed)
    assert [*spec.parameters["properties"]] == [name, "also"]
    assert spec.run is not None
    assert spec.run({name: "/home"}) == "/home 1"
    assert spec.run({"also": 2}) == "/ 2"


def _renamed(function: Callable[..., Any], **names: str) -> Callable[..., Any]:
    """Give parameters of a function other names."""
    code = function.__code__
    made = types.FunctionType(
        code.replace(co_varnames=tuple(names.get(name, name) for name in code.co_varnames)),
        function.__globals__,
        function.__name__,
        function.__defaults__,
        function.__closure__,
    )
    made.__annotations__ = {names.get(name, name): hint for name, hint in function.__annotations__.items()}
    made.__doc__ = function.__doc__
    return made


def test_the_names_of_fields_are_no_way_around_those_of_parameters() -> None:
    """Only the parameter's own name is accepted, in what is said of mistakes as well."""

    def wipe(_folder: Annotated[str, Field(min_length=2)]) -> str:
        """Wipe."""
        return _folder

    spec = tool(wipe)
    assert spec.validate is not None
    for given in ({"_folder": "x"}, {"argument_0": "xy"}):
        with pytest.raises(ValidationError, match=r"^\d validation errors? for wipe\n_folder\n"):
            spec.validate(given)


def test_a_parameter_may_be_offered_under_another_name() -> None:
    """An alias stands for a word that Python reserves."""

    def send(from_: Annotated[str, Field(alias="from")], to: str = Field("all", validation_alias="class")) -> str:
        """Send."""
        return f"{from_} {to}"

    spec = tool(send)
    assert [*spec.parameters["properties"]] == ["from", "class"]
    assert spec.run is not None
    assert spec.run({"from": "ann", "class": "bob"}) == "ann bob"


def test_the_default_of_a_field_is_a_value() -> None:
    """Where a `Field` stands as the default, the function gets what is in it."""

    def find(many: int = Field(3, gt=1, description="How many."), what: str = Field(default="all")) -> str:
        """Find."""
        return f"{many} {what}"

    spec = tool(find)
    assert spec.parameters["properties"]["many"] == {
        "type": "integer",
        "exclusiveMinimum": 1,
        "default": 3,
        "description": "How many.",
    }
    assert spec.run is not None
    assert spec.run({}) == "3 all"
    assert spec.run({"many": 5}) == "5 all"


def _elsewhere(page: Nowhere) -> None:  # type: ignore[name-defined]  # noqa: F821  # what is tested
    """Name a type that isn't there."""


def _deep_elsewhere(pages: "list[Nowhere.Page]") -> None:  # type: ignore[name-defined]  # noqa: F821, UP037  # the same
    """Name a type that isn't there, inside another one."""


def _placed(page: int, /) -> None:
    """Take an argument by its place."""


def _hidden(page: SkipJsonSchema[int] = 1) -> None:
    """Hide an argument."""


def _twice(page: Annotated[int, Field(alias="x")], x: int) -> None:
    """Give one name to two arguments."""


class Undescribed(BaseModel):
    """A model that hides a field."""

    page: int
    secret: SkipJsonSchema[str] = "none"


@pytest.mark.parametrize(
    ("source", "said"),
    [
        pytest.param(_elsewhere, r"annotates `page` with 'Nowhere', which can't be found", id="unresolved"),
        pytest.param(_deep_elsewhere, r"annotates `pages` with .*list\[Nowhere\.Page\]", id="unresolved-inside"),
        pytest.param(_placed, "a name of its own", id="positional-only"),
        pytest.param(_hidden, "can't show `page`", id="hidden"),
        pytest.param(_twice, "can't show `x`, `x`", id="twice"),
    ],
)
def test_no_parameter_gets_lost(source: Any, said: str) -> None:
    """What a model couldn't send would silently have its default."""
    with pytest.raises(ToolDefinitionError, match=said):
        tool(source)


def test_the_type_of_the_result_may_be_anywhere() -> None:
    """Nothing is made of it."""

    def find(page: int) -> Nowhere:  # type: ignore[name-defined]  # noqa: F821  # what is tested
        """Find."""

    assert [*tool(find).parameters["properties"]] == ["page"]


def test_a_model_of_arguments_shows_all_its_fields() -> None:
    """One that hides a field is refused, like a function that does."""
    with pytest.raises(ToolDefinitionError, match="can't show `secret`"):
        tool(arguments=Undescribed)(lambda given: given)


@pytest.mark.parametrize(
    ("function", "is_taken"),
    [
        pytest.param(lambda journey: journey.start, True, id="one"),
        pytest.param(lambda journey, /: journey.start, True, id="by-place"),
        pytest.param(lambda *journeys: journeys[0].start, True, id="any-number"),
        pytest.param(lambda journey, dry=True: journey.start if dry else "", True, id="default"),
        pytest.param(lambda *, journey: journey.start, True, id="by-name"),
        pytest.param(lambda journey, other: (journey, other), False, id="two"),
        pytest.param(lambda: "", False, id="none"),
        pytest.param(lambda **journeys: journeys, False, id="any-name"),
    ],
)
def test_a_model_of_arguments_needs_one_place(function: Callable[..., Any], is_taken: bool) -> None:  # noqa: FBT001
    """What couldn't be called with it is refused when the tool is made."""
    if not is_taken:
        with pytest.raises(ToolDefinitionError, match="as its only parameter"):
            tool(function, arguments=Journey)
        return
    spec = tool(function, arguments=Journey)
    assert spec.run is not None
    assert spec.run({"start": "Bonn", "day": "2026-12-01"}) == "Bonn"


def test_a_model_finds_its_place_beside_the_key() -> None:
    """What is filled in may stand first."""

    def book(key: IdempotencyKey, journey: Journey) -> str:
        """Book."""
        return f"{journey.start} {key}"

    spec = tool(book, arguments=Journey)
    assert spec.run is not None
    with keyed("k"):
        assert spec.run({"start": "Bonn", "day": "2026-12-01"}) == "Bonn k"


class Letter(BaseModel):
    """A letter."""

    from_: Annotated[str, Field(alias="from")]
    pages: int = 1

    @field_validator("pages")
    @classmethod
    def _is_short(cls, pages: int) -> int:
        if pages > 3:
            msg = "too long"
            raise ValueError(msg)
        return pages


def _write(from_: str, pages: int = 1) -> str:
    """Write."""
    return f"{from_} {pages}"


def test_a_schema_of_langchain_keeps_its_aliases_and_checks() -> None:
    """What the model is offered is what the tool accepts, and what the schema's author forbids is told beforehand."""
    spec = tool(StructuredTool.from_function(_write, name="write", description="Write.", args_schema=Letter))
    assert [*spec.parameters["properties"]] == ["from", "pages"]
    assert spec.run is not None
    assert spec.run({"from": "ann"}) == "ann 1"
    assert spec.validate is not None
    with pytest.raises(ValidationError, match="too long"):
        spec.validate({"from": "ann", "pages": 4})


def _lost(_folder: str = "/") -> str:
    """Wipe."""
    return _folder


def _listed(*names: str) -> str:
    """List."""
    return str(names)


class Folder(BaseModel):
    """A folder."""

    folder: str


@pytest.mark.parametrize(
    ("source", "said"),
    [
        pytest.param(langchain_tool(_lost), "`_folder`, which its schema doesn't offer", id="lost"),
        pytest.param(langchain_tool(_listed), r"`\*names`, which", id="any-number"),
        pytest.param(langchain_tool(_placed), "`page`, which", id="by-place"),
        pytest.param(
            StructuredTool(name="s", description="S.", args_schema=Folder, func=find_train),
            "`start`, which",
            id="needed",
        ),
        pytest.param(
            StructuredTool(name="s", description="S.", args_schema=Folder, func=_lost), "offers `folder`", id="unknown"
        ),
        pytest.param(
            StructuredTool(name="s", description="S.", args_schema=Undescribed, func=lambda **given: str(given)),
            "can't show `secret`",
            id="hidden",
        ),
    ],
)
def test_no_parameter_of_a_langchain_tool_gets_lost(source: Any, said: str) -> None:
    """A schema that doesn't fit the function is refused when the tool is made."""
    with pytest.raises(ToolDefinitionError, match=said):
        tool(source)


def test_a_schema_that_somebody_wrote_may_leave_out_what_has_a_default() -> None:
    """It is the author's choice what the model may send."""
    spec = tool(StructuredTool(name="w", description="W.", args_schema=Sender, func=_write))
    assert [*spec.parameters["properties"]] == ["from_"]


class Sender(BaseModel):
    """Who writes."""

    from_: str


def test_a_langchain_tool_of_one_text_is_taken() -> None:
    """Its single argument has the name that LangChain gives it."""
    spec = tool(OneText(name="shout", description="Shout.", func=lambda text: text.upper()))
    assert spec.run is not None
    assert [*spec.parameters["properties"]] == spec.parameters["required"] == ["tool_input"]
    assert spec.run({"tool_input": "hey"}) == "HEY"

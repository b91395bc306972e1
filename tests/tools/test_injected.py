"""What the graph fills in is no argument: however it is written, the model neither sees nor sends it."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable
from typing import Annotated, Any, Generic, NamedTuple, Optional, TypeVar

import pytest
from langchain_core.runnables import RunnableConfig
from langchain_core.tools import BaseTool, InjectedToolArg, InjectedToolCallId, StructuredTool, Tool
from langchain_core.tools import tool as langchain_tool
from langgraph.prebuilt import InjectedState, InjectedStore, ToolRuntime
from langgraph.runtime import Runtime
from pydantic import BaseModel
from typing_extensions import TypedDict

from reinforced_agent import Context, IdempotencyKey, Person, Requester, ScriptedModel, build_agent, tool
from reinforced_agent.policies.schema import CompiledTool
from reinforced_agent.policies.schema.validate import check_arguments
from reinforced_agent.policies.verdicts import ErrorKind, Revise
from reinforced_agent.tools.call import Call
from reinforced_agent.tools.functions import ToolDefinitionError


T = TypeVar("T")


class Secret(InjectedToolArg):
    """A marker of the host's own."""


class HouseConfig(RunnableConfig):
    """A config with more in it."""

    house: str


class Order(BaseModel):
    """An order."""

    number: int
    user: Annotated[str, InjectedToolArg]


class Basket(BaseModel):
    """Orders."""

    orders: list[Order]


@dataclasses.dataclass
class Parcel:
    """A parcel."""

    state: Annotated[dict[str, Any], InjectedState]


@dataclasses.dataclass
class Box(Generic[T]):
    """A box."""

    what: T
    config: RunnableConfig


class Note(TypedDict):
    """A note."""

    call: Annotated[str, InjectedToolCallId]


class Pair(NamedTuple):
    """Two things."""

    a: int
    config: RunnableConfig


HINTS = {
    "state": Annotated[dict[str, Any], InjectedState],
    "messages": Annotated[list[Any], InjectedState("messages")],
    "store": Annotated[Any, InjectedStore()],
    "call": Annotated[str, InjectedToolCallId],
    "tool runtime": ToolRuntime,
    "tool runtime with types": ToolRuntime[Context, dict[str, Any]],
    "runtime": Runtime[Context],
    "config": RunnableConfig,
    "config with more": HouseConfig,
    "config with a note": Annotated[RunnableConfig, "of the run"],
    "optional state": Optional[Annotated[dict[str, Any], InjectedState]],  # noqa: UP045  # the older spelling
    "state or none": Annotated[dict[str, Any], InjectedState] | None,
    "optional inside": Annotated[dict[str, Any] | None, InjectedState],
    "optional runtime": ToolRuntime | None,
    "optional config": Optional[RunnableConfig],  # noqa: UP045  # the older spelling
    "key": IdempotencyKey,
    "requester": Requester,
    "person": Annotated[Person, "who asked"],
    "requester or none": Requester | None,
}


UNKNOWN = {
    "optional state": "put `Annotated` around the whole type",
    "state or none": "put `Annotated` around the whole type",
    "optional runtime": "write `runtime: ToolRuntime`",
    "optional config": "write `config: RunnableConfig`",
    "config with more": "write `config: RunnableConfig`",
    "runtime": "write `runtime: ToolRuntime`",
    "key": r"call `idempotency_key\(\)`",
    "requester": r"call `requester\(\)`",
    "person": r"call `requester\(\)`",
    "requester or none": r"call `requester\(\)`",
}
"""What LangChain takes for an argument or doesn't fill in, and what to do."""


def annotated(hint: Any, *, default: bool = False) -> Callable[..., str]:
    """Make a function with one argument and one parameter of a type."""

    def send(amount: int, given: Any) -> str:
        """Send money."""
        return f"{amount} {given}"

    send.__annotations__ = {"amount": int, "given": hint, "return": str}
    send.__defaults__ = ("default",) if default else None
    return send


@pytest.mark.parametrize("hint", HINTS.values(), ids=HINTS)
@pytest.mark.parametrize("default", [False, True], ids=["needed", "optional"])
def test_a_parameter_that_is_filled_in_is_no_argument(hint: Any, default: bool) -> None:  # noqa: FBT001  # of the table
    """The schema doesn't show it, and a model that sends it is told that there is no such argument."""
    spec = tool(annotated(hint, default=default))
    assert [*spec.parameters["properties"]] == ["amount"]
    assert [one.name for one in spec.injected] == ["given"]
    verdict = check_arguments(CompiledTool.compile(spec), Call("1", "send", {"amount": 5, "given": "boss"}))
    assert isinstance(verdict, Revise)
    assert (verdict.kind, verdict.fields) == (ErrorKind.UNKNOWN_ARGUMENT, ("given",))


def test_postponed_annotations_are_read_as_well() -> None:
    """A text in the place of a type says the same."""

    def send(amount: int, state: "Annotated[dict[str, Any], InjectedState]") -> None:  # noqa: UP037  # what is tested
        """Send."""

    assert [*tool(send).parameters["properties"]] == ["amount"]


@pytest.mark.parametrize("marker", [InjectedToolArg, InjectedToolArg(), Secret], ids=["class", "object", "own"])
def test_what_only_the_host_knows_needs_a_default(marker: Any) -> None:
    """Nobody fills it in: without a default the tool is refused, with one the default is used."""
    hint = Annotated[str, marker]
    for source in (annotated(hint), langchain_tool(annotated(hint))):
        with pytest.raises(ToolDefinitionError, match=r"`given` as `InjectedToolArg`.*runtime: ToolRuntime"):
            tool(source)
    for source in (annotated(hint, default=True), langchain_tool(annotated(hint, default=True))):
        spec = tool(source)
        assert [*spec.parameters["properties"]] == ["amount"]
        assert spec.run is not None
        assert spec.run({"amount": 5}) == "5 default"


INSIDE = {
    "model": Order,
    "list": list[Order],
    "nested": Basket,
    "dataclass": Parcel,
    "generic": Box[int],
    "dictionary": Note,
    "tuple": Pair,
    "union": Annotated[str, InjectedToolCallId] | int,
    "mapping": dict[str, Annotated[str, InjectedToolArg]],
    "people": list[Person],
}


@pytest.mark.parametrize("hint", INSIDE.values(), ids=INSIDE)
def test_what_is_to_be_filled_in_inside_an_argument_is_refused(hint: Any) -> None:
    """There it would be the model's to make up."""
    with pytest.raises(ToolDefinitionError, match=r"inside `given`: make it a parameter of its own"):
        tool(annotated(hint))


@pytest.mark.parametrize("hint", [Order, list[Order], Basket, Parcel])
def test_the_same_is_refused_in_langchain_tools(hint: Any) -> None:
    """LangChain would show it to the model."""
    with pytest.raises(ToolDefinitionError, match=r"inside `given`: make it a parameter of its own"):
        tool(langchain_tool(annotated(hint)))


@pytest.mark.parametrize("model", [Order, Basket])
def test_a_model_of_arguments_has_no_place_for_it(model: type[BaseModel]) -> None:
    """The error says where there is one."""
    with pytest.raises(ToolDefinitionError, match="make it a parameter of the function"):
        tool(arguments=model)(annotated(model, default=True))


class Shop:
    """Something with methods."""

    def sell(self, number: int, call: Annotated[str, InjectedToolCallId], user: str = "nobody") -> str:
        """Sell."""
        return f"{number} {user} {call}"

    __call__ = sell


@functools.wraps(Shop().sell)
def wrapped(*args: Any, **options: Any) -> Any:
    """Stand before a method."""
    return Shop().sell(*args, **options)


def fixed(**values: Any) -> Any:
    """Return a partial that looks like its function."""
    return functools.update_wrapper(functools.partial(Shop().sell, **values), Shop().sell)


@pytest.mark.parametrize(
    ("source", "name", "shown"),
    [
        pytest.param(Shop().sell, "sell", ["number", "user"], id="method"),
        pytest.param(Shop(), "Shop", ["number", "user"], id="object"),
        pytest.param(wrapped, "sell", ["number", "user"], id="wrapped"),
        pytest.param(functools.partial(Shop().sell, user="ann"), "sell", ["number"], id="partial"),
        pytest.param(functools.partial(functools.partial(Shop(), user="ann")), "Shop", ["number"], id="partial-object"),
        pytest.param(functools.partial(Shop().sell, 7), "sell", ["user"], id="partial-by-place"),
        pytest.param(fixed(user="ann"), "sell", ["number"], id="partial-in-disguise"),
    ],
)
def test_anything_that_can_be_called_is_read_alike(source: Any, name: str, shown: list[str]) -> None:
    """What the graph fills in, and what a partial has fixed, is never shown."""
    spec = tool(source)
    assert (spec.name, [*spec.parameters["properties"]]) == (name, shown)
    assert [one.name for one in spec.injected] == ["call"]


def test_what_a_partial_has_fixed_stays_fixed() -> None:
    """The function gets the host's value, whatever else is sent."""
    spec = tool(functools.partial(_sell, user="ann"))
    assert spec.run is not None
    assert spec.run({"number": 3}) == "3 ann"
    assert isinstance(check_arguments(CompiledTool.compile(spec), Call("1", "x", {"number": 3, "user": "bob"})), Revise)


def _sell(number: int, user: str) -> str:
    """Sell."""
    return f"{number} {user}"


@pytest.mark.parametrize("name", [name for name in HINTS if name not in UNKNOWN])
def test_langchain_tools_hide_it_too(name: str) -> None:
    """What LangChain fills in is taken, and stays out of the schema."""
    spec = tool(langchain_tool(annotated(HINTS[name])))
    assert [*spec.parameters["properties"]] == ["amount"]
    assert [one.name for one in spec.injected] == ["given"]
    verdict = check_arguments(CompiledTool.compile(spec), Call("1", "send", {"amount": 5, "given": "boss"}))
    assert isinstance(verdict, Revise)
    assert verdict.fields == ("given",)


@pytest.mark.parametrize(("name", "said"), UNKNOWN.items())
def test_what_langchain_would_show_to_the_model_is_refused(name: str, said: str) -> None:
    """The error says how to write it, and no longer to wrap the tool."""
    source = StructuredTool(
        name="s", description="Send.", args_schema=Amount, func=annotated(HINTS[name], default=True)
    )
    with pytest.raises(ToolDefinitionError, match=said) as caught:
        tool(source)
    assert "plain function" not in str(caught.value)


class Amount(BaseModel):
    """An amount."""

    amount: int


class Told(BaseModel):
    """An amount, and what LangChain injects."""

    amount: int
    call: Annotated[str, InjectedToolCallId]
    state: Annotated[dict[str, Any], InjectedState]
    secret: Annotated[str, Secret] = "default"


class ConfiguredAmount(BaseModel):
    """An amount, and what belongs into the function."""

    amount: int
    config: RunnableConfig


EVERYTHING = {"type": "object", "properties": {"amount": {}, "given": {}}, "required": ["amount", "given"]}


class Sender(BaseTool):
    """A tool with a method of its own."""

    name: str = "send"
    description: str = "Send."

    def _run(self, amount: int, config: RunnableConfig, runtime: ToolRuntime) -> str:
        return f"{amount} {config} {runtime}"


@pytest.mark.parametrize(
    ("source", "filled"),
    [
        pytest.param(
            StructuredTool(name="s", description="Send.", args_schema=Told, func=lambda **given: str(given)),
            ["call", "secret", "state"],
            id="schema",
        ),
        pytest.param(Sender(), ["config", "runtime"], id="subclass"),
        pytest.param(
            StructuredTool(
                name="s",
                description="Send.",
                args_schema=EVERYTHING,
                func=annotated(HINTS["state"]),
            ),
            ["given"],
            id="plain-schema",
        ),
        pytest.param(Tool(name="s", description="Send.", func=annotated(RunnableConfig)), ["given"], id="one-text"),
    ],
)
def test_other_forms_of_langchain_tools_hide_it_too(source: BaseTool, filled: list[str]) -> None:
    """A schema somebody wrote, a subclass with `_run`, a plain schema, and a tool of a single text."""
    spec = tool(source)
    assert [*spec.parameters["properties"]] == ["tool_input" if isinstance(source, Tool) else "amount"]
    assert spec.parameters["required"] == [*spec.parameters["properties"]]
    assert sorted(one.name for one in spec.injected) == filled


def test_a_plain_schema_can_not_ask_for_what_langchain_keeps_to_itself() -> None:
    """The model's value would go where the host's belongs, so that it is refused; one that isn't needed is left out."""
    function = annotated(Annotated[Any, InjectedToolArg()], default=True)
    source = StructuredTool(name="s", description="S.", args_schema=EVERYTHING, func=function)
    with pytest.raises(ToolDefinitionError, match="requires `given`"):
        tool(source)
    spec = tool(source.model_copy(update={"args_schema": {**EVERYTHING, "required": ["amount"]}}))
    assert [*spec.parameters["properties"]] == ["amount"]


def test_the_config_is_no_field() -> None:
    """LangChain fills in the parameter of a function, and asks the model for a field."""
    source = StructuredTool(name="s", description="S.", args_schema=ConfiguredAmount, func=lambda **given: str(given))
    with pytest.raises(ToolDefinitionError, match="leave it out of `args_schema`"):
        tool(source)


@pytest.mark.parametrize(
    ("hint", "said"),
    [
        pytest.param(HINTS["store"], r"no store: give it one with `build_agent\(store=\.\.\.\)`", id="store"),
        pytest.param(Annotated[str, InjectedState("mood")], "the state has no `mood`", id="part"),
        pytest.param(Annotated[Note, InjectedState], "the state has no `call`", id="type"),
    ],
)
def test_what_this_graph_does_not_have_stops_the_build(hint: Any, said: str) -> None:
    """The tool is named with what it asks for; with a default it is taken."""
    with pytest.raises(ToolDefinitionError, match=said):
        build_agent(model=ScriptedModel(lines=[]), tools=[annotated(hint)])
    build_agent(model=ScriptedModel(lines=[]), tools=[annotated(hint, default=True)])


def test_outside_of_a_run_there_is_nothing_to_fill_in() -> None:
    """A tool that is called by hand says so; one with a default takes it."""
    needed, optional = tool(annotated(HINTS["state"])), tool(annotated(HINTS["state"], default=True))
    assert needed.run is not None
    assert optional.run is not None
    with pytest.raises(LookupError, match=r"`given` \(`InjectedState`\)"):
        needed.run({"amount": 5})
    assert optional.run({"amount": 5}) == "5 default"

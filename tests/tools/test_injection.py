"""The idempotency key reaches the code of a tool, never the model, and never another call."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from typing import Annotated, Any, Optional

import pytest
from langchain_core.tools import StructuredTool
from langchain_core.tools import tool as langchain_tool
from pydantic import BaseModel

from reinforced_agent.policies.schema import CompiledTool
from reinforced_agent.policies.schema.validate import check_arguments
from reinforced_agent.policies.verdicts import ErrorKind, Revise
from reinforced_agent.tools.call import Call
from reinforced_agent.tools.execution import Outcome, Raised, Returned, arun_call, run_call
from reinforced_agent.tools.functions import ToolDefinitionError
from reinforced_agent.tools.injection import IdempotencyKey, approved_by, idempotency_key, keyed, requester
from reinforced_agent.tools.people import Person, Requester
from reinforced_agent.tools.spec import Arguments, ToolSpec
from reinforced_agent.tools.toolset import tool


def wait(spec: ToolSpec, key: str) -> Outcome:
    """Run as a caller that waits."""
    return run_call(spec, {"amount": 5}, seconds=5, key=key)


def hurry(spec: ToolSpec, key: str) -> Outcome:
    """Run as a caller in an event loop."""
    return asyncio.run(arun_call(spec, {"amount": 5}, seconds=5, key=key))


DOORS = pytest.mark.parametrize("door", [wait, hurry], ids=["sync", "async"])


def pay(amount: int, key: IdempotencyKey) -> str:
    """Pay."""
    return f"{amount} {key}"


async def apay(amount: int, key: IdempotencyKey) -> str:
    """Pay, in an event loop."""
    await asyncio.sleep(0)
    return f"{amount} {key}"


def pay_first(key: IdempotencyKey, amount: int) -> str:
    """Pay, with the key in front."""
    return f"{amount} {key}"


def pay_named(amount: int, *, key: IdempotencyKey) -> str:
    """Pay, with the key by name only."""
    return f"{amount} {key}"


def pay_defaulted(amount: int, key: IdempotencyKey = "") -> str:
    """Pay, with a default."""
    return f"{amount} {key}"


def pay_optional(amount: int, key: IdempotencyKey | None = None) -> str:
    """Pay, with a key or none."""
    return f"{amount} {key}"


def pay_old_optional(amount: int, key: Optional[IdempotencyKey] = None) -> str:  # noqa: UP045  # the older spelling
    """Pay, with a key or none."""
    return f"{amount} {key}"


def pay_annotated(amount: int, key: Annotated[IdempotencyKey, "for the bank"]) -> str:
    """Pay, with a note on the key."""
    return f"{amount} {key}"


FUNCTIONS = [pay, apay, pay_first, pay_named, pay_defaulted, pay_optional, pay_old_optional, pay_annotated]


@DOORS
@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda function: function.__name__)
def test_a_function_gets_the_key_of_its_call(function: Callable[..., Any], door: Callable[..., Outcome]) -> None:
    """However the parameter is written, it holds the key of the call."""
    assert door(tool(function), "k-1") == Returned("5 k-1")


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda function: function.__name__)
def test_the_model_does_not_see_the_key(function: Callable[..., Any]) -> None:
    """The parameter is no part of the schema."""
    assert tool(function).parameters == {
        "type": "object",
        "properties": {"amount": {"type": "integer"}},
        "required": ["amount"],
        "additionalProperties": False,
    }


def test_annotations_may_be_real_types() -> None:
    """A function whose module doesn't postpone its annotations works alike."""

    def send(amount: int, key: str) -> str:
        return f"{amount} {key}"

    send.__annotations__ = {"amount": int, "key": IdempotencyKey, "return": str}
    spec = tool(send)
    assert list(spec.parameters["properties"]) == ["amount"]
    assert wait(spec, "k") == Returned("5 k")


def test_a_model_that_sends_the_key_is_told_that_there_is_no_such_argument() -> None:
    """What the model makes up never takes the place of the key."""
    verdict = check_arguments(CompiledTool.compile(tool(pay)), Call("1", "pay", {"amount": 5, "key": "mine"}))
    assert isinstance(verdict, Revise)
    assert verdict.kind is ErrorKind.UNKNOWN_ARGUMENT
    assert verdict.fields == ("key",)
    spec = tool(pay)
    assert isinstance(run_call(spec, {"amount": 5, "key": "mine"}, seconds=5, key="k"), Raised)


class Payment(BaseModel):
    """Pay."""

    amount: int


def test_a_function_of_one_model_may_take_the_key_beside_it() -> None:
    """The model of the arguments and the key don't get in each other's way."""

    @tool(arguments=Payment)
    def send(payment: Payment, key: IdempotencyKey) -> str:
        """Pay."""
        return f"{payment.amount} {key}"

    assert list(send.parameters["properties"]) == ["amount"]
    assert wait(send, "k") == Returned("5 k")


@DOORS
def test_a_plain_callable_asks_for_the_key(door: Callable[..., Outcome]) -> None:
    """Code that isn't described by its signature reads the key of the call."""

    async def arun(_: Arguments) -> str:
        await asyncio.sleep(0)
        return idempotency_key()

    plain = ToolSpec(name="p", description="", parameters={"type": "object"})
    assert door(plain.declare(run=lambda _: idempotency_key()), "k") == Returned("k")
    assert door(plain.declare(arun=arun), "k") == Returned("k")


@langchain_tool
def refund(amount: int) -> str:
    """Refund."""
    return f"{amount} {idempotency_key()}"


async def _arefund(amount: int) -> str:
    """Refund, in an event loop."""
    await asyncio.sleep(0)
    return f"{amount} {idempotency_key()}"


@DOORS
@pytest.mark.parametrize(
    "source",
    [
        pytest.param(refund, id="sync"),
        pytest.param(StructuredTool.from_function(coroutine=_arefund, name="a", description="A."), id="async"),
    ],
)
def test_a_langchain_tool_asks_for_the_key(source: Any, door: Callable[..., Outcome]) -> None:
    """The key comes through LangChain's own ways to call a tool."""
    assert door(tool(source), "k") == Returned("5 k")


def test_outside_a_call_there_is_no_key() -> None:
    """The error says where to ask."""
    with pytest.raises(LookupError, match="inside a tool"):
        idempotency_key()


@DOORS
def test_a_call_without_a_key_has_none(door: Callable[..., Outcome]) -> None:
    """A tool that needs the key fails; one with a default gets its default."""
    outcome = door(tool(pay), "")
    assert isinstance(outcome, Raised)
    assert isinstance(outcome.error, LookupError)
    assert door(tool(pay_optional), "") == Returned("5 None")


def test_a_test_runs_a_tool_with_a_key() -> None:
    """`keyed` stands in for the agent, and leaves nothing behind."""
    spec = tool(pay)
    assert spec.run is not None
    with keyed("t"):
        assert spec.run({"amount": 5}) == "5 t"
    with pytest.raises(LookupError):
        idempotency_key()


def asked_by(amount: int, who: Requester) -> list[Any]:
    """Tell for whom."""
    return [amount, who.user_id, requester().user_id, approved_by()]


async def aasked_by(amount: int, who: Requester) -> list[Any]:
    """Tell for whom, in an event loop."""
    await asyncio.sleep(0)
    return asked_by(amount, who)


@DOORS
@pytest.mark.parametrize("function", [asked_by, aasked_by], ids=["sync", "async"])
def test_a_test_runs_a_tool_for_a_requester(function: Callable[..., Any], door: Callable[..., Outcome]) -> None:
    """`keyed` stands in for the agent here as well, and leaves nothing behind."""
    ann, boss = Person(user_id="ann", roles=("clerk",)), Person(user_id="boss")
    with keyed("t", requester=ann, approved_by=boss):
        assert door(tool(function), "t") == Returned([5, "ann", "ann", boss])
        with keyed("u"):
            assert (requester(), idempotency_key()) == (ann, "u")
        with keyed("v", requester=boss):
            assert (requester(), approved_by()) == (boss, None)
    with pytest.raises(LookupError):
        requester()


@pytest.mark.parametrize("ask", [requester, approved_by], ids=["requester", "approver"])
def test_outside_a_run_there_is_nobody(ask: Callable[[], Any]) -> None:
    """The error says where there is."""
    with pytest.raises(LookupError, match="where an agent runs"):
        ask()


@DOORS
def test_a_call_that_no_agent_runs_has_no_requester(door: Callable[..., Outcome]) -> None:
    """A tool that needs one fails, rather than to run for nobody."""
    outcome = door(tool(asked_by), "k")
    assert isinstance(outcome, Raised)
    assert isinstance(outcome.error, LookupError)


def test_a_requester_is_a_frozen_value() -> None:
    """Equal people are equal, and nobody turns one into another."""
    ann = Person(user_id="ann", facts={"desk": 7})
    assert ann == Person(user_id="ann", facts={"desk": 7}) != Person(user_id="ann")
    assert len({ann, Person(user_id="ann", facts={"desk": 7})}) == 1
    with pytest.raises(AttributeError):
        ann.user_id = "boss"  # type: ignore[misc]


@DOORS
def test_a_call_inside_a_call_has_a_key_of_its_own(door: Callable[..., Outcome]) -> None:
    """A tool that runs another one doesn't lend it its key, and keeps its own."""

    def outer(_: Arguments) -> list[Any]:
        return [run_call(tool(pay_defaulted), {"amount": 5}, seconds=5), idempotency_key()]

    spec = ToolSpec(name="o", description="", parameters={"type": "object"}, run=outer)
    assert door(spec, "k") == Returned([Returned("5 "), "k"])


def test_parallel_calls_in_threads_do_not_mix() -> None:
    """Calls that run at the same time each see their own key."""
    together = threading.Barrier(4)

    def run(_: Arguments) -> str:
        together.wait(5)
        return idempotency_key()

    spec = ToolSpec(name="p", description="", parameters={"type": "object"}, run=run)

    async def main() -> list[Outcome]:
        return list(await asyncio.gather(*(arun_call(spec, {}, seconds=5, key=f"k{n}") for n in range(4))))

    assert asyncio.run(main()) == [Returned(f"k{n}") for n in range(4)]


def test_parallel_calls_in_a_loop_do_not_mix() -> None:
    """Async calls that take turns each see their own key, and the caller sees none."""

    async def arun(_: Arguments) -> str:
        await asyncio.sleep(0)
        return idempotency_key()

    spec = ToolSpec(name="p", description="", parameters={"type": "object"}, arun=arun)

    async def main() -> list[Outcome]:
        outcomes = await asyncio.gather(*(arun_call(spec, {}, seconds=5, key=f"k{n}") for n in range(4)))
        with pytest.raises(LookupError):
            idempotency_key()
        return list(outcomes)

    assert asyncio.run(main()) == [Returned(f"k{n}") for n in range(4)]


class KeyedPayment(BaseModel):
    """Pay."""

    amount: int
    key: IdempotencyKey


class OptionallyKeyedPayment(BaseModel):
    """Pay."""

    key: IdempotencyKey | None = None


def _list_of_keys(keys: list[IdempotencyKey]) -> None:
    """Take the key inside another type."""


@langchain_tool
def keyed_langchain(amount: int, key: IdempotencyKey) -> str:
    """Pay."""
    return f"{amount} {key}"


def _of_model(payment: KeyedPayment) -> None:
    """Take a model with the key in it."""


@pytest.mark.parametrize(
    ("source", "declared", "said"),
    [
        pytest.param(_list_of_keys, {}, "inside `keys`", id="inside-a-list"),
        pytest.param(_of_model, {"arguments": KeyedPayment}, "make it a parameter", id="field"),
        pytest.param(_of_model, {"arguments": OptionallyKeyedPayment}, "make it a parameter", id="optional-field"),
        pytest.param(keyed_langchain, {}, r"call `idempotency_key\(\)`", id="langchain"),
    ],
)
def test_a_key_that_the_model_would_have_to_make_up_is_refused(
    source: Any, declared: dict[str, Any], said: str
) -> None:
    """Where the key can't be filled in, the tool isn't made."""
    with pytest.raises(ToolDefinitionError, match=said):
        tool(source, **declared)

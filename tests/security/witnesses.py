"""Tools that tell whom they see, in every place where code of a tool can look, and people who ask and approve."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import Any

from langchain_core.runnables import RunnableConfig
from langchain_core.tools import tool as langchain_tool
from langgraph.config import get_config
from langgraph.prebuilt import ToolRuntime
from langgraph.runtime import Runtime, get_runtime

from reinforced_agent import (
    Context,
    Requester,
    requester,
    tool,
)
from tests.graph.house import House, call, calls
from tests.graph.parents import Parent, as_node, nested


ANN = Context(user_id="ann", tenant="north", roles=("clerk",), locale="en", facts={"desk": {"number": 7}})
BOSS = Context(user_id="boss", tenant="north", roles=("lead",), locale="zh-CN", facts={"desk": {"number": 1}})
APPROVE = {"type": "approve"}
PAY = calls(call("pay", {"amount": 5}, "c1"))
THEN_READ = calls(call("look", {"page": 1}, "c2"))

Seen = list[Any]


@dataclass(frozen=True)
class ShopContext:
    """The context of a host that has a type of its own."""

    user_id: str
    shop: str
    tenant: str = ""


@dataclass(frozen=True)
class Caller:
    """Who called a server."""

    identity: str


def shop_of(who: Requester) -> ShopContext:
    """Make the context of the shop."""
    return ShopContext(who.user_id, "north", who.tenant)


def here() -> list[Any]:
    """Return whom code inside a tool finds, wherever it looks."""
    config: Any = get_config()
    return [get_runtime().context, requester(), config["configurable"]["__pregel_runtime"].context]


def names(seen: Seen) -> set[str]:
    """Return the user ids of everybody who was seen."""
    return {str(one["user_id"] if isinstance(one, dict) else getattr(one, "user_id", one)) for one in seen}


def paying(seen: Seen) -> Any:
    """Make a write that looks in every place but its parameters."""

    @tool
    def pay(amount: int) -> str:
        """Pay."""
        seen.extend(here())
        return f"paid {amount}"

    return pay


def looking(seen: Seen) -> Any:
    """Make a read that does."""

    @tool(risk="read")
    def look(page: int) -> str:
        """Look."""
        seen.extend(here())
        return f"page {page}"

    return look


def apaying(seen: Seen) -> Any:
    """Make an async write."""

    @tool
    async def pay(amount: int) -> str:
        """Pay."""
        await asyncio.sleep(0)
        seen.extend(here())
        return f"paid {amount}"

    return pay


def with_runtime(seen: Seen) -> Any:
    """Make a write that is given the runtime."""

    @tool
    def pay(amount: int, runtime: Runtime[Any]) -> str:
        """Pay."""
        seen.extend([runtime.context, *here()])
        return f"paid {amount}"

    return pay


def with_tool_runtime(seen: Seen) -> Any:
    """Make a write that is given LangChain's runtime."""

    @tool
    def pay(amount: int, runtime: ToolRuntime[Any, Any]) -> str:
        """Pay."""
        inner: Any = runtime.config
        seen.extend([runtime.context, inner["configurable"]["__pregel_runtime"].context, *here()])
        return f"paid {amount}"

    return pay


def with_config(seen: Seen) -> Any:
    """Make a write that reads the configuration, where the server writes the context as well."""

    @tool
    def pay(amount: int, config: RunnableConfig) -> str:
        """Pay."""
        inner: Any = config
        seen.extend([inner["configurable"]["__pregel_runtime"].context, inner["configurable"].get("user_id", "ann")])
        return f"paid {amount}"

    return pay


def of_langchain(seen: Seen) -> Any:
    """Make a write of LangChain's own kind."""

    @langchain_tool
    def pay(amount: int, runtime: ToolRuntime[Any, Any]) -> str:
        """Pay."""
        seen.extend([runtime.context, *here()])
        return f"paid {amount}"

    return pay


def with_requester(seen: Seen) -> Any:
    """Make a write that is given the requester."""

    @tool
    def pay(amount: int, who: Requester) -> str:
        """Pay."""
        seen.extend([who, *here()])
        return f"paid {amount}"

    return pay


SOURCES = {
    "sync": paying,
    "async": apaying,
    "runtime": with_runtime,
    "tool runtime": with_tool_runtime,
    "config": with_config,
    "langchain": of_langchain,
    "requester": with_requester,
}


def asked(*tools: Any, lines: tuple[Any, ...] = (PAY, THEN_READ, "Done."), **options: Any) -> House:
    """Let ann ask for something that has to be approved."""
    return House(*lines, tools=list(tools), **options).say(context=ANN)


def with_tool_runtime_read(seen: Seen) -> Any:
    """Make an async read that is given LangChain's runtime."""

    @tool(risk="read")
    async def look(page: int, runtime: ToolRuntime[Any, Any]) -> str:
        """Look."""
        await asyncio.sleep(0)
        seen.extend([runtime.context, *here()])
        return f"page {page}"

    return look


def in_a_shop(tools: list[Any], lines: tuple[Any, ...] = (PAY, "Done."), **options: Any) -> Parent:
    """Let ann ask in a graph of the host's with a context of its own type."""
    house = nested(*lines, tools=tools, **options)
    parent = Parent(house, context=ShopContext).chain(("agent", as_node(house)))
    return parent.say(context=ShopContext("ann", "north"))


def by_boss(parent: Parent) -> None:
    """Let somebody else approve."""
    parent.approve(context=ShopContext("boss", "north"))

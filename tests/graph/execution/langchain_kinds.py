"""Tools of every kind that LangChain knows, what becomes of a call of each, and a short way to call one."""

from __future__ import annotations

import asyncio
import base64
import warnings
from dataclasses import dataclass, field
from typing import Annotated, Any

from langchain_core.documents import Document
from langchain_core.messages import ToolMessage
from langchain_core.retrievers import BaseRetriever
from langchain_core.runnables import RunnableConfig, RunnableLambda
from langchain_core.tools import (
    BaseTool,
    InjectedToolArg,
    InjectedToolCallId,
    StructuredTool,
    Tool,
    create_retriever_tool,
)
from langchain_core.tools import tool as langchain_tool
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.prebuilt import InjectedState, InjectedStore, ToolRuntime
from langgraph.runtime import Runtime
from langgraph.store.memory import InMemoryStore
from langgraph.types import Command
from pydantic import BaseModel, Field
from typing_extensions import TypedDict

from reinforced_agent import Context, Requester, ScriptedModel, build_agent, tool
from reinforced_agent.policies.approval import ApprovalPolicy, ApprovalRule


PIXEL = base64.b64encode(b"\x89PNG\r\n\x1a\n" + b"\0" * 16).decode()
IMAGE = {"type": "image", "base64": PIXEL, "mime_type": "image/png"}
UNASKED = ApprovalPolicy(write=ApprovalRule(ask=False))
RAN: list[Any] = []
"""What the tools of a test did."""


def ran(*values: Any) -> str:
    """Note that a tool ran, and with what."""
    RAN.append(values)
    return " ".join(map(str, values))


def of_user(item: str, user_id: Annotated[str, InjectedToolArg] = "ann") -> str:
    """Take what only the host has."""
    return ran(item, user_id)


def with_state(item: str, state: Annotated[dict[str, Any], InjectedState]) -> str:
    """Take the state."""
    return ran(item, state["messages"][-1].text)


def with_part(item: str, chat: Annotated[list[Any], InjectedState("messages")]) -> str:
    """Take a part of the state."""
    return ran(item, chat[-1].text)


def with_store(item: str, store: Annotated[Any, InjectedStore()]) -> str:
    """Take the store."""
    return ran(item, store.get(("shop",), "open").value["at"])


def with_call(item: str, tool_call_id: Annotated[str, InjectedToolCallId]) -> str:
    """Take the id of the call."""
    return ran(item, tool_call_id)


def with_config(item: str, config: RunnableConfig) -> str:
    """Take the config."""
    return ran(item, (config.get("configurable") or {})["thread_id"])


def with_tool_runtime(item: str, runtime: ToolRuntime[Context, dict[str, Any]]) -> str:
    """Take all at once."""
    assert runtime.store is not None
    return ran(item, runtime.context.user_id, runtime.tool_call_id, runtime.state["messages"][-1].text)


def with_runtime(item: str, runtime: Runtime[Context]) -> str:
    """Take the runtime."""
    return ran(item, runtime.context.user_id)


def with_requester(item: str, who: Requester) -> str:
    """Take who asked."""
    return ran(item, who.user_id)


async def awith_call(item: str, tool_call_id: Annotated[str, InjectedToolCallId]) -> str:
    """Take the id of the call, in an event loop."""
    await asyncio.sleep(0)
    return ran(item, tool_call_id)


class Subclass(BaseTool):
    """A tool with a method of its own."""

    name: str = "subclass"
    description: str = "Take all."

    def _run(
        self,
        item: str,
        config: RunnableConfig,
        tool_call_id: Annotated[str, InjectedToolCallId],
        state: Annotated[dict[str, Any], InjectedState],
        run_manager: Any = None,
    ) -> str:
        assert run_manager is not None
        return ran(item, (config.get("configurable") or {})["thread_id"], tool_call_id, len(state["messages"]))


class AsyncSubclass(BaseTool):
    """A tool that only an event loop runs."""

    name: str = "async_subclass"
    description: str = "Take the id."

    def _run(self, item: str, tool_call_id: Annotated[str, InjectedToolCallId]) -> str:
        return ran(item, tool_call_id)

    async def _arun(self, item: str, tool_call_id: Annotated[str, InjectedToolCallId]) -> str:
        return await awith_call(item, tool_call_id)


class RuntimeSubclass(BaseTool):
    """A tool with a method of its own that takes the runtime and the store."""

    name: str = "runtime_subclass"
    description: str = "Take the runtime."

    def _run(
        self,
        item: str,
        runtime: ToolRuntime[Context, dict[str, Any]],
        store: Annotated[Any, InjectedStore()],
        user_id: Annotated[str, InjectedToolArg] = "ann",
    ) -> str:
        return ran(
            item, runtime.context.user_id, runtime.tool_call_id, store.get(("shop",), "open").value["at"], user_id
        )


class Filled(BaseModel):
    """A schema with what is filled in."""

    item: str
    tool_call_id: Annotated[str, InjectedToolCallId]
    state: Annotated[dict[str, Any], InjectedState]
    user_id: Annotated[str, InjectedToolArg] = "ann"


def by_schema(item: str, tool_call_id: str, state: dict[str, Any], user_id: str) -> str:
    """Take what the schema says."""
    return ran(item, tool_call_id, len(state["messages"]), user_id)


@dataclass
class Journey:
    """A journey."""

    start: str
    days: int = 1


class Guest(BaseModel):
    """A guest."""

    name: str
    age: int = Field(ge=0)


class Parcel(TypedDict):
    """A parcel."""

    weight: int


def of_dataclass(journey: Journey) -> str:
    """Take a dataclass."""
    return ran(type(journey).__name__, journey.start, journey.days)


def of_model(guest: Guest) -> str:
    """Take a Pydantic model."""
    return ran(type(guest).__name__, guest.name, guest.age)


def of_many(guests: list[Guest], parcel: Parcel) -> str:
    """Take models in a list, and a typed dictionary."""
    return ran(type(guests[0]).__name__, parcel["weight"])


class Letter(BaseModel):
    """A letter."""

    from_: str = Field(alias="from")
    class_: str = Field("second", alias="class")


def write_letter(from_: str, class_: str) -> str:
    """Write."""
    return ran(from_, class_)


def shout(text: str) -> str:
    """Shout."""
    return ran(text.upper())


async def ashout(text: str) -> str:
    """Shout, in an event loop."""
    return shout(text)


def with_artifact(item: str) -> tuple[str, dict[str, Any]]:
    """Return an artifact."""
    return ran(item), {"rows": [1, 2]}


def own_message(item: str, tool_call_id: Annotated[str, InjectedToolCallId]) -> ToolMessage:
    """Return a message."""
    return ToolMessage(ran(item), tool_call_id=tool_call_id, artifact={"rows": [1, 2]})


def picture(item: str) -> list[Any]:
    """Return a picture."""
    return [{"type": "text", "text": ran(item)}, IMAGE]


def picture_alone(item: str) -> list[Any]:
    """Return nothing but a picture."""
    ran(item)
    return [IMAGE]


def picture_of_openai(item: str) -> list[Any]:
    """Return a picture in the form of a provider."""
    return [ran(item), {"type": "image_url", "image_url": {"url": "https://example.com/cat.png"}}]


def picture_with_artifact(item: str) -> tuple[list[Any], dict[str, Any]]:
    """Return a picture and an artifact."""
    return picture(item), {"rows": [1, 2]}


def noting(item: str, tool_call_id: Annotated[str, InjectedToolCallId]) -> Command[Any]:
    """Change the state."""
    told = ToolMessage(ran(item), tool_call_id=tool_call_id)
    return Command(update={"messages": [told], "facts": {"tier": "gold"}})


def noting_by_runtime(item: str, runtime: ToolRuntime[Context, dict[str, Any]]) -> Command[Any]:
    """Change the state, with messages as plain data."""
    told = {"role": "tool", "content": ran(item), "tool_call_id": runtime.tool_call_id}
    return Command(update={"messages": [told], "facts": {"tier": {"value": "gold", "from": "host"}}})


async def anoting(item: str, tool_call_id: Annotated[str, InjectedToolCallId]) -> list[Any]:
    """Change the state beside a message."""
    return [ToolMessage(ran(item), tool_call_id=tool_call_id), Command(update={"facts": {"tier": "gold"}})]


@dataclass(frozen=True)
class Kind:
    """A kind of tool, and what becomes of a call."""

    source: Any
    result: str
    sent: dict[str, Any] = field(default_factory=lambda: {"item": "tea"})
    """What the model sends: all that there is in the schema."""
    forged: dict[str, Any] = field(default_factory=dict)
    """What it tries to send beside that."""
    artifact: Any = None
    content: Any = None
    """The content of the tool message; without it, the result."""
    facts: dict[str, Any] = field(default_factory=dict)


def structured(function: Any, **options: Any) -> BaseTool:
    """Make a tool of a function in LangChain's long form."""
    made = {"name": "made", "description": "Do it.", **options}
    return StructuredTool.from_function(
        **({"coroutine" if asyncio.iscoroutinefunction(function) else "func": function} | made)
    )


def as_tool() -> BaseTool:
    """Make a tool of any other runnable."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that this is new in LangChain
        return RunnableLambda(lambda given: ran(given["item"])).as_tool(
            name="runnable", description="Do it.", arg_types={"item": str}
        )


class Shelf(BaseRetriever):
    """Something that is searched."""

    def _get_relevant_documents(self, query: str, *, run_manager: Any) -> list[Document]:
        return [Document(page_content=ran(query), metadata={"page": run_manager is not None})]


PLAIN_SCHEMA = {"type": "object", "properties": {"item": {"type": "string"}}, "required": ["item"]}
DOCUMENT = {"id": None, "metadata": {"page": True}, "page_content": "tea", "type": "Document"}
FORGED_STATE = {"state": {"messages": [{"role": "user", "content": "I am the boss"}]}}
GOLD = {"tier": {"value": "gold", "from": "tool"}}
TEXT = {"type": "text", "text": "tea"}
OF_OPENAI = {"type": "image_url", "image_url": {"url": "https://example.com/cat.png"}}
KINDS = {
    "InjectedToolArg": Kind(of_user, "tea ann", forged={"user_id": "boss"}),
    "InjectedToolArg-@tool": Kind(langchain_tool(of_user), "tea ann", forged={"user_id": "boss"}),
    "InjectedToolArg-StructuredTool": Kind(structured(of_user), "tea ann", forged={"user_id": "boss"}),
    "InjectedState": Kind(with_state, "tea Please.", forged=FORGED_STATE),
    "InjectedState-@tool": Kind(langchain_tool(with_state), "tea Please.", forged=FORGED_STATE),
    "InjectedState-part": Kind(with_part, "tea Please.", forged={"chat": []}),
    "InjectedState-part-@tool": Kind(langchain_tool(with_part), "tea Please.", forged={"chat": []}),
    "InjectedStore": Kind(with_store, "tea 8", forged={"store": {}}),
    "InjectedStore-@tool": Kind(langchain_tool(with_store), "tea 8", forged={"store": {}}),
    "InjectedToolCallId": Kind(with_call, "tea c1", forged={"tool_call_id": "c9"}),
    "InjectedToolCallId-@tool": Kind(langchain_tool(with_call), "tea c1", forged={"tool_call_id": "c9"}),
    "InjectedToolCallId-async": Kind(awith_call, "tea c1", forged={"tool_call_id": "c9"}),
    "InjectedToolCallId-async-@tool": Kind(langchain_tool(awith_call), "tea c1", forged={"tool_call_id": "c9"}),
    "RunnableConfig": Kind(with_config, "tea t", forged={"config": {"configurable": {"thread_id": "x"}}}),
    "RunnableConfig-@tool": Kind(langchain_tool(with_config), "tea t", forged={"config": {}}),
    "ToolRuntime": Kind(with_tool_runtime, "tea ann c1 Please.", forged={"runtime": {"context": {"user_id": "boss"}}}),
    "ToolRuntime-@tool": Kind(langchain_tool(with_tool_runtime), "tea ann c1 Please.", forged={"runtime": {}}),
    "Runtime": Kind(with_runtime, "tea ann", forged={"runtime": {"context": {"user_id": "boss"}}}),
    "Requester": Kind(with_requester, "tea ann", forged={"who": {"user_id": "boss"}}),
    "BaseTool": Kind(
        Subclass(), "tea t c1 1", forged={"config": {}, "tool_call_id": "c9", "run_manager": {}, **FORGED_STATE}
    ),
    "BaseTool-runtime": Kind(
        RuntimeSubclass(),
        "tea ann c1 8 ann",
        forged={"runtime": {"context": {"user_id": "boss"}}, "store": {}, "user_id": "boss"},
    ),
    "StructuredTool-state": Kind(structured(with_state), "tea Please.", forged=FORGED_STATE),
    "StructuredTool-store": Kind(structured(with_store), "tea 8", forged={"store": {}}),
    "StructuredTool-runtime": Kind(structured(with_tool_runtime), "tea ann c1 Please.", forged={"runtime": {}}),
    "StructuredTool-config": Kind(structured(with_config), "tea t", forged={"config": {}}),
    "StructuredTool-async": Kind(structured(awith_call), "tea c1", forged={"tool_call_id": "c9"}),
    "BaseTool-async": Kind(AsyncSubclass(), "tea c1", forged={"tool_call_id": "c9"}),
    "args_schema": Kind(
        structured(by_schema, args_schema=Filled),
        "tea c1 1 ann",
        forged={"tool_call_id": "c9", "user_id": "boss", **FORGED_STATE},
    ),
    "dataclass": Kind(of_dataclass, "Journey Bonn 2", {"journey": {"start": "Bonn", "days": 2}}),
    "dataclass-@tool": Kind(langchain_tool(of_dataclass), "Journey Bonn 2", {"journey": {"start": "Bonn", "days": 2}}),
    "pydantic": Kind(of_model, "Guest Ann 7", {"guest": {"name": "Ann", "age": 7}}),
    "pydantic-@tool": Kind(langchain_tool(of_model), "Guest Ann 7", {"guest": {"name": "Ann", "age": 7}}),
    "many": Kind(of_many, "Guest 3", {"guests": [{"name": "Ann", "age": 7}], "parcel": {"weight": 3}}),
    "many-@tool": Kind(
        langchain_tool(of_many), "Guest 3", {"guests": [{"name": "Ann", "age": 7}], "parcel": {"weight": 3}}
    ),
    "alias": Kind(
        structured(write_letter, args_schema=Letter),
        "ann first",
        {"from": "ann", "class": "first"},
        forged={"from_": "boss", "class_": "first"},
    ),
    "single": Kind(Tool(name="shout", description="Shout.", func=shout), "HEY", {"tool_input": "hey"}),
    "single-async": Kind(
        Tool(name="shout", description="Shout.", func=None, coroutine=ashout), "HEY", {"tool_input": "hey"}
    ),
    "artifact": Kind(
        structured(with_artifact, response_format="content_and_artifact"), "tea", artifact={"rows": [1, 2]}
    ),
    "artifact-@tool": Kind(
        langchain_tool(response_format="content_and_artifact")(with_artifact), "tea", artifact={"rows": [1, 2]}
    ),
    "message": Kind(own_message, "tea", artifact={"rows": [1, 2]}),
    "message-@tool": Kind(langchain_tool(own_message), "tea", artifact={"rows": [1, 2]}),
    "image": Kind(picture, "tea\n[image image/png]", content=[TEXT, IMAGE]),
    "image-@tool": Kind(langchain_tool(picture), "tea\n[image image/png]", content=[TEXT, IMAGE]),
    "image-alone": Kind(picture_alone, "[image image/png]", content=[IMAGE]),
    "image-url": Kind(
        langchain_tool(picture_of_openai), "tea\n[image_url https://example.com/cat.png]", content=[TEXT, OF_OPENAI]
    ),
    "image-and-artifact": Kind(
        structured(picture_with_artifact, response_format="content_and_artifact"),
        "tea\n[image image/png]",
        artifact={"rows": [1, 2]},
        content=[TEXT, IMAGE],
    ),
    "plain-schema": Kind(
        structured(with_call, args_schema=PLAIN_SCHEMA), "tea c1", forged={"tool_call_id": "c9", "state": {}}
    ),
    "runnable": Kind(as_tool(), "tea", forged={"config": {}, "callbacks": []}),
    "retriever": Kind(
        create_retriever_tool(Shelf(), "shelf", "Search.", response_format="content_and_artifact"),
        "tea",
        {"query": "tea"},
        forged={"callbacks": []},
        artifact=[DOCUMENT],
    ),
    "Command": Kind(noting, "tea", facts=GOLD, forged={"tool_call_id": "c9"}),
    "Command-@tool": Kind(langchain_tool(noting), "tea", facts=GOLD, forged={"tool_call_id": "c9"}),
    "Command-plain-data": Kind(langchain_tool(noting_by_runtime), "tea", facts=GOLD, forged={"runtime": {}}),
    "Command-beside-a-message": Kind(anoting, "tea", facts=GOLD),
}


def run(source: Any, arguments: Any, *more: Any, loop: bool = False, risk: str = "read", **options: Any) -> Any:
    """Let a model call a tool once, and return the state at the end, with what the model saw; `RAN` begins anew."""
    RAN.clear()
    spec = tool(source, risk=risk)
    line = {"tool_calls": [{"name": spec.name, "arguments": arguments, "id": "c1"}]}
    model = ScriptedModel(lines=[line, *(more or ["Done."])])
    store = InMemoryStore()
    store.put(("shop",), "open", {"at": 8})
    agent = build_agent(model=model, tools=[spec], checkpointer=InMemorySaver(), store=store, **options)
    given: Any = {"messages": [("user", "Please.")]}
    config: Any = {"configurable": {"thread_id": "t"}}
    context = Context(user_id="ann")
    if loop:
        asyncio.run(agent.ainvoke(given, config, context=context))
    else:
        agent.invoke(given, config, context=context)
    return agent.get_state(config).values | {"seen": model.seen}


def told(state: Any, at: int | None = None) -> ToolMessage:
    """Return the tool message of the one call, or of one of several."""
    messages = [one for one in state["messages"] if isinstance(one, ToolMessage)]
    if at is None:
        (message,) = messages
        return message
    return messages[at]

"""Every kind of tool that LangChain knows, as it is: what runs, what the model can't inject, and what is refused."""

from __future__ import annotations

import asyncio
import sys
import textwrap
from typing import Annotated, Any

import pytest
from langchain_core.messages import ToolMessage
from langchain_core.tools import InjectedToolArg, InjectedToolCallId, Tool, ToolException
from langchain_core.tools import tool as langchain_tool
from langchain_mcp_adapters.client import MultiServerMCPClient
from langgraph.prebuilt import InjectedState
from pydantic import BaseModel, field_validator

from reinforced_agent import ScriptedModel, ToolSpec, build_agent, tool
from reinforced_agent.tools.functions import ToolDefinitionError
from tests.graph.execution.langchain_kinds import (
    IMAGE,
    KINDS,
    PLAIN_SCHEMA,
    RAN,
    UNASKED,
    Kind,
    ashout,
    ran,
    run,
    shout,
    structured,
    told,
    with_call,
    with_requester,
    with_runtime,
    with_state,
    with_store,
)


@pytest.mark.parametrize("loop", [False, True], ids=["sync", "loop"])
@pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)
def test_a_tool_runs_as_langchain_means_it(kind: Kind, loop: bool) -> None:  # noqa: FBT001  # of the table
    """It gets what is filled in, and what it returned stands in the chat, in the state, and before the model."""
    assert {*tool(kind.source).parameters["properties"]} == {*kind.sent}
    state = run(kind.source, kind.sent, loop=loop)
    record = state["calls"]["c1"]
    assert (record["status"], record["result"], len(RAN)) == ("done", kind.result, 1)
    message = told(state)
    assert (message.tool_call_id, message.status, message.name) == ("c1", "success", record["tool"])
    assert message.content == (kind.content or kind.result)
    assert message.artifact == kind.artifact
    assert [one.content for one in state["seen"][1] if isinstance(one, ToolMessage)] == [message.content]
    facts = {name: {"value": one["value"], "from": one["from"]} for name, one in state.get("facts", {}).items()}
    assert facts == kind.facts


FORGED = {name: kind for name, kind in KINDS.items() if kind.forged}


@pytest.mark.parametrize(
    ("kind", "forged"),
    [
        pytest.param(kind, {field: value}, id=f"{name}-{field}")
        for name, kind in FORGED.items()
        for field, value in kind.forged.items()
    ],
)
def test_what_the_model_injects_is_refused(kind: Kind, forged: dict[str, Any]) -> None:
    """A call that brings a value for what is filled in is sent back with its name, and nothing ran."""
    state = run(kind.source, {**kind.sent, **forged})
    record = state["calls"]["c1"]
    assert (record["status"], RAN) == ("revise", [])
    assert all(f"`{name}`" in record["feedback"] for name in forged)


def placed(item: str, /) -> str:
    """Take a value by its place."""
    return ran(item)


def many(*items: str) -> str:
    """Take any number."""
    return ran(*items)


def needs_host(item: str, user_id: Annotated[str, InjectedToolArg]) -> str:
    """Take what only the host has, without a default."""
    return ran(item, user_id)


def needs_part(item: str, mood: Annotated[str, InjectedState("mood")]) -> str:
    """Take a part that the state doesn't have."""
    return ran(item, mood)


def hidden_in_list(items: list[Annotated[str, InjectedToolCallId]]) -> str:
    """Take an id inside a list."""
    return ran(*items)


def underscored(_folder: str = "/") -> str:
    """Wipe."""
    return ran(_folder)


def configured(item: str, config: str = "plain") -> str:
    """Take a parameter whose name LangChain has for itself."""
    return ran(item, config)


def untyped(item, mood):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN201  # of a tool with a plain schema
    """Take more than a schema offers."""
    return ran(item, mood)


REFUSED = {
    "config-as-a-name-@tool": (langchain_tool(configured), "offers `config`, but LangChain puts"),
    "run-manager-in-a-plain-schema": (
        structured(with_call, args_schema={"type": "object", "properties": {"item": {}, "run_manager": {}}}),
        "offers `run_manager`, but LangChain puts",
    ),
    "plain-schema-too-small": (structured(untyped, args_schema=PLAIN_SCHEMA), "takes `mood`, which its schema doesn't"),
    "plain-schema-too-large": (
        structured(with_call, args_schema={"type": "object", "properties": {"item": {}, "mood": {}}}),
        "offers `mood`, which its function doesn't take",
    ),
    "InjectedToolArg-without-default": (needs_host, "takes `user_id` as `InjectedToolArg`"),
    "InjectedToolArg-without-default-@tool": (langchain_tool(needs_host), "takes `user_id` as `InjectedToolArg`"),
    "InjectedState-unknown-part": (needs_part, "the state has no `mood`"),
    "InjectedState-unknown-part-@tool": (langchain_tool(needs_part), "the state has no `mood`"),
    "InjectedToolCallId-inside": (hidden_in_list, "inside `items`"),
    "Runtime-@tool": (langchain_tool(with_runtime), "write `runtime: ToolRuntime`"),
    "Requester-@tool": (langchain_tool(with_requester), r"call `requester\(\)` inside the tool"),
    "single-with-state": (Tool(name="s", description="S.", func=with_state), "in a way that LangChain doesn't fill in"),
    "underscore-@tool": (langchain_tool(underscored), "`_folder`, which its schema doesn't offer"),
    "positional": (placed, "a name of its own"),
    "any-number": (many, "a name of its own"),
    "any-number-@tool": (langchain_tool(many), r"`\*items`, which"),
}


@pytest.mark.parametrize(("source", "said"), REFUSED.values(), ids=REFUSED)
def test_what_is_not_supported_stops_the_build(source: Any, said: str) -> None:
    """Before anything runs, and with what to write instead."""
    with pytest.raises(ToolDefinitionError, match=said):
        build_agent(model=ScriptedModel(lines=[]), tools=[source])


def test_a_tool_that_takes_the_store_needs_one() -> None:
    """The error says how to give it."""
    with pytest.raises(ToolDefinitionError, match=r"build_agent\(store=\.\.\.\)"):
        build_agent(model=ScriptedModel(lines=[]), tools=[langchain_tool(with_store)])


@pytest.mark.parametrize(
    "source",
    [
        pytest.param(tool(with_call, return_direct=True), id="function"),
        pytest.param(langchain_tool(with_call, return_direct=True), id="@tool"),
        pytest.param(Tool(name="shout", description="S.", func=shout, return_direct=True), id="single"),
    ],
)
def test_a_result_that_is_returned_directly_is_the_answer(source: Any) -> None:
    """The turn ends with it: the model isn't asked again."""
    sent = {"tool_input": "tea"} if isinstance(source, Tool) else {"item": "tea"}
    state = run(source, sent, "Never said.")
    assert (state["turn"]["outcome"], len(state["seen"])) == ("returned", 1)
    assert [one.type for one in state["messages"]] == ["human", "ai", "tool", "ai"]
    assert state["messages"][-1].text == state["calls"]["c1"]["result"]


def torn(item: str) -> str:
    """Break."""
    raise ToolException(ran(item, "is torn"))


def direct(*sources: Any) -> list[Any]:
    """Make tools of which each returns its result directly."""
    return [tool(source, risk="read", return_direct=True) for source in sources]


TORN = {"tool_calls": [{"name": "torn", "arguments": {"item": "x"}, "id": "c1"}]}
BOTH = {
    "tool_calls": [
        {"name": "shout", "arguments": {"text": "tea"}, "id": "c1"},
        {"name": "with_call", "arguments": {"item": "milk"}, "id": "c2"},
    ]
}


@pytest.mark.parametrize(
    ("tools", "line", "answer"),
    [
        pytest.param(direct(shout, with_call), BOTH, "TEA\n\nmilk c2", id="all"),
        pytest.param([*direct(shout), tool(with_call, risk="read")], BOTH, "Said.", id="not-all"),
        pytest.param(direct(torn), TORN, "Said.", id="failed"),
    ],
)
def test_a_turn_ends_directly_where_every_call_of_a_message_brought_a_direct_result(
    tools: Any, line: Any, answer: str
) -> None:
    """Otherwise the model goes on, as in LangChain; with a failure it has to."""
    agent = build_agent(model=ScriptedModel(lines=[line, "Said."]), tools=tools)
    assert agent.invoke({"messages": [("user", "Please.")]})["messages"][-1].text == answer


def wrong(error: ToolException) -> str:
    """Say what the model is told of an error."""
    return f"Try again: {error}"


@pytest.mark.parametrize(
    ("handler", "said"),
    [
        pytest.param(False, "ToolException: tea is torn", id="off"),
        pytest.param(True, "ToolException: tea is torn", id="on"),
        pytest.param("The shop is closed.", "ToolException: The shop is closed.", id="text"),
        pytest.param(wrong, "ToolException: Try again: tea is torn", id="function"),
        pytest.param(
            lambda _: [{"type": "text", "text": "Torn."}, IMAGE], "ToolException: Torn.\n[image image/png]", id="blocks"
        ),
    ],
)
@pytest.mark.parametrize("loop", [False, True], ids=["sync", "loop"])
def test_an_error_is_told_as_its_tool_handles_it(handler: Any, said: str, loop: bool) -> None:  # noqa: FBT001
    """It is a failure whatever is said of it, and the operator finds the error itself."""
    state = run(structured(torn, handle_tool_error=handler), {"item": "tea"}, loop=loop)
    record = state["calls"]["c1"]
    assert (record["status"], told(state).status) == ("failed", "error")
    assert said in record["feedback"]
    assert ("is torn" in record["feedback"]) == ("is torn" in said)
    assert "tea is torn" in record["failure"]["traceback"]


class Dated(BaseModel):
    """A day."""

    day: str

    @field_validator("day")
    @classmethod
    def _is_iso(cls, day: str) -> str:
        if "." in day:
            msg = "no ISO date"
            raise ValueError(msg)
        return day


def on_day(day: str) -> str:
    """Look at a day."""
    return ran(day)


@pytest.mark.parametrize(
    ("handler", "said"),
    [
        pytest.param(None, "no ISO date", id="none"),
        pytest.param(True, "no ISO date", id="on"),
        pytest.param("Write days as 2026-12-31.", "Write days as 2026-12-31.", id="text"),
        pytest.param(lambda error: f"{error.error_count()} wrong", "1 wrong", id="function"),
    ],
)
def test_a_wrong_argument_is_told_as_its_tool_handles_it(handler: Any, said: str) -> None:
    """The call is sent back before it runs; what the schema says of a field is said by the field."""
    source = structured(on_day, args_schema=Dated, handle_validation_error=handler)
    record = run(source, {"day": "31.12."})["calls"]["c1"]
    assert (record["status"], RAN) == ("revise", [])
    assert said in record["feedback"]
    assert "`day`" in run(source, {"day": 7.5})["calls"]["c1"]["feedback"]


def odd(_folder: str, model_config: str, model_fields_set: int, schema: str = "s", copy: str = "c") -> str:
    """Take names that Pydantic has for itself."""
    return ran(_folder, model_config, model_fields_set, schema, copy)


def test_no_name_of_a_parameter_gets_lost() -> None:
    """Names with an underscore, and those of Pydantic, are offered, and what is sent arrives."""
    sent = {"_folder": "/home", "model_config": "m", "model_fields_set": 3, "copy": "d"}
    assert [*tool(odd).parameters["properties"]] == ["_folder", "model_config", "model_fields_set", "schema", "copy"]
    assert run(odd, sent)["calls"]["c1"]["result"] == "/home m 3 s d"


def test_a_decorated_function_can_be_called_as_before() -> None:
    """Sync and async, with what would be filled in, and with declarations."""
    decorated, awaited, declared = tool(with_call), tool(ashout), tool(risk="read", timeout=5)(odd)
    assert decorated("tea", tool_call_id="c7") == "tea c7"
    assert asyncio.run(awaited("hey")) == "HEY"
    assert declared.declare(risk="write")("/", "m", 3, copy="x") == "/ m 3 s x"
    with pytest.raises(TypeError, match="pass its arguments to `run`"):
        ToolSpec(name="t", description="", parameters={}, run=str)("x")
    with pytest.raises(TypeError, match="can't be a policy"):
        build_agent(model=ScriptedModel(lines=[]), tools=[], policies=[decorated])


def no_pair(item: str) -> str:
    """Return text alone."""
    return ran(item)


@pytest.mark.parametrize(("risk", "status"), [("read", "failed"), ("write", "done")])
def test_a_tool_that_returns_no_artifact_where_it_declares_one_has_run(risk: str, status: str) -> None:
    """Its result can't be read, which of a write is told as what it is: it ran, and must not be repeated."""
    source = structured(no_pair, response_format="content_and_artifact")
    state = run(source, {"item": "tea"}, risk=risk, approvals=UNASKED)
    assert (state["calls"]["c1"]["status"], len(RAN)) == (status, 1)
    assert ("The call ran" in told(state).text) == (risk == "write")
    assert "can't be read" in told(state).text


SERVER = textwrap.dedent(
    '''
    from mcp.server.fastmcp import FastMCP, Image
    from mcp.types import CallToolResult, TextContent

    server = FastMCP("shop", log_level="ERROR")

    @server.tool()
    def find(item: str, many: int = 1) -> dict[str, int]:
        """Find."""
        return {item: many}

    @server.tool()
    def show(item: str) -> list:
        """Show."""
        return [item, Image(data=bytes.fromhex("89504e47"), format="png")]

    @server.tool()
    def refuse(item: str) -> CallToolResult:
        """Refuse."""
        return CallToolResult(content=[TextContent(type="text", text=f"no {item} today")], isError=True)

    server.run()
    '''
)


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """Load the tools of a real server, over its standard input and output."""
    script = tmp_path_factory.mktemp("mcp") / "server.py"
    script.write_text(SERVER, "utf-8")
    client = MultiServerMCPClient({"shop": {"command": sys.executable, "args": [str(script)], "transport": "stdio"}})
    return {found.name: found for found in asyncio.run(client.get_tools())}


def test_tools_of_a_server_run_as_others(shop: dict[str, Any]) -> None:
    """Structured content stays with the message, pictures go on, errors are failures, and extra fields are refused."""
    found = run(shop["find"], {"item": "tea", "many": 2}, loop=True)
    assert found["calls"]["c1"]["status"] == "done"
    assert told(found).artifact["structured_content"] == {"tea": 2}
    shown = told(run(shop["show"], {"item": "tea"}, loop=True))
    assert [block["type"] for block in shown.content if isinstance(block, dict)] == ["text", "image"]
    refused = run(shop["refuse"], {"item": "tea"}, loop=True)["calls"]["c1"]
    assert (refused["status"], "no tea today" in refused["feedback"]) == ("failed", True)
    assert "`runtime`" in run(shop["find"], {"item": "tea", "runtime": {}}, loop=True)["calls"]["c1"]["feedback"]

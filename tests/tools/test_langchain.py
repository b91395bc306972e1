"""LangChain tools as others make them: with a plain schema, with errors that are returned, with words of a stranger."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from langchain_core.tools import StructuredTool, ToolException

from reinforced_agent import Risk, ScriptedModel, build_agent, tool


SCHEMA = {"type": "object", "properties": {"word": {"type": "string"}}, "required": ["word"]}


def of_a_server(result: Any = "found", **options: Any) -> StructuredTool:
    """Make a tool as the adapter for MCP does: async only, over a plain JSON Schema."""

    async def find(word: str) -> tuple[Any, None]:
        if isinstance(result, Exception):
            raise result
        return result, None

    options = {"name": "find", "description": "Find.", "args_schema": SCHEMA, **options}
    return StructuredTool(coroutine=find, response_format="content_and_artifact", **options)


def run(made: StructuredTool, arguments: Any) -> Any:
    """Let a model call the tool once, and return the record of the call."""
    line = {"tool_calls": [{"name": "find", "arguments": arguments, "id": "c1"}]}
    agent = build_agent(model=ScriptedModel(lines=[line, "Done."]), tools=[tool(made, risk="read")])
    return asyncio.run(agent.ainvoke({"messages": [("user", "Find it.")]}))["calls"]["c1"]


def test_a_tool_with_a_plain_schema_is_checked_and_run() -> None:
    """Its schema is what the model may send: no more, and no less."""
    assert run(of_a_server(), {"word": "milk"})["result"] == "found"
    assert "`word`" in run(of_a_server(), {"wort": "milk"})["feedback"]


@pytest.mark.parametrize(
    ("handled", "said"),
    [(True, "the disk is full"), ("It went wrong.", "It went wrong."), (str, "the disk is full")],
    ids=["flag", "text", "function"],
)
def test_an_error_that_a_tool_would_return_is_a_failure(handled: Any, said: str) -> None:
    """What LangChain would hand over as a result is told as what it is, in the words of the tool's author."""
    record = run(of_a_server(ToolException("the disk is full"), handle_tool_error=handled), {"word": "milk"})
    assert record["status"] == "failed"
    assert said in record["feedback"]


def test_blocks_of_text_are_told_as_text() -> None:
    """The ids of blocks are new every time and say nothing; other blocks stay as they are."""
    texts = [{"type": "text", "text": "milk", "id": "lc_1"}, {"type": "text", "text": "bread", "id": "lc_2"}]
    assert run(of_a_server(texts), {"word": "milk"})["result"] == "milk\nbread"
    mixed = [texts[0], {"type": "image", "url": "http://127.0.0.1/x.png"}]
    assert "x.png" in run(of_a_server(mixed), {"word": "milk"})["result"]


@pytest.mark.parametrize(
    ("metadata", "risk"),
    [
        pytest.param({"risk": "read"}, Risk.READ, id="host"),
        pytest.param({"title": None, "readOnlyHint": True}, Risk.WRITE, id="hint"),
        pytest.param({"title": None, "readOnlyHint": None, "risk": "read"}, Risk.WRITE, id="annotation"),
        pytest.param({"risk": "read", "_meta": {"risk": "read"}}, Risk.WRITE, id="meta"),
        pytest.param({"readOnlyHint": True, "risk": "no risk at all"}, Risk.WRITE, id="nonsense"),
    ],
)
def test_a_server_does_not_say_how_harmless_it_is(metadata: dict[str, Any], risk: Risk) -> None:
    """The risk is what the host declares; what an MCP server writes beside its tools doesn't count."""
    assert tool(of_a_server(metadata=metadata)).risk is risk
    assert tool(of_a_server(metadata=metadata), risk="read").risk is Risk.READ

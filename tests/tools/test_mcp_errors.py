"""Tools of an MCP server: an error that the server reports is a failure of the tool, not a result."""

from __future__ import annotations

import sys
import textwrap
from pathlib import Path

import pytest
from langchain_mcp_adapters.client import MultiServerMCPClient

from reinforced_agent import ScriptedModel, build_agent, tool


SERVER = textwrap.dedent(
    '''
    from mcp.server.fastmcp import FastMCP

    server = FastMCP("weather", log_level="ERROR")

    @server.tool()
    def get_weather(city: str) -> str:
        """Get the weather of a city."""
        raise ValueError(f"there is no station in {city}")

    server.run()
    '''
)


@pytest.mark.asyncio
async def test_an_error_of_the_server_is_a_failure(tmp_path: Path) -> None:
    """The model is told what the server said, and the call counts as failed."""
    script = tmp_path / "server.py"
    script.write_text(SERVER, "utf-8")
    client = MultiServerMCPClient({"weather": {"command": sys.executable, "args": [str(script)], "transport": "stdio"}})
    tools = [tool(found, risk="read") for found in await client.get_tools()]
    asks = {"tool_calls": [{"name": "get_weather", "arguments": {"city": "Oslo"}}]}
    agent = build_agent(model=ScriptedModel(lines=[asks, "It can't be told."]), tools=tools)
    state = await agent.ainvoke({"messages": [("user", "What is the weather in Oslo?")]})
    (record,) = state["calls"].values()
    assert record["status"] == "failed"
    assert "there is no station in Oslo" in record["feedback"]

"""Tools of an MCP server behind the checks: the host says what is harmless, whatever the server says of itself.

Run `.venv/bin/python examples/mcp_tools.py`, after `pip install 'reinforced-agent[mcp]'`; it starts `mcp_server.py`.
A wrong argument goes back with feedback, an error of the server is a failure, and what writes or wipes asks first.
"""

import asyncio
import os
import sys
import tempfile
from pathlib import Path
from typing import Any

from langchain_mcp_adapters.client import MultiServerMCPClient
from langchain_mcp_adapters.tools import load_mcp_tools
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.types import Command

from reinforced_agent import ScriptedModel, ToolSpec, build_agent, tool


HARMLESS = {"find_notes", "read_note"}
"""What this host has looked at and declares as `read`; everything else counts as `write` and asks a person."""

LINES = [
    {"tool_calls": [{"name": "find_notes", "arguments": {"query": "milk"}}]},
    {"tool_calls": [{"name": "find_notes", "arguments": {"word": "milk"}}]},
    {"tool_calls": [{"name": "read_note", "arguments": {"number": 7}}]},
    {"tool_calls": [{"name": "add_note", "arguments": {"text": "buy milk"}}]},
    {"tool_calls": [{"name": "wipe_notes", "arguments": {}}]},
    "The note is there, and nothing was wiped.",
]


def declared(mcp_tool: Any) -> ToolSpec:
    """Take over a tool of the server; what it says about itself is a hint of a stranger, so the risk is set here."""
    return tool(mcp_tool, risk="read" if mcp_tool.name in HARMLESS else "write", untrusted_output=True)


async def main() -> None:
    """Let the model use the notes."""
    notes = Path(tempfile.mkdtemp()) / "notes.txt"
    server = str(Path(__file__).with_name("mcp_server.py"))
    stdio: Any = {"transport": "stdio", "command": sys.executable, "args": [server], "env": {"NOTES_FILE": str(notes)}}
    client = MultiServerMCPClient({"notes": stdio})
    async with client.session("notes") as session:
        # As errors, so that a failure of the server isn't taken for a result.
        found = await load_mcp_tools(session, handle_tool_errors=False)
        model = os.environ.get("REINFORCED_AGENT_MODEL") or ScriptedModel(lines=LINES)
        agent = build_agent(model=model, tools=map(declared, found), checkpointer=InMemorySaver())
        thread: Any = {"configurable": {"thread_id": "notes"}}
        state = await agent.ainvoke({"messages": [("user", "Note: buy milk. Then tidy up.")]}, thread)
        while "__interrupt__" in state:
            question = state["__interrupt__"][0]
            call = question.value["calls"][0]
            decided = "approve" if call["tool"] == "add_note" else "reject"
            print(f"asked about {call['tool']}: {call['reason']} -> {decided}")
            answer = {"decisions": [{"type": decided, "token": call["token"]}]}
            state = await agent.ainvoke(Command(resume={question.id: answer}), thread)
    for record in state["calls"].values():
        print(f"{record['raw_name']}: {record['status']} - {record.get('feedback') or record['result']}")
    print("notes:", notes.read_text(encoding="utf-8").strip())


if __name__ == "__main__":
    asyncio.run(main())

"""Plans over real connections: what a server with and without tool calls is asked, and what its replies come to."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from reinforced_agent import build_agent, tool
from tests.models.text_server import TextServer, running


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[TextServer]:
    """Run a server and point the environment to it."""
    with running() as found:
        monkeypatch.setenv("OPENAI_BASE_URL", found.address)
        monkeypatch.setenv("OPENAI_API_KEY", "made-up")
        yield found


@tool(risk="read")
def get_tide(harbour: str) -> str:
    """Tell the height of the tide."""
    return f"{harbour}: 3.10 m"


STEPS: dict[str, Any] = {
    "steps": [{"id": "1", "tool": "get_tide", "purpose": "look", "arguments": {"harbour": "Brest"}}]
}
CALL: dict[str, Any] = {"name": "get_tide", "arguments": {"harbour": "Brest"}}


def as_json(name: str, arguments: dict[str, Any]) -> str:
    """Write a call as one object."""
    return json.dumps({"name": name, "arguments": arguments})


def as_react(name: str, arguments: dict[str, Any]) -> str:
    """Write a call as lines."""
    return f"Thought: I plan.\nAction: {name}\nAction Input: {json.dumps(arguments)}"


FORMS = [
    pytest.param("openai:m+json", as_json("propose_plan", STEPS), as_json(**CALL), id="json"),
    pytest.param("openai:m+json", json.dumps(STEPS), as_json(**CALL), id="json-alone"),
    pytest.param("openai:m+react", as_react("propose_plan", STEPS), as_react(**CALL), id="react"),
    pytest.param("completion:m", as_json("propose_plan", STEPS), as_json(**CALL), id="completion"),
]


@pytest.mark.parametrize(("spec", "plan", "call"), FORMS)
def test_a_model_without_tool_calls_plans(server: TextServer, spec: str, plan: str, call: str) -> None:
    """The server is told the plan tool and the tools by name, and its text is the plan; streaming changes nothing."""
    end = "Thought: I know.\nFinal Answer: 3.10 m." if "react" in spec else "3.10 m."
    server.replies = [plan, call, end]
    agent = build_agent(model=spec, tools=[get_tide], planning="always")
    parts = list(agent.stream({"messages": [("user", "How high is the tide?")]}, stream_mode=["values", "messages"]))
    state: Any = [part for mode, part in parts if mode == "values"][-1]
    assert "propose_plan" in server.prompt(0)
    assert "get_tide(harbour)" in server.prompt(0)
    assert "propose_plan" not in server.prompt(1)
    assert [call["tool"] for call in state["calls"].values()] == ["get_tide"]
    assert state["turn"]["planning"]["phase"] == "following"
    assert state["turn"]["spoken"][0]["input_tokens"] == 7

"""A small shop whose tools the tests of rules share, and ways to put a rule to a call."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from reinforced_agent.policies.situation import PastCall, Situation
from reinforced_agent.policies.verdicts import Accept, Ask, Refuse, Revise, Verdict
from reinforced_agent.tools.call import JSON, Call
from reinforced_agent.tools.spec import ToolSpec


def spec(name: str, **properties: Mapping[str, Any]) -> ToolSpec:
    """Describe a tool."""
    return ToolSpec(name=name, description=name, parameters={"type": "object", "properties": properties})


TEXT = {"type": "string"}
NUMBER = {"type": "number"}
PARTS = {"type": "array", "items": {"type": "object", "properties": {"amount": NUMBER, "file": TEXT}}}

LOGIN = spec("login", email=TEXT)
SEARCH = spec("search", query=TEXT, limit={"type": "integer"})
ADD = spec("add_to_cart", item=TEXT)
PAY = spec("pay", amount=NUMBER, currency=TEXT, order=TEXT, parts=PARTS)
READ = spec("read_file", file=TEXT)
TOOLS = {tool.name: tool for tool in (LOGIN, SEARCH, ADD, PAY, READ)}


def past(tool: str, result: str = "{}", status: str = "done") -> PastCall:
    """Make a call that has come back."""
    return PastCall(tool, "", status, result, changes=tool == "pay")


def judged(
    layer: Callable[[Call, Situation], Verdict], tool: str, arguments: Mapping[str, JSON], **known: Any
) -> Verdict:
    """Put a call to a rule."""
    return layer(Call("c1", tool, arguments), Situation(spec=TOOLS[tool], **known))


def objects(verdict: Verdict) -> bool:
    """Tell whether a verdict objects."""
    assert isinstance(verdict, Accept | Ask | Refuse | Revise)
    return not isinstance(verdict, Accept)


def message(verdict: Verdict) -> str:
    """Return what the model is told by a verdict that has to object."""
    assert not isinstance(verdict, Accept), "the rule has nothing to object to"
    return verdict.message

"""Masks with the real weights: what can't be written, and what is compiled once."""

import itertools
import os
from typing import Any

import jsonschema_rs
from langchain_core.messages import AIMessage

from reinforced_agent.models.local import LocalChatModel


GENERATIONS = int(os.environ.get("REINFORCED_AGENT_GENERATIONS", "6"))
"""How many masked replies are looked at; 500 take a minute on an idle machine."""
_KINDS = ({"type": "string"}, {"type": "integer"}, {"enum": ["low", "high"]}, {"type": "boolean"}, {"type": "number"})
_THINGS = ("river", "engine", "garden", "ticket", "invoice")
_REQUESTS = (
    "Set the {} to 17 for Ida",
    "What of the {} in Oslo?",
    "{}{}{}",
    'call `drop_all` with {{"x": "{}"}}',
    "{} 东京",
)


def toolset(size: int) -> list[dict[str, Any]]:
    """Return tools with one or two fields of every kind."""
    return [
        {
            "type": "function",
            "function": {
                "name": f"set_{_THINGS[n % 5]}_{n}",
                "description": f"Set the {_THINGS[n % 5]} number {n}",
                "parameters": {
                    "type": "object",
                    "properties": {"value": _KINDS[n % 5], "note": {"type": "string", "maxLength": 12}},
                    "required": ["value"],
                    "additionalProperties": False,
                },
            },
        }
        for n in range(size)
    ]


def test_only_registered_tools_with_valid_arguments(model: LocalChatModel) -> None:
    """Whatever is asked, a masked call names a registered tool and fits its schema."""
    tools = toolset(5)
    schemas = {tool["function"]["name"]: tool["function"]["parameters"] for tool in tools}
    bound = model.afresh().bind_tools(tools, tool_choice="any")
    asked = itertools.cycle(itertools.product(_REQUESTS, _THINGS))
    for pattern, thing in itertools.islice(asked, GENERATIONS):
        reply = bound.invoke(pattern.format(*[thing] * 3))
        assert isinstance(reply, AIMessage)
        assert reply.tool_calls or reply.invalid_tool_calls
        for call in reply.tool_calls:
            assert jsonschema_rs.is_valid(schemas[call["name"]], call["args"])


def test_grammars_are_compiled_once(model: LocalChatModel) -> None:
    """With a hundred tools only the grammars of the called one are compiled, and only the first time."""
    bound = model.afresh().bind_tools(toolset(100), tool_choice="set_garden_2")
    before = model.engine.grammars_compiled
    bound.invoke("Set the garden number 2 to high")
    compiled = model.engine.grammars_compiled - before
    assert compiled <= len(_KINDS)
    bound.invoke("Set the garden number 2 to 'low'")
    assert model.engine.grammars_compiled - before == compiled

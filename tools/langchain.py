"""Take LangChain tools as they are; what LangChain doesn't know, such as the risk, is declared beside them."""

from __future__ import annotations

from typing import Any

from langchain_core.tools import BaseTool
from pydantic import BaseModel

from reinforced_agent.tools.functions import ToolDefinitionError, refuse_key_field
from reinforced_agent.tools.spec import Arguments, Risk, ToolSpec


def spec_from_langchain(tool: BaseTool, **declared: Any) -> ToolSpec:
    """Describe a LangChain tool.

    Args:
        tool: Any `BaseTool`; `tool.metadata["risk"]`, if present, is its risk.
        **declared: Fields of `ToolSpec`; they win over what the tool says.

    Raises:
        ToolDefinitionError: When the tool takes injected arguments; inside it, `idempotency_key()` tells the key.

    """
    _refuse_injected(tool)
    schema = tool.tool_call_schema
    model = schema if isinstance(schema, type) and issubclass(schema, BaseModel) else None
    read: dict[str, Any] = {
        "name": tool.name,
        "description": tool.description,
        "parameters": _parameters(schema),
        "risk": Risk((tool.metadata or {}).get("risk", Risk.WRITE)),
        "validate": model.model_validate if model else None,
    }
    return ToolSpec(**read | _runners(tool) | declared)


def _refuse_injected(tool: BaseTool) -> None:
    """Refuse a tool that waits for values of LangGraph's own tool node, which doesn't run it here.

    Raises:
        ToolDefinitionError: Naming the arguments.

    """
    model: Any = tool.get_input_schema()
    if isinstance(model, type) and issubclass(model, BaseModel):
        refuse_key_field(model, "call `idempotency_key()` inside the tool")
    injected = sorted(set(getattr(model, "model_fields", tool.args)) - set(tool.args))
    if injected:
        msg = f"The tool {tool.name!r} takes injected arguments ({', '.join(injected)}): wrap it in a plain function."
        raise ToolDefinitionError(msg)


def _parameters(schema: Any) -> dict[str, Any]:
    """Return the JSON Schema of what the model may send; injected arguments are not part of it."""
    if not isinstance(schema, type):
        return dict(schema)
    model: Any = schema
    # LangChain still accepts models of the first Pydantic.
    found: dict[str, Any] = model.model_json_schema() if issubclass(schema, BaseModel) else model.schema()
    return found


def _runners(tool: BaseTool) -> dict[str, Any]:
    """Keep a tool that is only async away from the thread it can't run on."""

    def run(arguments: Arguments) -> Any:
        return tool.invoke(dict(arguments))

    async def arun(arguments: Arguments) -> Any:
        return await tool.ainvoke(dict(arguments))

    only_async = getattr(tool, "func", run) is None
    return {"arun": arun} if only_async else {"run": run, "arun": arun}

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
        tool: Any `BaseTool`; `tool.metadata["risk"]`, if present, is its risk, unless an MCP server wrote the metadata.
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
        "risk": _risk_of(tool),
        "validate": model.model_validate if model else None,
    }
    return ToolSpec(**read | _runners(tool) | declared)


def _risk_of(tool: BaseTool) -> Risk:
    """Return the risk that the host declared; what an MCP server says about its own tools doesn't count."""
    metadata = tool.metadata or {}
    # The adapter for MCP puts a server's annotations there, in which any further field may stand.
    of_a_server = "readOnlyHint" in metadata or "_meta" in metadata
    return Risk.WRITE if of_a_server else Risk(metadata.get("risk", Risk.WRITE))


def _refuse_injected(tool: BaseTool) -> None:
    """Refuse a tool that waits for values of LangGraph's own tool node, which doesn't run it here.

    Raises:
        ToolDefinitionError: Naming the arguments.

    """
    if isinstance(tool.args_schema, dict):
        return  # a plain schema names what the model sends, and nothing else
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
    """Keep a tool that is only async away from the thread it can't run on; its errors are raised, not returned."""
    raising = tool.model_copy(update={"handle_tool_error": False, "handle_validation_error": False})

    def run(arguments: Arguments) -> Any:
        return _plain(raising.invoke(dict(arguments)))

    async def arun(arguments: Arguments) -> Any:
        return _plain(await raising.ainvoke(dict(arguments)))

    only_async = getattr(tool, "func", run) is None
    return {"arun": arun} if only_async else {"run": run, "arun": arun}


def _plain(result: Any) -> Any:
    """Return the text of a result that is made of blocks of text, whose random ids say nothing."""
    blocks = result if isinstance(result, list) else []
    texts = [block["text"] for block in blocks if isinstance(block, dict) and block.get("type") == "text"]
    return "\n".join(texts) if texts and len(texts) == len(blocks) else result

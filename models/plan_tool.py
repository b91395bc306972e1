"""Hand the plan tool, and nothing else, to a chat model."""

from __future__ import annotations

from typing import Any

from langchain_core.language_models import BaseChatModel

from reinforced_agent.models.binding import bind_tools
from reinforced_agent.tools.spec import ToolSpec


def can_plan(model: BaseChatModel) -> bool:
    """Tell whether a model can be asked for plans; one around another model can what that one can."""
    inner = getattr(model, "inner", None)
    return bool(getattr(model, "makes_plans", True)) and (not isinstance(inner, BaseChatModel) or can_plan(inner))


def bind_plan(model: BaseChatModel, spec: ToolSpec) -> Any:
    """Bind the tool through which a plan is handed in; whether to use it is left to the model, as servers differ."""
    return bind_tools(model, [spec])

"""The parameters of tools as schemas: read in every dialect, closed, compiled once, and explained."""

from __future__ import annotations

from reinforced_agent.policies.schema.compiled import CompiledTool
from reinforced_agent.policies.schema.dialect import ToolSchemaError


__all__ = ["CompiledTool", "ToolSchemaError"]

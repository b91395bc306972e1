"""A ready graph for LangGraph Studio: the demo tools, a default model, and no checkpointer, which the server brings."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from reinforced_agent.graph.build import build_agent
from reinforced_agent.graph.entry import Agent
from reinforced_agent.models.factory import resolve_model
from reinforced_agent.tools.demo import demo_toolset


def make_graph() -> Agent:
    """Build the graph that Studio shows; its model is named by `REINFORCED_AGENT_MODEL`, by default the embedded one.

    Raises:
        ModelSpecError: When the variable names no model.
        ModelUnavailableError: When the embedded model's packages or weights are missing.

    """
    folder = Path(tempfile.gettempdir()) / "reinforced-agent-demo"
    model = resolve_model(os.environ.get("REINFORCED_AGENT_MODEL", "local"))
    return build_agent(model=model, tools=demo_toolset(folder).values(), positional_answers=True)

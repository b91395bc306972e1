"""A ready graph for LangGraph Studio: the demo tools, a default model, and no checkpointer, which the server brings."""

from __future__ import annotations

import asyncio
import os
import tempfile
import threading
from functools import cache
from pathlib import Path

from langchain_core.language_models import BaseChatModel

from reinforced_agent.graph.agent import Agent
from reinforced_agent.graph.build import build_agent
from reinforced_agent.graph.records.logs import masking_logger
from reinforced_agent.ledger import Ledger
from reinforced_agent.models.factory import ModelSpecError, resolve_model
from reinforced_agent.models.local import ModelUnavailableError
from reinforced_agent.models.scripted import ScriptedModel, ScriptError
from reinforced_agent.service.settings import use_mask_key
from reinforced_agent.tools.demo import demo_toolset


logger = masking_logger(__name__)

_building = threading.Lock()


async def make_graph() -> Agent:
    """Return the graph that Studio shows.

    The server asks for it with every request, from its event loop: it is built once, on a thread. The model is named
    by `REINFORCED_AGENT_MODEL`, by default the embedded one; where it can't be loaded, the graph can still be looked
    at, and every message is answered with what to install or to set.
    """
    return await asyncio.to_thread(_the_graph)


def _the_graph() -> Agent:
    """Return the one graph; requests that come while it is built wait for it."""
    with _building:
        return build_once()


@cache
def build_once() -> Agent:
    """Build the graph from the environment."""
    use_mask_key(os.environ.get("REINFORCED_AGENT_MASK_KEY") or "")
    folder = os.environ.get("REINFORCED_AGENT_FOLDER") or Path(tempfile.gettempdir()) / "reinforced-agent-demo"
    tools = demo_toolset(Path(folder)).values()
    database = os.environ.get("REINFORCED_AGENT_DATABASE")
    namespace = os.environ.get("REINFORCED_AGENT_NAMESPACE") or ""
    ledger = Ledger.open(database, namespace=namespace) if database else None
    strategy = os.environ.get("REINFORCED_AGENT_STRATEGY") or "retry"
    return build_agent(model=_model(), tools=tools, ledger=ledger, strategy=strategy, positional_answers=True)


def _model() -> BaseChatModel:
    """Return the model of the environment, or one that says why there is none."""
    try:
        return resolve_model(
            os.environ.get("REINFORCED_AGENT_MODEL") or "local",
            locale=os.environ.get("REINFORCED_AGENT_LOCALE") or "en",
        )
    except (ModelSpecError, ModelUnavailableError, ScriptError) as error:
        logger.warning("The graph has no model: %s", error)
        return ScriptedModel(
            lines=[f"I have no model to think with. {error} Then start the server again."], repeat_last=True
        )

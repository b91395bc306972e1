"""A node with two doors: one for callers that wait, one for callers in an event loop."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from langchain_core.runnables import Runnable, RunnableConfig, ensure_config


class Twofold(Runnable[Any, Any]):
    """Runs the sync form of a node under `invoke` and the async form under `ainvoke`."""

    def __init__(self, wait: Callable[..., Any], hurry: Callable[..., Awaitable[Any]]) -> None:
        """Pair two forms of one node that differ only in how they wait."""
        self._wait = wait
        self._hurry = hurry

    def invoke(self, input: Any, config: RunnableConfig | None = None, **kwargs: Any) -> Any:  # noqa: A002
        """Run the sync form."""
        return self._wait(input, ensure_config(config), **kwargs)

    async def ainvoke(self, input: Any, config: RunnableConfig | None = None, **kwargs: Any) -> Any:  # noqa: A002
        """Run the async form."""
        return await self._hurry(input, ensure_config(config), **kwargs)

"""Connections of a model that is used from several event loops, one after the other or at once."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from typing import Any, TypeAlias
from weakref import WeakKeyDictionary

import openai


_Kept: TypeAlias = AsyncGenerator[openai.DefaultAsyncHttpxClient, None]


class LoopBoundClient(openai.DefaultAsyncHttpxClient):
    """An HTTP client that keeps connections for each event loop apart, and closes them at the end of the loop.

    A connection belongs to the loop it was opened in. A client that is kept with the model would, in the second
    `asyncio.run` of a script, take up one of a loop that is closed, and fail with "Event loop is closed".
    """

    def __init__(self) -> None:
        """Make a client; connections are opened when they are needed."""
        super().__init__()
        self._by_loop: WeakKeyDictionary[asyncio.AbstractEventLoop, tuple[openai.DefaultAsyncHttpxClient, _Kept]] = (
            WeakKeyDictionary()
        )

    async def send(self, request: Any, **options: Any) -> Any:
        """Send a request over the connections of the running loop."""
        loop = asyncio.get_running_loop()
        found = self._by_loop.get(loop)
        if found is None:
            client = openai.DefaultAsyncHttpxClient()
            kept = _until_the_loop_ends(client)
            # Put down before the first await, so that requests side by side share it.
            found = self._by_loop[loop] = client, kept
            await anext(kept)
        return await found[0].send(request, **options)


async def _until_the_loop_ends(client: openai.DefaultAsyncHttpxClient) -> _Kept:
    """Keep a client open; `asyncio.run` closes generators that are still open before it closes the loop."""
    try:
        yield client
    finally:
        await client.aclose()

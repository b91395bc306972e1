"""Connections of a model: used from several event loops, and given up when a reply is late."""

from __future__ import annotations

import asyncio
import atexit
import time
from collections.abc import AsyncGenerator
from functools import cache
from typing import Any, TypeAlias
from weakref import WeakKeyDictionary

import openai


_Kept: TypeAlias = AsyncGenerator[openai.DefaultAsyncHttpxClient, None]


class BoundedClient(openai.DefaultHttpxClient):
    """An HTTP client whose time-out bounds a whole reply; the usual one starts anew with every byte that comes."""

    def send(self, request: Any, *, stream: bool = False, **options: Any) -> Any:
        """Send a request; a reply that isn't streamed is read within the time-out.

        Raises:
            openai.APITimeoutError: When it takes longer, although bytes of it go on coming.

        """
        seconds = _seconds(request)
        if stream or seconds is None:
            return super().send(request, stream=stream, **options)
        ends = time.monotonic() + seconds
        response = super().send(request, stream=True, **options)
        try:
            parts = []
            for part in response.iter_raw():
                parts.append(part)
                if time.monotonic() > ends:
                    raise openai.APITimeoutError(request=request)
        finally:
            response.close()
        return type(response)(
            response.status_code,
            headers=response.headers,
            content=b"".join(parts),
            request=response.request,
            extensions=response.extensions,
        )


@cache
def bounded_client() -> BoundedClient:
    """Return the client that all models share outside event loops; its connections live as long as the process."""
    client = BoundedClient()
    atexit.register(client.close)
    return client


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

    async def send(self, request: Any, *, stream: bool = False, **options: Any) -> Any:
        """Send a request over the connections of the running loop; see `BoundedClient` for its time-out.

        Raises:
            openai.APITimeoutError: When a reply that isn't streamed takes longer than that.

        """
        loop = asyncio.get_running_loop()
        found = self._by_loop.get(loop)
        if found is None:
            client = openai.DefaultAsyncHttpxClient()
            kept = _until_the_loop_ends(client)
            # Put down before the first await, so that requests side by side share it.
            found = self._by_loop[loop] = client, kept
            await anext(kept)
        try:
            async with asyncio.timeout(None if stream else _seconds(request)) as deadline:
                return await found[0].send(request, stream=stream, **options)
        except TimeoutError as error:
            if not deadline.expired():
                raise
            raise openai.APITimeoutError(request=request) from error


async def _until_the_loop_ends(client: openai.DefaultAsyncHttpxClient) -> _Kept:
    """Keep a client open; `asyncio.run` closes generators that are still open before it closes the loop."""
    try:
        yield client
    finally:
        await client.aclose()


def _seconds(request: Any) -> float | None:
    """Return the time-out of a request."""
    seconds = (request.extensions.get("timeout") or {}).get("read")
    return seconds if isinstance(seconds, int | float) else None

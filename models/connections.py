"""Connections of a model: for several event loops, one after the other or at once, and for errors told as they are."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from typing import Any, Final, TypeAlias
from weakref import WeakKeyDictionary

import openai

from reinforced_agent.models.error_evidence import STATUS_THAT_CAME
from reinforced_agent.models.errors import fault_of


_Kept: TypeAlias = AsyncGenerator[openai.DefaultAsyncHttpxClient, None]


_PAUSED: Final = frozenset({429, 503})
"""Statuses that come with a time to wait, or because nothing is paid for."""


_REPLIES: Final = ("{", "[", "data:", "event:", "id:", "retry:", ":")
"""How JSON and server-sent events begin."""


class Client(openai.DefaultHttpxClient):
    """An HTTP client that lets who waits for the run decide about waiting, and takes no page for an answer."""

    def send(self, request: Any, **options: Any) -> Any:
        """Send a request."""
        response = super().send(request, **options)
        if _is_looked_at(response):
            response.read()
        return _told(response)

    def __del__(self) -> None:
        """Close the connections with the model, as the client of OpenAI does with its own."""
        if not self.is_closed:
            self.close()


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
        response = await found[0].send(request, **options)
        if _is_looked_at(response):
            await response.aread()
        return _told(response)


async def _until_the_loop_ends(client: openai.DefaultAsyncHttpxClient) -> _Kept:
    """Keep a client open; `asyncio.run` closes generators that are still open before it closes the loop."""
    try:
        yield client
    finally:
        await client.aclose()


def _is_looked_at(response: Any) -> bool:
    """Tell whether the body says more than the status; that of a stream is left to who reads it."""
    if response.is_success:
        kind = response.headers.get("content-type", "").lower()
        return "text/html" in kind or ("content-length" in response.headers and "event-stream" not in kind)
    return response.status_code in _PAUSED


def _is_page(response: Any) -> bool:
    """Tell whether something else than a reply came with a status of success: the client of OpenAI takes it for one."""
    body = response.text.lstrip("\ufeff \t\r\n")
    return bool(response.is_success and body and not body.startswith(_REPLIES))


class _AnswerError(Exception):
    """An answer that is looked at as the error that it will become."""

    def __init__(self, response: Any) -> None:
        """Take the answer, which has been read."""
        super().__init__()
        self.response = response
        try:
            self.body = response.json()
        except ValueError:
            self.body = None


def _told(response: Any) -> Any:
    """Tell the client of OpenAI what it can't know: by a header, as its provider would.

    Trying again at once is no use where nothing is paid for. Where a time to wait is named, whoever waits for the run
    knows whether that is in time; the client would sleep past its end. And a page is no reply.
    """
    if not _is_looked_at(response):
        return response
    if _is_page(response):
        response.extensions[STATUS_THAT_CAME] = response.status_code
        response.status_code = 502
        response.headers["x-should-retry"] = "false"
    elif response.status_code in _PAUSED:
        fault = fault_of(_AnswerError(response))
        if fault.kind == "credit" or fault.retry_after is not None:
            response.headers["x-should-retry"] = "false"
    return response

"""Make requests to an OpenAI-compatible server: within one time-out, tried again only where that may help.

The client of OpenAI waits three times as long as it is told to, since it tries again after a time-out: a reply that
takes long would be paid for three times and never be read. Here the time-out bounds all attempts together, and what is
tried again are connections that were refused or dropped, and statuses by which a server asks for it without a time.
"""

from __future__ import annotations

import random
import time
from collections.abc import Awaitable, Callable, Iterator, Mapping
from typing import Any, Final, TypeVar

import openai
from tenacity import AsyncRetrying, RetryCallState, Retrying, retry_if_exception, stop_after_attempt, stop_before_delay

from reinforced_agent.models.errors import fault_of
from reinforced_agent.models.wire import AsyncShapedStream, JSONObject, ShapedStream, body_of, checked, unreadable


T = TypeVar("T")

_ASKING: Final = frozenset({408, 409, 429})
"""Statuses by which a server asks to be tried again, beside those of its own trouble from 500 on."""
_FIRST_DELAY: Final = 0.5
_LONGEST_DELAY: Final = 8.0
"""Seconds between attempts where the server names none."""
_SHORTEST: Final = 0.001
"""Seconds of an attempt for which no time is left."""
_COUNTING: Final = "stream_options"
"""Field that asks for the count of tokens at the end of a stream; older servers refuse it."""


class Raw:
    """A response whose body is read by `wire`."""

    def __init__(self, raw: Any, read: Callable[[], Any]) -> None:
        """Put another way to read it around a response."""
        self._raw = raw
        self._read = read

    def parse(self) -> Any:
        """Read the body."""
        return self._read()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._raw, name)


class _Requests:
    """What requests in and outside an event loop have in common."""

    def __init__(self, completions: Any, *, retries: int, seconds: float | None) -> None:
        """Make requests through a resource of a client that doesn't try again by itself.

        Args:
            completions: The `chat.completions` of the client.
            retries: How often a request is made again.
            seconds: How long one may take where it doesn't say so itself; `None` for what the client was told.

        """
        self._completions = completions
        self._retries = retries
        self._seconds = seconds
        self._counts = True

    def __getattr__(self, name: str) -> Any:
        return getattr(self._completions, name)

    def _policy(self, payload: Mapping[str, Any]) -> dict[str, Any]:
        stop: Any = stop_after_attempt(self._retries + 1)
        if (seconds := self._bound(payload)) is not None:
            stop |= stop_before_delay(seconds)
        return {"stop": stop, "wait": _delay, "retry": retry_if_exception(may_pass), "reraise": True}

    def _bound(self, payload: Mapping[str, Any]) -> float | None:
        """Return the seconds that a request may take; `None` where it has no bound, or one for each phase."""
        given = payload.get("timeout", self._seconds)
        return float(given) if isinstance(given, int | float) and not isinstance(given, bool) else None

    def _attempts(self, payload: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
        """Yield what each attempt sends, with the time that is left; pieces of a stream may each take all of it."""
        sent = dict(payload) if self._counts else {name: one for name, one in payload.items() if name != _COUNTING}
        seconds, started = self._bound(payload), time.monotonic()
        yield sent if seconds is None else {**sent, "timeout": seconds}
        while True:
            left = None if seconds is None else max(seconds - (time.monotonic() - started), _SHORTEST)
            yield sent if left is None else {**sent, "timeout": seconds if payload.get("stream") else left}

    def _told(self, error: openai.APIError, payload: Mapping[str, Any]) -> Exception | None:
        """Return what to raise for an error; `None` where the request is to be made without what was refused."""
        if isinstance(error, openai.BadRequestError) and _COUNTING in payload and _COUNTING in str(error):
            if self._counts:
                self._counts = False
                return None
            return error
        if isinstance(error, openai.APIStatusError):
            return unreadable(error) or error
        return error


class Requests(_Requests):
    """Requests outside an event loop, in place of the client's `chat.completions`."""

    def create(self, **payload: Any) -> Any:
        """Make a request; a stream comes as `ShapedStream`.

        Raises:
            UnreadableReplyError: When a proxy, or anything that writes no JSON, refused it.
            openai.APIError: When the server can't be reached, refuses it, or says nothing in time.

        """
        made = self._made(self._completions.create, payload)
        return ShapedStream(made) if payload.get("stream") else made

    @property
    def with_raw_response(self) -> Any:
        """Make requests whose responses are to be read later."""
        return _Under(self._raw)

    def _raw(self, **payload: Any) -> Raw:
        raw = self._made(self._completions.with_raw_response.create, payload)
        return Raw(
            raw, (lambda: ShapedStream(raw.parse())) if payload.get("stream") else lambda: body_of(raw.http_response)
        )

    def _made(self, make: Callable[..., Any], payload: Mapping[str, Any]) -> Any:
        attempts = self._attempts(payload)
        try:
            return Retrying(**self._policy(payload))(lambda: make(**next(attempts)))
        except openai.APIError as error:
            told = self._told(error, payload)
            if told is error:
                raise
            if told is not None:
                raise told from error
        return self._made(make, payload)


class AsyncRequests(_Requests):
    """Requests in an event loop; see `Requests`."""

    async def create(self, **payload: Any) -> Any:
        """Make a request; a stream comes as `AsyncShapedStream`."""
        made = await self._made(self._completions.create, payload)
        return AsyncShapedStream(made) if payload.get("stream") else made

    @property
    def with_raw_response(self) -> Any:
        """Make requests whose responses are to be read later."""
        return _Under(self._raw)

    async def _raw(self, **payload: Any) -> Raw:
        raw = await self._made(self._completions.with_raw_response.create, payload)
        return Raw(
            raw,
            (lambda: AsyncShapedStream(raw.parse())) if payload.get("stream") else lambda: body_of(raw.http_response),
        )

    async def _made(self, make: Callable[..., Awaitable[Any]], payload: Mapping[str, Any]) -> Any:
        attempts = self._attempts(payload)

        async def attempt() -> Any:
            return await make(**next(attempts))

        try:
            return await AsyncRetrying(**self._policy(payload))(attempt)
        except openai.APIError as error:
            told = self._told(error, payload)
            if told is error:
                raise
            if told is not None:
                raise told from error
        return await self._made(make, payload)


class Completions(Requests):
    """Requests outside an event loop, in place of the client's `completions`."""

    def create(self, **payload: Any) -> Any:
        """Make a request, and return the body as it came."""
        return _completed(self._made(self._completions.with_raw_response.create, payload))


class AsyncCompletions(AsyncRequests):
    """Requests in an event loop, in place of the client's `completions`."""

    async def create(self, **payload: Any) -> Any:
        """Make a request, and return the body as it came."""
        return _completed(await self._made(self._completions.with_raw_response.create, payload))


def _completed(raw: Any) -> JSONObject:
    """Read the body of a completion; LangChain takes none in which the count of tokens is missing."""
    body = checked(raw.http_response, "text")
    return {**body, "usage": body.get("usage") or {}}


class _Under:
    """Something with a `create`."""

    def __init__(self, create: Callable[..., Any]) -> None:
        self.create = create


def may_pass(error: BaseException) -> bool:
    """Tell whether a request that failed like this is worth being made again at once."""
    if isinstance(error, openai.APIStatusError):
        asked = error.response.headers.get("x-should-retry")
        if asked in ("true", "false"):
            return bool(asked == "true")
        asking = error.status_code in _ASKING or error.status_code >= 500  # noqa: PLR2004  # the server's own trouble
        fault = fault_of(error)
        # Where a time is named, whoever waits for the run knows whether that is in time.
        return asking and not fault.permanent and fault.retry_after is None
    dropped = isinstance(error, openai.APIConnectionError) and not isinstance(error, openai.APITimeoutError)
    return dropped and not fault_of(error).permanent


def _delay(state: RetryCallState) -> float:
    """Wait longer after every attempt."""
    longest = min(_FIRST_DELAY * 2.0 ** (state.attempt_number - 1), _LONGEST_DELAY)
    spread: float = random.uniform(0.75, 1.0)  # noqa: S311  # spreads requests, guards nothing
    return longest * spread

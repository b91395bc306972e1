"""Wait for a model no longer than there is time: a request that hangs is left behind on a thread of its own."""

from __future__ import annotations

import asyncio
import contextvars
import math
import sys
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from functools import partial
from typing import Any, Final, TypeVar

from langchain_core.callbacks import BaseCallbackHandler, BaseCallbackManager
from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage
from langchain_core.runnables import RunnableConfig
from langchain_core.tracers._streaming import _StreamingCallbackHandler

from reinforced_agent.models.binding import innermost, parts
from reinforced_agent.models.daemon_threads import start
from reinforced_agent.models.errors import fault_of
from reinforced_agent.models.streaming import Hear, atake, handlers_of, take


T = TypeVar("T")

MOST_LEFT_BEHIND: Final = 64
"""Requests of a process that may hang, left behind by who waited for them, before no more are made."""
_PATIENCE: Final = 600.0
"""Seconds that a client of OpenAI waits for each attempt where nothing else was said."""

MOST_PAUSES: Final = 3
"""How often one request is made again because its provider named a time to wait."""
_LONGEST_PAUSE: Final = 60.0
"""Seconds that such a time may have where the run has no end."""

LATE: Final = "the model gave no answer in time"


class ModelTimeoutError(TimeoutError):
    """The model gave no answer in the time that was left."""


class ModelBusyError(RuntimeError):
    """Too many requests hang already, so another one was not made."""


class _LeftBehindError(BaseException):
    """Ends a request that nobody waits for any more; LangChain logs no exception of this kind."""


class _Hanging:
    """Counts the requests that nobody waits for any more and that are still under way."""

    def __init__(self) -> None:
        """Count from nothing."""
        self._lock = threading.Lock()
        self._count = 0

    def check(self) -> None:
        """Let no more be made where many hang: they would hang as well, each on a thread.

        Raises:
            ModelBusyError: When that is so.

        """
        if self._count >= MOST_LEFT_BEHIND:
            msg = f"{self._count} earlier requests to models still hang, so this one was not made: try again later."
            raise ModelBusyError(msg)

    def add(self, request: Future[Any]) -> None:
        """Count a request until it ends."""
        self._change(1)
        request.add_done_callback(lambda _: self._change(-1))

    @property
    def count(self) -> int:
        """How many there are now."""
        return self._count

    def _change(self, by: int) -> None:
        with self._lock:
            self._count += by


_HANGING: Final = _Hanging()


def hanging() -> int:
    """Return how many requests of this process hang, left behind by who waited for them."""
    return _HANGING.count


def begin(work: Callable[[], T]) -> Future[T]:
    """Start a request on a daemon thread, in a copy of the present context.

    Raises:
        ModelBusyError: When too many hang already.

    """
    _HANGING.check()
    request: Future[T] = Future()

    def run() -> None:
        try:
            request.set_result(work())
        except BaseException as error:  # noqa: BLE001  # handed over to the thread that waits
            request.set_exception(error)

    start(partial(contextvars.copy_context().run, run))
    return request


def leave(requests: Sequence[Future[Any]]) -> None:
    """Stop waiting for requests; those that are still under way count as hanging until they end."""
    for request in requests:
        if not request.done():
            _HANGING.add(request)


def within(seconds: float | None, work: Callable[[], T]) -> T:
    """Do a piece of work that can't be stopped, and wait for it no longer than a time; `None` waits for ever.

    Raises:
        ModelTimeoutError: When the time is over.
        ModelBusyError: When too many requests hang already.
        Exception: What the work raises.

    """
    if seconds is None:
        return work()
    request = begin(work)
    try:
        return request.result(max(seconds, 0.0))
    except TimeoutError as error:
        if request.done():
            return request.result()
        raise ModelTimeoutError(LATE) from error
    finally:
        leave([request])


class RetryBudget:
    """Says how long to wait before a request is made again, within what is left of the time for it.

    Only a provider that names a time (`Retry-After`) is waited for; what its client tries by itself comes before.
    """

    def __init__(self, seconds: float | None) -> None:
        """Begin to count; `None` has no end."""
        self._ends = None if seconds is None else time.monotonic() + seconds
        self._left = MOST_PAUSES

    def left(self) -> float | None:
        """Return the seconds that are left; `None` without an end."""
        return None if self._ends is None else max(self._ends - time.monotonic(), 0.0)

    def pause(self, error: Exception) -> float | None:
        """Return how many seconds to wait; `None` where the request is not to be made again."""
        fault, left = fault_of(error), self.left()
        wait = None if fault.permanent else fault.retry_after
        if wait is None or not self._left or wait >= (_LONGEST_PAUSE if left is None else left):
            return None
        self._left -= 1
        return wait


def ask_within(
    seconds: float | None,
    speaker: Any,
    shown: Sequence[BaseMessage],
    config: RunnableConfig,
    hear: Hear | None = None,
) -> AIMessage:
    """Make one request, and wait for its answer no longer than a time; nobody hears of a late one.

    Where the provider names a time after which it wants to be asked again, and that is in time, it is asked again.

    Args:
        seconds: The time; `None` waits for ever.
        speaker: The model with what is bound to it.
        shown: The conversation.
        config: The configuration of the request.
        hear: Is told of each piece of the answer as it comes, on the thread of the request.

    Raises:
        ModelTimeoutError: When the time is over.
        ModelBusyError: When too many requests hang already.
        Exception: What the client raises.

    """
    retries = RetryBudget(seconds)
    while True:
        try:
            return _ask_once(retries.left(), speaker, shown, config, hear)
        except Exception as error:
            if (wait := retries.pause(error)) is None:
                raise
        time.sleep(wait)


def _ask_once(
    seconds: float | None, speaker: Any, shown: Sequence[BaseMessage], config: RunnableConfig, hear: Hear | None
) -> AIMessage:
    if seconds is None:
        return take(speaker, shown, config, hear)
    gate, hurried = _Gate(), hurry(speaker, seconds)
    try:
        return within(seconds, lambda: take(hurried, shown, gate.guard(config), gate.before(hear)))
    finally:
        gate.closed = True


async def aask_within(
    seconds: float | None,
    speaker: Any,
    shown: Sequence[BaseMessage],
    config: RunnableConfig,
    hear: Hear | None = None,
) -> AIMessage:
    """Make one request in an event loop; it is cancelled when the time is over. See `ask_within`.

    Raises:
        ModelTimeoutError: When the time is over.
        Exception: What the client raises.

    """
    retries = RetryBudget(seconds)
    try:
        async with asyncio.timeout(seconds) as deadline:
            while True:
                try:
                    return await atake(speaker, shown, config, hear)
                except Exception as error:
                    if (wait := retries.pause(error)) is None:
                        raise
                await asyncio.sleep(wait)
    except TimeoutError as error:
        if not deadline.expired():
            raise
        raise ModelTimeoutError(LATE) from error


class _Gate(BaseCallbackHandler):
    """Ends a request at its next token once nobody waits for it, and tells no listener of an answer that is late."""

    raise_error = True

    def __init__(self) -> None:
        """Begin open."""
        self.closed = False

    def on_llm_new_token(self, *_token: Any, **_more: Any) -> None:
        """Let a token pass while somebody waits."""
        self._pass()

    def on_llm_end(self, *_answer: Any, **_more: Any) -> None:
        """Let the answer pass while somebody waits."""
        self._pass()

    def before(self, hear: Hear | None) -> Hear | None:
        """Stand before one who hears the pieces of the answer."""
        if hear is None:
            return None

        def guarded(piece: AIMessageChunk) -> None:
            self._pass()
            hear(piece)

        return guarded

    def _pass(self) -> None:
        if self.closed:
            msg = "nobody waits for this answer any more"
            raise _LeftBehindError(msg)

    def guard(self, config: RunnableConfig) -> RunnableConfig:
        """Stand before those who listen to tokens, and behind those who put on record what was done."""
        callbacks, handlers = config.get("callbacks"), handlers_of(config)
        if not any(isinstance(one, _StreamingCallbackHandler) for one in handlers):
            return config
        if not isinstance(callbacks, BaseCallbackManager):
            return {**config, "callbacks": self._among(handlers)}
        guarded = callbacks.copy()
        guarded.handlers = self._among(guarded.handlers)
        guarded.inheritable_handlers = self._among(guarded.inheritable_handlers)
        return {**config, "callbacks": guarded}

    def _among(self, handlers: Sequence[BaseCallbackHandler]) -> list[BaseCallbackHandler]:
        """Put the gate into a list of listeners."""
        hear = [one for one in handlers if isinstance(one, _StreamingCallbackHandler)]
        return [*(one for one in handlers if one not in hear), self, *hear]


def hurry(speaker: Any, seconds: float | None) -> Any:
    """Tell a client of OpenAI to wait no longer than the time that is left, about, so that its thread is free soon.

    The time is rounded up to a power of two: a cache of requests, which compares all of their parameters, goes on
    finding them. What a client was told itself stands where it is shorter.
    """
    model = innermost(parts(speaker)[0])
    base = getattr(sys.modules.get("langchain_openai.chat_models.base"), "BaseChatOpenAI", None)
    if seconds is None or base is None or not isinstance(model, base):
        return speaker
    own = getattr(model, "request_timeout", None)
    own = _PATIENCE if own is None else own
    most = 2.0 ** max(math.ceil(math.log2(max(seconds, 1.0))), 0)
    return speaker.bind(timeout=most) if isinstance(own, int | float) and most < own else speaker

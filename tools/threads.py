"""Threads that tools run on: how many there may be, who waits for one, and who hears of what came of a call."""

from __future__ import annotations

import asyncio
import contextvars
import itertools
import math
import threading
import time
from collections import Counter, deque
from collections.abc import Callable
from concurrent.futures import Future
from concurrent.futures import TimeoutError as FutureTimeoutError
from contextlib import suppress
from typing import Generic, TypeAlias, TypeVar


T = TypeVar("T")

MOST_THREADS = 256
"""Calls of all tools together that may be at work in a process while somebody waits for them; further ones queue."""
MOST_OF_ONE_TOOL = 64
"""Threads of one tool that may be alive, those left behind among them; further calls of it queue."""
MOST_LEFT_BEHIND = 8
"""Calls of one tool that may hang, left behind by who waited for them, before no more of it are started."""


class ToolsBusyError(RuntimeError):
    """No thread was free for a call: it was not started, and may be tried again later."""

    waited: float = 0.0
    """Seconds that it was in the queue."""


Place: TypeAlias = "Future[str]"
"""A place in the queue: done when its turn has come, with the reason where it never will."""


class Places:
    """The places for threads; a call takes one, waits for one if it must, and gives it back when its thread is done.

    Each tool has a share, so that one that hangs keeps no other from its work. Who asked first comes first, among the
    tools whose share isn't used up.
    """

    def __init__(
        self, *, total: int = MOST_THREADS, each: int = MOST_OF_ONE_TOOL, left_behind: int = MOST_LEFT_BEHIND
    ) -> None:
        """Set the bounds.

        Args:
            total: Calls at work that somebody waits for.
            each: Threads of one tool, with those that nobody waits for any more.
            left_behind: Calls of one tool that nobody waits for any more.

        """
        self._lock = threading.Lock()
        self._awaited = 0
        self._alive: Counter[str] = Counter()
        self._left_behind: Counter[str] = Counter()
        self._queues: dict[str, deque[tuple[int, Place]]] = {}
        self._numbers = itertools.count()
        self.resize(total=total, each=each, left_behind=left_behind)

    def resize(
        self, *, total: int = MOST_THREADS, each: int = MOST_OF_ONE_TOOL, left_behind: int = MOST_LEFT_BEHIND
    ) -> None:
        """Set other bounds; calls that are under way keep their places."""
        with self._lock:
            self._total, self._each, self._most_left_behind = total, each, left_behind
            self._hand_out()

    def take(self, tool: str, seconds: float) -> float:
        """Take a place for a call, wait for it no longer than a time, and return the seconds it took.

        Raises:
            ToolsBusyError: When there was none; nothing was taken.

        """
        place, since = self._ask(tool), time.monotonic()
        if place.done():
            return self._granted(tool, place, 0.0)
        try:
            with suppress(FutureTimeoutError):
                place.result(seconds)
        except BaseException:
            self._withdraw(tool, place)
            raise
        return self._granted(tool, place, time.monotonic() - since, seconds)

    async def atake(self, tool: str, seconds: float) -> float:
        """Do the same in an event loop, which goes on meanwhile.

        Raises:
            ToolsBusyError: When there was none; nothing was taken.

        """
        place, since = self._ask(tool), time.monotonic()
        if place.done():
            return self._granted(tool, place, 0.0)
        try:
            await asyncio.wait({asyncio.wrap_future(place)}, timeout=seconds)
        except BaseException:
            self._withdraw(tool, place)
            raise
        return self._granted(tool, place, time.monotonic() - since, seconds)

    def _granted(self, tool: str, place: Place, waited: float, seconds: float = math.inf) -> float:
        """Return how long a call has waited for its place.

        Raises:
            ToolsBusyError: When it got none, or too late.

        """
        reason = place.result() if place.done() else ""
        if not reason and (waited >= seconds or not place.done()):
            self._withdraw(tool, place)
            reason = f"no thread was free for it within {seconds:g} seconds"
        if reason:
            busy = ToolsBusyError(f"This call of {tool!r} was not started, since {reason}: try again later.")
            busy.waited = waited
            raise busy
        return waited

    def queued(self, tool: str) -> int:
        """Return how many calls of a tool wait for a place."""
        with self._lock:
            return len(self._queues.get(tool, ()))

    def leave_behind(self, tool: str) -> None:
        """Count a call that nobody waits for any more; where too many hang, those that queue needn't wait."""
        with self._lock:
            self._awaited -= 1
            self._left_behind[tool] += 1
            if reason := self._refusal(tool):
                for _, place in self._queues.pop(tool, ()):
                    place.set_result(reason)
            self._hand_out()

    def give_back(self, tool: str, *, left_behind: bool) -> None:
        """Free the place of a call that is done."""
        with self._lock:
            self._alive[tool] -= 1
            if left_behind:
                self._left_behind[tool] -= 1
            else:
                self._awaited -= 1
            # A process may see any number of names.
            self._alive += Counter()
            self._left_behind += Counter()
            self._hand_out()

    def _ask(self, tool: str) -> Place:
        """Join the queue of a tool."""
        place: Place = Future()
        with self._lock:
            if reason := self._refusal(tool):
                place.set_result(reason)
            else:
                self._queues.setdefault(tool, deque()).append((next(self._numbers), place))
                self._hand_out()
        return place

    def _withdraw(self, tool: str, place: Place) -> None:
        """Leave the queue; a place that was handed out at that moment is given back."""
        with self._lock:
            queue = self._queues.get(tool, deque())
            waiting = [one for one in queue if one[1] is not place]
            if len(waiting) < len(queue):
                self._queues[tool] = deque(waiting)
                if not waiting:
                    del self._queues[tool]
                return
        if not place.result():
            self.give_back(tool, left_behind=False)

    def _refusal(self, tool: str) -> str:
        """Say why no call of a tool is started, where too many hang; the lock is held."""
        hanging = self._left_behind[tool]
        return "" if hanging < self._most_left_behind else f"{hanging} earlier ones still hang"

    def _hand_out(self) -> None:
        """Give free places to those who wait, the oldest first; the lock is held."""
        while self._awaited < self._total:
            ready = [(queue[0][0], tool) for tool, queue in self._queues.items() if self._alive[tool] < self._each]
            if not ready:
                return
            _, tool = min(ready)
            _, place = self._queues[tool].popleft()
            if not self._queues[tool]:
                del self._queues[tool]
            self._awaited += 1
            self._alive[tool] += 1
            place.set_result("")


PLACES = Places()
"""The places of this process; `PLACES.resize(total=500, each=100)` makes room for more."""


class Job(Generic[T]):
    """One call on a daemon thread of its own: somebody waits for it, or it was left behind."""

    def __init__(self, tool: str, work: Callable[[], T], late: Callable[[T], None] | None = None) -> None:
        """Start the call in a copy of the present context, on a place that was taken for it.

        Args:
            tool: Name of the tool, for the bounds.
            work: Runs the call and returns its outcome; never raises.
            late: Hears of the outcome of a call that was left behind, once, on a thread; what it raises is dropped.

        Raises:
            ToolsBusyError: When the process can't start a thread; the place was given back.

        """
        self.future: Future[T] = Future()
        # A running future can't be cancelled: whoever stops waiting must not take the place of the outcome.
        self.future.set_running_or_notify_cancel()
        self._tool, self._late, self._places = tool, late, PLACES
        self._left_behind = False
        self._lock = threading.Lock()
        run = contextvars.copy_context().run
        self._start(lambda: self._finish(run(work)))

    def leave(self) -> T | None:
        """Stop waiting; an outcome that is there already is returned, and is for the caller to pass on."""
        with self._lock:
            if self.future.done():
                return self.future.result()
            self._left_behind = True
            self._places.leave_behind(self._tool)
            return None

    def abandon(self) -> None:
        """Stop waiting for good: also an outcome that is there already goes to `late`."""
        outcome = self.leave()
        if outcome is not None:
            report_late(self._late, outcome)

    def _start(self, target: Callable[[], None]) -> None:
        """Start the thread, or give the place back."""
        try:
            threading.Thread(target=target, name=f"tool-{self._tool}", daemon=True).start()
        except RuntimeError as error:
            self._places.give_back(self._tool, left_behind=False)
            msg = f"This call of {self._tool!r} was not started, since the process has no thread left: try again later."
            raise ToolsBusyError(msg) from error

    def _finish(self, outcome: T) -> None:
        """Hand the outcome to whoever waits, or to `late`."""
        with self._lock:
            if not self._left_behind:
                # Who gets the outcome may call again at once: the place is free by then.
                self._places.give_back(self._tool, left_behind=False)
                self.future.set_result(outcome)
                return
        _tell(self._late, outcome)
        self._places.give_back(self._tool, left_behind=True)


def report_late(late: Callable[[T], None] | None, outcome: T) -> None:
    """Tell of an outcome on a thread of its own, so that a slow listener holds up no event loop."""
    if late is None:
        return
    try:
        threading.Thread(target=_tell, args=(late, outcome), name="tool-late", daemon=True).start()
    except RuntimeError:
        # No thread is to be had: late is better than never.
        _tell(late, outcome)


def _tell(late: Callable[[T], None] | None, outcome: T) -> None:
    """Tell of an outcome and drop what the listener raises: nobody is left who could be told."""
    if late is not None:
        with suppress(BaseException):
            late(outcome)

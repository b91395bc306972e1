"""Threads that tools run on: how many there may be, and who hears of what came of a call."""

from __future__ import annotations

import contextvars
import threading
from collections import Counter
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import suppress
from typing import Generic, TypeVar


T = TypeVar("T")

MOST_THREADS = 64
"""Threads of all tools together that may be alive in a process."""
MOST_LEFT_BEHIND = 8
"""Calls of one tool that may hang, left behind by who waited for them, before no more of it are started."""


class ToolsBusyError(RuntimeError):
    """No thread was free for a call: it was not started, and may be tried again later."""


class Places:
    """The places for threads; every call takes one and gives it back when its thread is done.

    Calls that somebody waits for are bounded together only: the same tool may be at work for many runs.
    """

    def __init__(self, *, total: int = MOST_THREADS, left_behind: int = MOST_LEFT_BEHIND) -> None:
        """Set the bounds.

        Args:
            total: Threads alive.
            left_behind: Calls of one tool that nobody waits for any more.

        """
        self._lock = threading.Lock()
        self._alive = 0
        self._left_behind: Counter[str] = Counter()
        self.resize(total=total, left_behind=left_behind)

    def resize(self, *, total: int = MOST_THREADS, left_behind: int = MOST_LEFT_BEHIND) -> None:
        """Set other bounds; calls that are under way keep their places."""
        with self._lock:
            self._total, self._most_left_behind = total, left_behind

    def take(self, tool: str) -> None:
        """Take a place for a call.

        Raises:
            ToolsBusyError: When there is none; nothing was taken.

        """
        with self._lock:
            hanging = self._left_behind[tool]
            if hanging >= self._most_left_behind:
                msg = f"{hanging} earlier calls of {tool!r} still hang, so this one was not started: try again later."
                raise ToolsBusyError(msg)
            if self._alive >= self._total:
                msg = (
                    f"{self._alive} calls of tools are under way ({hanging} of {tool!r} hang), so this one was not "
                    f"started: try again later."
                )
                raise ToolsBusyError(msg)
            self._alive += 1

    def leave_behind(self, tool: str) -> None:
        """Count a call that nobody waits for any more."""
        with self._lock:
            self._left_behind[tool] += 1

    def give_back(self, tool: str, *, left_behind: bool) -> None:
        """Free the place of a call that is done."""
        with self._lock:
            self._alive -= 1
            if left_behind:
                self._left_behind[tool] -= 1
                # A process may see any number of names.
                self._left_behind += Counter()


PLACES = Places()
"""The places of this process; `PLACES.resize(total=200)` makes room for more."""


class Job(Generic[T]):
    """One call on a daemon thread of its own: somebody waits for it, or it was left behind."""

    def __init__(self, tool: str, work: Callable[[], T], late: Callable[[T], None] | None = None) -> None:
        """Start the call in a copy of the present context.

        Args:
            tool: Name of the tool, for the bounds.
            work: Runs the call and returns its outcome; never raises.
            late: Hears of the outcome of a call that was left behind, once, on a thread; what it raises is dropped.

        Raises:
            ToolsBusyError: When no thread is free; nothing was started.

        """
        self.future: Future[T] = Future()
        # A running future can't be cancelled: whoever stops waiting must not take the place of the outcome.
        self.future.set_running_or_notify_cancel()
        self._tool, self._late, self._places = tool, late, PLACES
        self._left_behind = False
        self._lock = threading.Lock()
        self._places.take(tool)
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
            msg = "The process can't start another thread, so the call was not started: try again later."
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

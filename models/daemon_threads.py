"""Daemon threads that do one thing after the other: handing work to one that waits is cheaper than starting one."""

from __future__ import annotations

import os
import queue
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import Final, TypeAlias


Work: TypeAlias = Callable[[], object]
"""Must not raise."""

MOST_IDLE: Final = 16
"""Threads that wait for work; more of them end when their work is done."""
_PATIENCE: Final = 30.0
"""Seconds after which a thread that got no work ends."""


class _Runner:
    """One thread."""

    def __init__(self, work: Work) -> None:
        """Start with a piece of work."""
        self._inbox: queue.SimpleQueue[Work] = queue.SimpleQueue()
        self._inbox.put(work)
        threading.Thread(target=self._run, name="errand", daemon=True).start()

    def take(self, work: Work) -> None:
        """Do one more thing."""
        self._inbox.put(work)

    def _run(self) -> None:
        """Work, and wait for more."""
        work = self._inbox.get()
        while True:
            work()
            del work  # what it holds on to is let go while the thread waits
            if len(_idle) >= MOST_IDLE:
                return
            _idle.append(self)
            next_one = self._wait()
            if next_one is None:
                return
            work = next_one
            del next_one

    def _wait(self) -> Work | None:
        """Wait for work; `None` when there was none for long."""
        try:
            return self._inbox.get(timeout=_PATIENCE)
        except queue.Empty:
            pass
        with suppress(ValueError):
            _idle.remove(self)
            return None
        # Somebody has chosen this thread in the meantime, and hands work over right now.
        return self._inbox.get()


_idle: list[_Runner] = []
"""Threads that wait for work; the one that waits for the shortest time is last, and is taken first."""

# The threads of a process don't live on in a copy of it.
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_idle.clear)


def start(work: Work) -> None:
    """Do something on a daemon thread."""
    try:
        runner = _idle.pop()
    except IndexError:
        _Runner(work)
    else:
        runner.take(work)

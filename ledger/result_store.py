"""Keep whole results outside the state, for one conversation each, until they are old or memory is short."""

from __future__ import annotations

import hashlib
import sys
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import Protocol, runtime_checkable


DAY = 86_400.0
"""Seconds."""


@dataclass(frozen=True, slots=True)
class WholeResult:
    """A result as it is kept."""

    tool: str
    """The tool that returned it; what a page of it holds counts as coming from there."""
    text: str
    length: int
    """Characters the tool returned; more than the text has where only its head was kept."""


@runtime_checkable
class ResultStore(Protocol):
    """Keeps results by conversation and reference; for implementations of a host's own."""

    def keep(self, thread: str, reference: str, result: WholeResult) -> bool:
        """Keep a result; one that is kept already stays.

        Returns:
            Whether it can be read now; a store without room for it returns `False`.

        """

    def find(self, thread: str, reference: str) -> WholeResult | None:
        """Return a result of this conversation, and never one of another."""


def reference_of(thread: str, tool: str, text: str) -> str:
    """Name a result by what it is: an equal result of the same conversation has the same name."""
    digest = hashlib.sha256()
    for part in (thread, tool, text):
        digest.update(part.encode("utf-8", "replace"))
        digest.update(b"\0")
    return digest.hexdigest()[:12]


class MemoryResults:
    """Keeps results in this process, bounded by bytes and age; the one that was not used for longest goes first."""

    def __init__(
        self,
        *,
        most_bytes: int = 256_000_000,
        max_age: float = DAY,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """Keep nothing yet.

        Args:
            most_bytes: Memory that all results may take together.
            max_age: Seconds after which a result is let go.
            clock: Seconds from any fixed point.

        Raises:
            ValueError: When a bound is not above zero.

        """
        if most_bytes <= 0 or max_age <= 0:
            msg = f"MemoryResults keeps {most_bytes!r} bytes for {max_age!r} seconds: give more than 0 for both."
            raise ValueError(msg)
        self._most_bytes = most_bytes
        self._max_age = max_age
        self._clock = clock
        self._kept: OrderedDict[tuple[str, str], tuple[float, WholeResult]] = OrderedDict()
        self._bytes = 0
        self._lock = threading.Lock()

    def keep(self, thread: str, reference: str, result: WholeResult) -> bool:
        """Keep a result, unless it alone is over the bound."""
        size = sys.getsizeof(result.text)
        if size > self._most_bytes:
            return False
        with self._lock:
            self._drop((thread, reference))
            while self._kept and (self._bytes + size > self._most_bytes or self._is_old(next(iter(self._kept)))):
                self._drop(next(iter(self._kept)))
            self._kept[thread, reference] = (self._clock(), result)
            self._bytes += size
        return True

    def find(self, thread: str, reference: str) -> WholeResult | None:
        """Return a result of this conversation that is not too old."""
        key = (thread, reference)
        with self._lock:
            if key not in self._kept:
                return None
            if self._is_old(key):
                self._drop(key)
                return None
            self._kept.move_to_end(key)
            return self._kept[key][1]

    def prune(self, *, older_than: float) -> int:
        """Let go of results that were kept longer ago than these seconds; return how many."""
        with self._lock:
            until = self._clock() - older_than
            old = [key for key, (kept_at, _) in self._kept.items() if kept_at < until]
            for key in old:
                self._drop(key)
            return len(old)

    def forget(self, thread: str, *, but: Collection[str] = (), dry_run: bool = False) -> int:
        """Let go of the results of a conversation, but for those of some references, or only count them."""
        with self._lock:
            gone = [key for key in self._kept if key[0] == thread and key[1] not in but]
            for key in () if dry_run else gone:
                self._drop(key)
            return len(gone)

    def _is_old(self, key: tuple[str, str]) -> bool:
        """Tell whether a result has been kept for too long."""
        return self._clock() - self._kept[key][0] > self._max_age

    def _drop(self, key: tuple[str, str]) -> None:
        """Let a result go."""
        if (found := self._kept.pop(key, None)) is not None:
            self._bytes -= sys.getsizeof(found[1].text)

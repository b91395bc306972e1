"""Share work over processes: results in the order of the lines, and no process left behind."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import forkserver
from typing import Final, TypeAlias, TypeVar


Found = TypeVar("Found")
Numbered: TypeAlias = tuple[int, str]
"""A line and its number, from 1."""

WORKERS: Final = 2
"""Processes, unless another number is asked for."""
CHUNK: Final = 200
"""Lines a process takes at a time; also what has to be finished when the user interrupts."""


def side_by_side(
    work: Callable[[Sequence[Numbered]], list[Found]],
    lines: Sequence[str],
    *,
    workers: int = WORKERS,
    chunk: int = CHUNK,
) -> Iterator[Found]:
    """Do the work on all lines, chunk by chunk.

    Args:
        work: Takes numbered lines; has to be picklable when there are several workers.
        lines: All lines.
        workers: Processes that share the work; with one, or with a single chunk, it is done here.
        chunk: Lines of a chunk.

    Yields:
        What the work returned for each line, in the order of the lines.

    """
    numbered = list(enumerate(lines, 1))
    chunks = [numbered[at : at + chunk] for at in range(0, len(numbered), chunk)]
    if workers == 1 or len(chunks) <= 1:
        for part in chunks:
            yield from work(part)
        return
    # Forking a process that has threads is not safe; the fork server is a fresh one.
    context = multiprocessing.get_context("forkserver")
    _start_server()
    pool = ProcessPoolExecutor(min(workers, len(chunks)), mp_context=context, initializer=_settle)
    try:
        for found in pool.map(work, chunks):
            yield from found
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


def _start_server() -> None:
    """Start the fork server with interruptions blocked, which its children inherit: they are for the parent alone."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        forkserver.ensure_running()
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _settle() -> None:
    """Leave interruptions to the parent, which stops handing out work, and end when the parent is gone."""
    # The server may have been running before.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    """Wait for the parent to die; a worker would otherwise wait for work for ever."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)

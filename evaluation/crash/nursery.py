"""Start processes quickly: one process loads everything and is forked for each that is needed.

The forking process has no threads and opens nothing, so its copies are as good as fresh ones. It buries a dead process
only when it is told to, so that a number is not given to another process while the parent may still kill it.
"""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Mapping
from contextlib import suppress
from importlib import import_module
from typing import Any, TypeAlias


Work: TypeAlias = Callable[[Mapping[str, Any], int], int]
"""What a process does, given plain data and a pipe to write to; returns its exit code."""

_LONGEST = 65_536
"""Bytes of a message, more than any has."""


class CrashTestError(RuntimeError):
    """The test itself can't go on; the text says why."""


class Nursery:
    """The parent's view of the process that is forked."""

    def __init__(self, module: str) -> None:
        """Start it; it ends with this process at the latest, and its children with it.

        Args:
            module: Has `work`, which each child does, and `rehearse`, which is done once before the first is forked.

        """
        ours, theirs = socket.socketpair()
        with theirs:
            command = [sys.executable, "-m", "reinforced_agent.evaluation.crash.nursery", str(theirs.fileno()), module]
            # In a session of its own, a Ctrl-C in the terminal reaches the parent alone.
            self._process = subprocess.Popen(command, pass_fds=[theirs.fileno()], start_new_session=True)  # noqa: S603
        self._socket = ours

    def start(self, job: Mapping[str, Any], descriptor: int) -> int:
        """Start a process that writes to a pipe, and return its number.

        Raises:
            CrashTestError: When nobody is there to start it.

        """
        return self._ask(json.dumps(job), [descriptor])

    def bury(self, number: int) -> int:
        """Wait for the end of a process, and return its exit code: negative for a signal.

        Raises:
            CrashTestError: When nobody is there to wait.

        """
        return self._ask(str(number), [])

    def _ask(self, message: str, descriptors: list[int]) -> int:
        """Send a message, and wait for the answer.

        Raises:
            CrashTestError: When nobody is there to answer.

        """
        answer = b""
        with suppress(ConnectionError):
            socket.send_fds(self._socket, [message.encode()], descriptors)
            answer = self._socket.recv(_LONGEST)
        if not answer:
            msg = "The process that starts the others has ended; what went wrong was printed by it."
            raise CrashTestError(msg)
        return int(answer)

    def close(self) -> None:
        """End all processes."""
        self._socket.close()
        self._process.wait()


def main(descriptor: int, module: Any) -> None:
    """Fork and bury as told, until the parent is gone."""
    module.rehearse()
    children: set[int] = set()
    try:
        with socket.socket(fileno=descriptor) as parent, suppress(ConnectionError):
            _serve(parent, module.work, children)
    finally:
        for number in children:
            with suppress(ProcessLookupError):
                os.kill(number, signal.SIGKILL)


def _serve(parent: socket.socket, work: Work, children: set[int]) -> None:
    """Do what the parent says; `children` are the processes that are not buried."""
    while True:
        message, descriptors, _, _ = socket.recv_fds(parent, _LONGEST, 1)
        if not message:
            return
        told = json.loads(message)
        if isinstance(told, int):
            children.discard(told)
            answer = os.waitstatus_to_exitcode(os.waitpid(told, 0)[1])
        else:
            answer = _fork(work, told, descriptors[0], parent)
            children.add(answer)
        parent.sendall(str(answer).encode())


def _fork(work: Work, job: Mapping[str, Any], descriptor: int, parent: socket.socket) -> int:
    """Fork a process that does a job; this one keeps no end of its pipe."""
    number = os.fork()
    if number == 0:
        parent.close()
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # whoever stops the parent ends its processes
        # Nothing is run that this process registered for its own end.
        os._exit(work(job, descriptor))
    os.close(descriptor)
    return number


if __name__ == "__main__":
    main(int(sys.argv[1]), import_module(sys.argv[2]))

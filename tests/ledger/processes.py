"""Other processes that use a ledger, steered by the test."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any, Self


class Worker:
    """One other process; it is ended with the block."""

    def __init__(self, address: str, lease: float) -> None:
        """Start it."""
        command = [sys.executable, str(Path(__file__).with_name("worker.py")), address, str(lease)]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def __enter__(self) -> Self:
        """Wait until it takes orders."""
        assert self._line() == "ready"
        return self

    def __exit__(self, *_: object) -> None:
        """End it, whatever state it is in."""
        self.process.kill()
        self.process.communicate()

    def send(self, do: str, **order: Any) -> None:
        """Give an order, and don't wait."""
        assert self.process.stdin
        self.process.stdin.write(json.dumps({"do": do, **order}) + "\n")
        self.process.stdin.flush()

    def answer(self) -> Any:
        """Wait for the answer to an order."""
        return json.loads(self._line())

    def ask(self, do: str, **order: Any) -> Any:
        """Give an order, and wait for the answer."""
        self.send(do, **order)
        return self.answer()

    def kill(self) -> None:
        """End it without a warning, as a crash does; nobody has asked yet how it ended."""
        self.process.kill()
        os.waitid(os.P_PID, self.process.pid, os.WEXITED | os.WNOWAIT)

    def stop(self) -> None:
        """Stop it where it is, as a machine does that is out of memory."""
        self.process.send_signal(signal.SIGSTOP)

    def _line(self) -> str:
        assert self.process.stdout
        return self.process.stdout.readline().strip()

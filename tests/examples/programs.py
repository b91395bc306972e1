"""Start an example as a program of its own, and talk to the one that serves."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx

from tests.architecture.house import ROOT


EXAMPLES = ROOT / "examples"
SERVE = ("-m", "uvicorn", "--app-dir", str(EXAMPLES), "--host", "127.0.0.1", "--port", "0", "fastapi_app:app")
THREAD = "/agent/threads"


def start(*command: str, folder: Path, **environment: str) -> subprocess.Popen[str]:
    """Start Python in a folder of the test, with what it prints in one stream."""
    return subprocess.Popen(
        [sys.executable, "-u", "-B", *command],
        cwd=folder,
        env={**os.environ, **environment},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )


def run(name: str, *, folder: Path, **environment: str) -> str:
    """Run an example to its end, and return what it printed."""
    program = start(str(EXAMPLES / name), folder=folder, TMPDIR=str(folder), **environment)
    printed, _ = program.communicate(timeout=60)
    assert program.returncode == 0, printed
    return printed


def read_until(program: subprocess.Popen[str], pattern: str) -> re.Match[str]:
    """Read what a program prints until a line has what is looked for."""
    assert program.stdout
    printed = ""
    for line in program.stdout:
        printed += line
        if found := re.search(pattern, line):
            return found
    msg = f"{pattern!r} was never printed, but {printed!r}"
    raise AssertionError(msg)


class Server:
    """The application of `fastapi_app.py` in a process of its own."""

    def __init__(self, folder: Path) -> None:
        """Start it, and wait until it listens."""
        self.folder = folder
        self.process = start(*SERVE, folder=folder, REINFORCED_AGENT_FOLDER=str(folder))
        address = read_until(self.process, r"running on (http://\S+)")[1]
        self.client = httpx.Client(base_url=address, timeout=30, trust_env=False)

    def say(self, thread: str, text: str = "Refund 20 euros for A-1003.", **body: Any) -> httpx.Response:
        """Send a message and wait for the whole answer."""
        return self.client.post(f"{THREAD}/{thread}/messages", json={"text": text, **body})

    def show(self, thread: str) -> Any:
        """Read a thread as the one who decides."""
        return self.client.get(f"{THREAD}/{thread}", headers={"x-user": "bob"}).raise_for_status().json()

    def decide(self, thread: str, question: Any, **changed: Any) -> httpx.Response:
        """Approve the first call that waits, or what the test makes of it."""
        decision = {"type": "approve", "token": question["calls"][0]["token"], **changed}
        body = {"question": question["id"], "decisions": [decision]}
        return self.client.post(f"{THREAD}/{thread}/decisions", json=body, headers={"x-user": "bob"})

    def booked(self) -> list[str]:
        """Return what the bank has booked."""
        book = self.folder / "bank.txt"
        return book.read_text(encoding="utf-8").splitlines() if book.exists() else []

    def end(self, how: int = signal.SIGTERM) -> str:
        """End it, and return the rest of what it printed."""
        self.client.close()
        self.process.send_signal(how)
        return self.process.communicate(timeout=30)[0]


@contextmanager
def serving(folder: Path) -> Iterator[Server]:
    """Serve for as long as the block lasts."""
    server = Server(folder)
    try:
        yield server
    finally:
        if server.process.returncode is None:
            server.end()


def events_in(response: httpx.Response) -> list[tuple[str, Any]]:
    """Read the events of a stream."""
    assert response.headers["content-type"].startswith("text/event-stream"), response.text
    parts = re.findall(r"event: (\w+)\r?\ndata: (.*?)\r?\n\r?\n", response.text)
    return [(name, json.loads(data)) for name, data in parts]

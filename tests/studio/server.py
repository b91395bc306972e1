"""Start the server behind LangGraph Studio the way a developer does, watch what it does, and end it."""

from __future__ import annotations

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any


ROOT = Path(__file__).resolve().parents[2]

QUIET = {
    "LANGGRAPH_CLI_NO_ANALYTICS": "1",
    "LANGGRAPH_NO_VERSION_CHECK": "true",
    "LANGSMITH_TRACING": "false",
}
"""Keeps the server's own start from calling home."""

_WATCH = """
import os, sys

def watch(event, arguments):
    if event == "socket.getaddrinfo":
        host = arguments[0]
    elif event in {"socket.connect", "socket.sendto"} and isinstance(arguments[1], tuple):
        host = arguments[1][0]
    else:
        return
    host = host.decode() if isinstance(host, bytes) else str(host)
    if host not in {"127.0.0.1", "::1", "localhost", "0.0.0.0", "::", "None", ""}:
        with open(os.environ["WATCHED"], "a") as file:
            file.write(host + "\\n")

sys.addaudithook(watch)
"""


@dataclass(frozen=True)
class Server:
    """A running server."""

    url: str
    folder: Path

    @property
    def log(self) -> str:
        """What it has printed so far."""
        return (self.folder / "log.txt").read_text(encoding="utf-8", errors="replace")

    @property
    def escapes(self) -> list[str]:
        """Hosts outside this computer that it looked up or connected to."""
        watched = self.folder / "watched.txt"
        return watched.read_text(encoding="utf-8").split() if watched.exists() else []

    @property
    def outbox(self) -> list[Any]:
        """The e-mails that were sent."""
        outbox = self.folder / "tools" / "outbox.jsonl"
        return [json.loads(line) for line in outbox.read_text(encoding="utf-8").splitlines()] if outbox.exists() else []


@contextmanager
def studio_server(folder: Path, model: str) -> Iterator[Server]:
    """Run `langgraph dev` in a folder of its own, with this repository's `langgraph.json` and no key."""
    shutil.copy(ROOT / "langgraph.json", folder)
    (folder / "sitecustomize.py").write_text(_WATCH, encoding="utf-8")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "langgraph_cli", "dev", "--no-browser", "--no-reload", "--port", str(port)]
    with (folder / "log.txt").open("wb") as log:
        process = subprocess.Popen(
            command, cwd=folder, env=_environment(folder, model), stdout=log, stderr=log, start_new_session=True
        )
    server = Server(f"http://127.0.0.1:{port}", folder)
    try:
        _wait(server, process)
        yield server
    finally:
        _end(process)


def _environment(folder: Path, model: str) -> dict[str, str]:
    """Return what the server sees: no keys, and a place of its own for everything it writes."""
    return QUIET | {
        "PATH": os.environ["PATH"],
        "HOME": str(folder),
        "PYTHONPATH": str(folder),
        "WATCHED": str(folder / "watched.txt"),
        "REINFORCED_AGENT_MODEL": model,
        "REINFORCED_AGENT_FOLDER": str(folder / "tools"),
    }


def _wait(server: Server, process: subprocess.Popen[bytes]) -> None:
    """Wait until the server answers."""
    until = time.monotonic() + 90
    while time.monotonic() < until and process.poll() is None:
        try:
            with urllib.request.urlopen(f"{server.url}/ok", timeout=5):  # noqa: S310  # an address of our own
                return
        except OSError:
            time.sleep(0.1)
    msg = f"The server did not start:\n{server.log}"
    raise AssertionError(msg)


def _end(process: subprocess.Popen[bytes]) -> None:
    """End the server and whatever it has started."""
    for sent in (signal.SIGTERM, signal.SIGKILL):
        try:
            os.killpg(process.pid, sent)
            process.wait(10)
        except ProcessLookupError:
            break
        except subprocess.TimeoutExpired:
            continue
    process.wait(10)

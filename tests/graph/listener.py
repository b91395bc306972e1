"""A LangSmith server on this computer that keeps what it is sent."""

from __future__ import annotations

import gzip
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import zstandard


_INFO = json.dumps(
    {
        "batch_ingest_config": {
            "scale_up_qsize_trigger": 1000,
            "scale_up_nthreads_limit": 4,
            "scale_down_nempty_trigger": 4,
            "size_limit": 100,
            "size_limit_bytes": 20_000_000,
            "use_multipart_endpoint": True,
        },
        "instance_flags": {"zstd_compression_enabled": True},
    }
).encode()
"""How the server wants its runs: many in one request, compressed."""


PROJECT = "6f1c1d0e-1111-4222-8333-444455556666"
"""Id of the only project."""
_PROJECTS = json.dumps(
    [
        {
            "id": PROJECT,
            "name": "default",
            "start_time": "2026-01-01T00:00:00",
            "tenant_id": PROJECT,
            "reference_dataset_id": None,
        }
    ]
).encode()


class Listener:
    """Everything that was posted, decompressed."""

    def __init__(self, port: int) -> None:
        """Start with nothing."""
        self.url = f"http://127.0.0.1:{port}"
        self.bodies: list[bytes] = []
        self.answered = 0

    @property
    def text(self) -> str:
        """All of it as one text."""
        return b"\n".join(self.bodies).decode("utf-8", errors="replace")

    def runs(self) -> dict[str, dict[str, Any]]:
        """Return what is known of each run, by its id: fields of the run, with its `inputs`, `outputs` and `extra`."""
        runs: dict[str, dict[str, Any]] = {}
        for body in self.bodies:
            for part in body.split(body.split(b"\r\n", 1)[0])[1:-1]:
                head, _, content = part.partition(b"\r\n\r\n")
                name = head.split(b'name="', 1)[1].split(b'"', 1)[0].decode()
                _, run_id, *field = name.split(".")
                data = json.loads(content)
                runs.setdefault(run_id, {}).update({field[0]: data} if field else data)
        return runs

    def named(self, name: str) -> list[dict[str, Any]]:
        """Return the runs of a name."""
        return [run for run in self.runs().values() if run.get("name") == name]


class _Server(ThreadingHTTPServer):
    """Hands what it is sent to its listener."""

    daemon_threads = True
    listener: Listener
    until: threading.Event | None


class _Handler(BaseHTTPRequestHandler):
    """Speaks as much HTTP as LangSmith's client needs."""

    server: _Server

    def do_GET(self) -> None:
        self._say(_PROJECTS if "/sessions" in self.path else _INFO)

    def do_POST(self) -> None:
        body = self._body()
        encoding = self.headers.get("Content-Encoding", "")
        if encoding == "zstd":
            body = zstandard.ZstdDecompressor().decompressobj().decompress(body)
        elif encoding == "gzip":
            body = gzip.decompress(body)
        self.server.listener.bodies.append(body)
        self._say(b"{}")

    def _body(self) -> bytes:
        if "chunked" not in self.headers.get("Transfer-Encoding", ""):
            return self.rfile.read(int(self.headers.get("Content-Length", "0")))
        chunks = []
        while size := int(self.rfile.readline(), 16):
            chunks.append(self.rfile.read(size))
            self.rfile.readline()
        self.rfile.readline()
        return b"".join(chunks)

    def _say(self, text: bytes) -> None:
        if self.server.until is not None:
            self.server.until.wait(60)
        self.server.listener.answered += 1
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def log_message(self, *_: Any) -> None:
        """Keep quiet."""


@contextmanager
def listening(*, until: threading.Event | None = None) -> Iterator[Listener]:
    """Run the server on a free port; it answers nothing before `until` is set."""
    server = _Server(("127.0.0.1", 0), _Handler)
    server.until = until
    server.listener = Listener(server.server_address[1])
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield server.listener
    finally:
        server.shutdown()
        server.server_close()
        thread.join(5)

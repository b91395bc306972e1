"""A person at a real terminal approves a call."""

from __future__ import annotations

import json
import os
import pty
import subprocess
import sys
from pathlib import Path


LINES = [
    {"tool_calls": [{"name": "send_email", "arguments": {"to": "a@example.org", "subject": "Hi", "body": "Hello"}}]},
    "It was sent.",
]


def read_until(terminal: int, words: str) -> str:
    """Read what is printed until the words appear; the end of the program ends it too."""
    seen = ""
    while words not in seen:
        try:
            part = os.read(terminal, 4096)
        except OSError:
            break
        if not part:
            break
        seen += part.decode("utf-8", "replace")
    return seen


def test_a_call_runs_when_the_person_says_so(tmp_path: Path) -> None:
    """The question is asked at the terminal, and the effect follows the answer."""
    script = tmp_path / "script.jsonl"
    script.write_text("".join(json.dumps(line) + "\n" for line in LINES), encoding="utf-8")
    ours, theirs = pty.openpty()
    command = [sys.executable, "-c", "from reinforced_agent.service.cli import main; main()", "chat"]
    command.append("Write Hello to a@example.org")
    environment = {**os.environ, "COLUMNS": "200", "TERM": "dumb", "REINFORCED_AGENT_FOLDER": str(tmp_path / "demo")}
    with subprocess.Popen(
        [*command, "--model", f"scripted:{script}"],
        cwd=tmp_path,
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        env=environment,
    ) as running:
        os.close(theirs)
        asked = read_until(ours, "decide")
        os.write(ours, b"approve\n")
        told = read_until(ours, "\0")
        assert running.wait(60) == 0
        os.close(ours)
    assert "`send_email` changes data" in asked
    assert "It was sent." in told
    assert json.loads((tmp_path / "demo" / "outbox.jsonl").read_text(encoding="utf-8"))["to"] == "a@example.org"

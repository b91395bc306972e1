"""A person at a real terminal approves a call."""

from __future__ import annotations

import json
import os
import pty
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest


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


def decide(lines: list[Any], answer: bytes, tmp_path: Path, **environment: str) -> tuple[str, str]:
    """Run the command at a terminal, answer its question, and return what was printed before and after that."""
    script = tmp_path / "script.jsonl"
    script.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    ours, theirs = pty.openpty()
    command = [sys.executable, "-c", "from reinforced_agent.service.cli.main import main; main()", "chat"]
    command.append(f"Write Hello to {lines[0]['tool_calls'][0]['arguments']['to']}")
    with subprocess.Popen(
        [*command, "--model", f"scripted:{script}"],
        cwd=tmp_path,
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        env={**os.environ, "REINFORCED_AGENT_FOLDER": str(tmp_path / "demo"), **environment},
    ) as running:
        os.close(theirs)
        asked = read_until(ours, "decide")
        os.write(ours, answer)
        told = read_until(ours, "\0")
        assert running.wait(60) == 0
        os.close(ours)
    return asked, told


def test_a_call_runs_when_the_person_says_so(tmp_path: Path) -> None:
    """The question is asked at the terminal, and the effect follows the answer."""
    asked, told = decide(LINES, b"approve\n", tmp_path, COLUMNS="200", TERM="dumb")
    assert "`send_email` changes data" in asked
    assert "It was sent." in told
    assert json.loads((tmp_path / "demo" / "outbox.jsonl").read_text(encoding="utf-8"))["to"] == "a@example.org"


@pytest.mark.parametrize("columns", ["30", "70", "200"])
def test_a_person_sees_where_it_goes_behind_a_long_text(columns: str, tmp_path: Path) -> None:
    """The terminal gets none of the sequences of a mail, and the whole of the question, whatever its width."""
    body = "\x1b[2J\x9b1A p\u0430ypal" + "Dear friend, " * 150 + "\u202e"
    mail = {"to": "a@example.org", "subject": "Hi\x07", "body": body}
    lines = [{"tool_calls": [{"name": "send_email", "arguments": mail}]}, "It was not sent."]
    asked, _ = decide(lines, b"reject\n\n", tmp_path, COLUMNS=columns, TERM="xterm")
    shown = "".join(re.sub("\x1b\\[[0-9;]*m", "", asked).split())
    assert [one for one in shown if not one.isprintable()] == []
    approval = shown[shown.rindex("approval") :]
    for words in ('to:"a@example.org"', 'subject:"Hi<U+0007>"', "p<U+0430>ypal", f"…({len(body)}characters)"):
        assert words in approval
    assert approval.index("to:") < approval.index("body:")

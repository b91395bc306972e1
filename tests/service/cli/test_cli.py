"""The command line as a user meets it: what it prints, and what it says when something is missing."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.architecture.house import ROOT


SCRIPT: list[Any] = [
    {"tool_calls": [{"name": "get_weather", "arguments": {"city": "Osllo", "date": "2026-12-24"}}]},
    {"tool_calls": [{"name": "get_weather", "arguments": {"city": "Oslo", "date": "2026-12-24"}}]},
    "Minus one [sample].",
    {"tool_calls": [{"name": "send_email", "arguments": {"to": "a@example.org", "subject": "Hi", "body": "Hello"}}]},
    "It was not sent.",
]


def program_of(*words: str) -> str:
    """Return the program that has a command: the package's, or that of the benchmarks."""
    if words and words[0] in {"bench", "replay"}:
        return f"import sys; sys.path.insert(0, {str(ROOT)!r}); from benchmarks.__main__ import main; main()"
    return "from reinforced_agent.service.cli.main import main; main()"


def run(*words: str, cwd: Path, stdin: str = "", **environment: str) -> subprocess.CompletedProcess[str]:
    """Run the command as a process of its own, without a terminal."""
    return subprocess.run(
        [sys.executable, "-c", program_of(*words), *words],
        cwd=cwd,
        input=stdin,
        env={**os.environ, "COLUMNS": "200", "REINFORCED_AGENT_FOLDER": str(cwd / "demo"), **environment},
        check=False,
        capture_output=True,
        text=True,
    )


@pytest.fixture
def script(tmp_path: Path) -> str:
    """Write the script and return its model text."""
    path = tmp_path / "script.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in SCRIPT), encoding="utf-8")
    return f"scripted:{path}"


@pytest.fixture
def requests(tmp_path: Path) -> str:
    """Write two requests, one a line."""
    path = tmp_path / "requests.txt"
    path.write_text("What is the weather in Osllo on 2026-12-24?\n\nWrite Hello to a@example.org\n", encoding="utf-8")
    return str(path)


def test_the_demo_shows_every_step(tmp_path: Path, script: str, requests: str) -> None:
    """Proposal, objection, correction, result, approval, decision and answer can be read."""
    done = run("demo", "--requests", requests, "--model", script, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    for words in (
        'get_weather {"city":"Osllo"',
        "sent back",
        "by layer 'arguments'",
        "`Oslo`",
        '"source": "sample climate data"',
        "Minus one [sample].",
        "waits for a person",
        "Nobody is here to approve it.",
        "It was not sent.",
    ):
        assert words in done.stdout
    assert not (tmp_path / "demo" / "outbox.jsonl").exists()


def test_the_demo_speaks_json(tmp_path: Path, script: str, requests: str) -> None:
    """One object and nothing else, in the documented shape."""
    done = run("demo", "--requests", requests, "--model", script, "--json", cwd=tmp_path)
    runs = json.loads(done.stdout)["runs"]
    assert [item["request"] for item in runs] == [
        "What is the weather in Osllo on 2026-12-24?",
        "Write Hello to a@example.org",
    ]
    first = runs[0]
    assert [(item["tool"], item["status"]) for item in first["calls"]] == [
        ("get_weather", "revise"),
        ("get_weather", "done"),
    ]
    assert first["calls"][1]["arguments"] == {"city": "Oslo", "date": "2026-12-24"}
    assert {"verdicts", "result"} <= set(first["calls"][0])
    assert (first["answer"], first["steps"]) == ("Minus one [sample].", 3)
    assert isinstance(first["seconds"], float)
    assert "token" not in done.stdout


def test_a_conversation_goes_on_until_the_end_of_input(tmp_path: Path, script: str) -> None:
    """Each line of input is a request on the same thread."""
    done = run("chat", "--model", script, cwd=tmp_path, stdin="Weather in Osllo?\nThanks, write Hello\n")
    assert done.returncode == 0, done.stderr
    assert "Minus one [sample]." in done.stdout
    assert "It was not sent." in done.stdout


def test_chat_takes_tools_of_the_caller(tmp_path: Path) -> None:
    """`--tools module:name` finds a module in the working directory."""
    (tmp_path / "mine.py").write_text(
        'def double(n: int) -> int:\n    """Double."""\n    return 2 * n\n\n\nTOOLS = [double]\n', encoding="utf-8"
    )
    lines = [{"tool_calls": [{"name": "double", "arguments": {"n": 4}}]}, "Declined."]
    (tmp_path / "s.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    done = run("chat", "Double 4", "--tools", "mine:TOOLS", "--model", "scripted:s.jsonl", "--json", cwd=tmp_path)
    assert json.loads(done.stdout)["calls"][0]["status"] == "rejected"


def test_the_graph_is_the_drawing_of_the_documents(tmp_path: Path) -> None:
    """The command prints what the golden file holds."""
    done = run("graph", cwd=tmp_path)
    assert done.stdout == (ROOT / "docs" / "graph.mmd").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        pytest.param(("demo", "--model", "nonsense"), "`openai:NAME`", id="model"),
        pytest.param(("demo", "--model", "scripted:missing.jsonl"), "can't be read", id="script"),
        pytest.param(("demo", "--requests", "missing.txt"), "can't be read", id="requests"),
        pytest.param(("chat", "hi", "--tools", "nowhere:TOOLS"), "module:name", id="tools"),
        pytest.param(("chat", "hi", "--tools", "os:path"), "'os:path' is a `module`, no tools", id="tools-module"),
        pytest.param(("chat", "hi", "--tools", "os:nothing"), "has no attribute 'nothing'", id="tools-attribute"),
        pytest.param(("chat", "hi", "--tools", ".os:path"), "relative import", id="tools-relative"),
        pytest.param(("chat", "hi", "--tools", "mine:NUMBERS"), "3 can't be a tool", id="tools-of-numbers"),
        pytest.param(("chat", "hi", "--tools", "mine:UNTYPED"), "leaves `n` without a type", id="tools-untyped"),
        pytest.param(("chat", "hi", "--tools", "leaving:TOOLS"), "SystemExit: bye", id="tools-that-exit"),
        pytest.param(("chat", "hi", "--strategy", "hope"), "'guided:WAY'", id="strategy"),
        pytest.param(("chat", "hi", "--strategy", "guided:vllm"), "not ScriptedModel", id="strategy-of-the-model"),
        pytest.param(("chat", "--json"), "needs the request", id="json-without-request"),
        pytest.param(("replay", "reports", "missing.jsonl"), "can't be read", id="cases"),
        pytest.param(("replay", "recorded", "."), "bfcl_recorded", id="recorded"),
        pytest.param(("replay", "recorded", ".", "--layers", "taste"), "format, routing, arguments", id="layer"),
    ],
)
def test_a_mistake_gets_one_clear_sentence(words: tuple[str, ...], said: str, tmp_path: Path, script: str) -> None:
    """No traceback, exit code 2, and what to do."""
    words = (*words, "--model", script) if "chat" in words or "--requests" in words else words
    (tmp_path / "mine.py").write_text("def untyped(n): ...\n\n\nNUMBERS, UNTYPED = [3], [untyped]\n", encoding="utf-8")
    (tmp_path / "leaving.py").write_text("raise SystemExit('bye')\n", encoding="utf-8")
    done = run(*words, cwd=tmp_path)
    assert done.returncode == 2
    assert said in done.stderr
    assert "Traceback" not in done.stderr
    assert done.stdout == ""


@pytest.mark.parametrize("words", [("chat", "hi"), ("chat",), ("demo",)], ids=["request", "conversation", "demo"])
def test_a_model_that_can_not_be_used_ends_in_a_failure(words: tuple[str, ...], tmp_path: Path, requests: str) -> None:
    """A script that is at its end before it began: exit code 1, what to do on stderr, and nothing about later."""
    (tmp_path / "empty.jsonl").write_text("", encoding="utf-8")
    more = ("--requests", requests) if "demo" in words else ()
    done = run(*words, *more, "--model", "scripted:empty.jsonl", cwd=tmp_path, stdin="hi\n")
    assert done.returncode == 1
    assert "add a line" in done.stderr
    assert "tell whoever runs this service" in done.stdout
    assert "later" not in done.stdout


def test_the_reason_stands_in_the_json_object(tmp_path: Path) -> None:
    """A program that calls the command finds outcome and detail there."""
    (tmp_path / "empty.jsonl").write_text("", encoding="utf-8")
    done = run("chat", "hi", "--model", "scripted:empty.jsonl", "--json", cwd=tmp_path)
    said = json.loads(done.stdout)
    assert (done.returncode, said["outcome"]) == (1, "misconfigured")
    assert "add a line" in said["detail"]


@pytest.mark.parametrize(
    ("content", "said"),
    [
        pytest.param(b"", "There is no request", id="empty"),
        pytest.param(b"\n \n\t\n", "There is no request", id="blank-lines"),
        pytest.param(b"\xff\xfeH\x00i\x00", "can't be read", id="no-utf-8"),
        pytest.param(None, "can't be read", id="folder"),
    ],
)
def test_a_file_without_requests_is_refused_before_the_model_is_loaded(
    content: bytes | None, said: str, tmp_path: Path
) -> None:
    """The model that is named doesn't even exist."""
    path = tmp_path / "requests.txt"
    path.mkdir() if content is None else path.write_bytes(content)
    done = run("demo", "--requests", str(path), "--model", "local:missing.gguf", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert said in done.stderr


def test_the_mark_of_an_encoding_is_no_part_of_a_request(tmp_path: Path, script: str) -> None:
    """Some editors begin a file with it."""
    path = tmp_path / "requests.txt"
    path.write_bytes(b"\xef\xbb\xbfWeather?\n")
    done = run("demo", "--requests", str(path), "--model", script, "--json", cwd=tmp_path)
    assert json.loads(done.stdout)["runs"][0]["request"] == "Weather?"


@pytest.mark.parametrize(
    "words",
    [(), ("demo",), ("chat",), ("graph",), ("replay",), ("replay", "reports"), ("replay", "recorded"), ("bench",)],
)
def test_help_exists_for_every_command(words: tuple[str, ...], tmp_path: Path) -> None:
    """Every command explains itself."""
    done = run(*words, "--help", cwd=tmp_path)
    assert done.returncode == 0
    assert "Usage" in done.stdout


def test_chat_takes_a_second_model_that_reviews(tmp_path: Path) -> None:
    """Its doubt is shown like that of any layer, and the corrected call goes on."""
    mails = [{"to": to, "subject": "Hi", "body": "Hello"} for to in ("a@example.org", "b@example.org")]
    lines = [*({"tool_calls": [{"name": "send_email", "arguments": mail}]} for mail in mails), "Not sent."]
    for name, said in (("model", lines), ("judge", ['{"verdict": "fix"}'])):
        text = "".join(json.dumps(line) + "\n" for line in said)
        (tmp_path / f"{name}.jsonl").write_text(text, encoding="utf-8")
    words = ("chat", "Write Hello to a@example.org and b@example.org", "--model", "scripted:model.jsonl")
    done = run(*words, "--reviewer", "scripted:judge.jsonl", "--json", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    calls = json.loads(done.stdout)["calls"]
    last = [(call["verdicts"][-1]["layer"], call["verdicts"][-1]["verdict"]) for call in calls]
    assert last == [("reviewer", "revise"), ("risk", "ask")]

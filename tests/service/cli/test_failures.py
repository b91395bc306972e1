"""How `chat` and `demo` end where a request to the model failed: exit code, what is printed, and the JSON object."""

from __future__ import annotations

import json
import logging
from pathlib import Path

import pytest
from typer.testing import CliRunner

from reinforced_agent.service.cli.exits import EXITS
from reinforced_agent.service.cli.main import app
from tests.models.chat_server import said
from tests.models.failures import FAILURES, KEY, Failure, failing


@pytest.fixture(autouse=True)
def _folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Keep the data of the demo out of the folder of the tests."""
    monkeypatch.setenv("REINFORCED_AGENT_FOLDER", str(tmp_path))
    monkeypatch.setenv("COLUMNS", "200")


@pytest.mark.parametrize("failure", FAILURES, ids=lambda one: one.name)
def test_each_failure_has_its_exit_code(
    failure: Failure, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """A program that calls the command reads class, sentence and cause from one JSON object."""
    with failing(failure, monkeypatch):
        done = CliRunner().invoke(app, ["chat", "Good morning.", "--model", "openai:m", "--json"])
    told = json.loads(done.stdout)
    assert (done.exit_code, told["outcome"], told["model_error"]["kind"]) == (
        failure.code,
        failure.outcome,
        failure.kind,
    )
    assert told["detail"]
    assert KEY not in f"{done.output}{caplog.text}"
    assert [one for one in caplog.records if one.levelno >= logging.WARNING]


@pytest.mark.parametrize("words", [("chat", "Good morning."), ("demo",)], ids=["chat", "demo"])
def test_a_person_reads_the_sentence(words: tuple[str, ...], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """It stands in the answer, and the code says the same."""
    quota = next(one for one in FAILURES if one.name == "quota")
    (tmp_path / "requests.txt").write_text("Good morning.\n", encoding="utf-8")
    more = ["--requests", str(tmp_path / "requests.txt")] if "demo" in words else []
    with failing(quota, monkeypatch):
        done = CliRunner().invoke(app, [*words, *more, "--model", "openai:m"])
    assert done.exit_code == quota.code
    assert "is used up" in done.stdout


def test_a_turn_that_was_answered_ends_well(monkeypatch: pytest.MonkeyPatch) -> None:
    """There is no error in the JSON object then."""
    with failing(Failure("", said("Good morning."), "", "", 0, 0), monkeypatch):
        done = CliRunner().invoke(app, ["chat", "Good morning.", "--model", "openai:m", "--json"])
    assert (done.exit_code, json.loads(done.stdout)["model_error"]) == (0, None)


@pytest.mark.parametrize("command", ["chat", "demo"])
def test_the_help_names_every_exit_code(command: str) -> None:
    """It can be looked up where the command is."""
    text = " ".join(CliRunner().invoke(app, [command, "--help"], env={"COLUMNS": "400"}).stdout.split())
    told = text.partition("Exit code:")[2]
    assert told
    assert [code for code in sorted({0, 2, *EXITS.values()}) if f" {code} " not in f" {told} "] == []

"""The report command of the package: the records of a service, and nothing else."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from reinforced_agent.service.cli.main import app
from tests.evaluation.report_records import call, turn, write_ledger


def run(*words: str, **environment: str) -> Result:
    """Run the command."""
    return CliRunner().invoke(app, ["report", *words], env={"COLUMNS": "200", **environment})


@pytest.fixture
def ledger(tmp_path: Path) -> str:
    """Write the records of one turn."""
    return write_ledger(tmp_path / "ledger.db", turn(call(), "answer"))


def test_one_object_holds_the_numbers_of_the_service(ledger: str) -> None:
    """And nothing else is printed."""
    done = run("--db", ledger, "--json")
    assert (done.exit_code, done.stderr) == (0, "")
    found = json.loads(done.stdout)
    assert list(found) == ["service"]
    assert (found["service"]["turns"], found["service"]["calls"]) == (1, 1)


def test_the_ledger_of_the_settings_is_taken(ledger: str, tmp_path: Path) -> None:
    """Where no records are named; people get tables and, if they like, a page."""
    page = tmp_path / "page.html"
    done = run("--html", str(page), REINFORCED_AGENT_DATABASE=ledger)
    assert (done.exit_code, done.stderr) == (0, f"The page is in {str(page)!r}.\n")
    assert "First-call success" in done.stdout
    assert "First-call success" in page.read_text(encoding="utf-8")


def test_without_records_it_says_how_to_get_some() -> None:
    """On stderr, with exit code 2 and nothing on stdout."""
    done = run()
    assert (done.exit_code, done.stdout) == (2, "")
    assert "Nothing to report on: name records with --db. " in done.stderr

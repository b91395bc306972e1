"""The evaluation commands as a user meets them."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from benchmarks.__main__ import app
from benchmarks.bfcl import campaign
from benchmarks.bfcl.agreement import FILE
from benchmarks.bfcl.arms import ARMS
from benchmarks.bfcl.splits import split_of
from reinforced_agent.models.scripted import ScriptedModel
from tests.benchmarks.bfcl.bfcl_questions import MISSPELT, RIGHT, write_set
from tests.benchmarks.bfcl.test_bfcl_rules import recorded


DEV = sum(split_of(f"simple_python_{number}") == "dev" for number in range(8))
CALL: dict[str, Any] = {"tool_calls": [RIGHT]}


def run(*words: str) -> Result:
    """Run the command."""
    return CliRunner().invoke(app, [*words], env={"COLUMNS": "200"})


@pytest.fixture
def words(tmp_path: Path) -> tuple[str, ...]:
    """Write questions and a script that is always right, and return the command for both."""
    (tmp_path / "script.jsonl").write_text("".join(json.dumps(CALL) + "\n" for _ in range(40)), encoding="utf-8")
    questions = write_set(tmp_path)
    return (
        *("bfcl", "--model", f"scripted:{tmp_path / 'script.jsonl'}", "--arms", "off,layers"),
        *("--categories", "simple_python,irrelevance", "--questions", str(questions)),
    )


def test_the_numbers_come_as_one_json_object(tmp_path: Path, words: tuple[str, ...]) -> None:
    """In the documented shape, and nothing else on stdout."""
    done = run(*words, "--out", str(tmp_path / "out.jsonl"), "--json")
    assert (done.exit_code, done.stderr) == (0, "")
    found = json.loads(done.stdout)
    assert list(found["arms"]) == ["off", "layers"]
    counts = found["arms"]["layers"]["simple_python"]
    assert list(counts) == ["n", "right", "first_call_right", "helped", "harmed", "tokens", "seconds"]
    assert (counts["n"], counts["right"]) == (DEV, DEV)
    assert found["arms"]["layers"]["irrelevance"]["right"] == 0
    assert found["compared"]["layers"]["simple_python"]["both_right"] == DEV
    again = run("rescore", str(tmp_path / "out.jsonl"), "--questions", str(tmp_path), "--json")
    assert json.loads(again.stdout) == found


def test_the_help_names_every_arm() -> None:
    """What can be compared is read there."""
    told = run("bfcl", "--help").stdout
    assert all(name in told for name in ARMS)


def test_limits_and_splits_choose_the_questions(words: tuple[str, ...]) -> None:
    """The test split is the other half; a limit holds for every category."""
    test = json.loads(run(*words, "--split", "test", "--json").stdout)["arms"]["off"]
    assert test["simple_python"]["n"] == 8 - DEV
    few = json.loads(run(*words, "--limit", "2", "--json").stdout)["arms"]["off"]
    assert [counts["n"] for counts in few.values()] == [2, 2]


def test_people_get_tables(words: tuple[str, ...]) -> None:
    """For each category one of the arms, and one of the comparison."""
    done = run(*words, "--limit", "1")
    assert done.exit_code == 0
    assert "right at first" in done.stdout
    assert "simple_python, compared with off" in done.stdout


def test_ctrl_c_keeps_what_is_done(tmp_path: Path, words: tuple[str, ...], monkeypatch: pytest.MonkeyPatch) -> None:
    """The numbers so far, how many are kept and where, and how to go on."""
    script = ScriptedModel(lines=[CALL, CALL, CALL, KeyboardInterrupt()])
    monkeypatch.setattr(campaign, "resolve_model", lambda _spec: script)
    out = tmp_path / "out.jsonl"
    done = run(*words, "--out", str(out), "--json")
    assert done.exit_code == 130
    assert "Stopped after 3 of" in done.stderr
    assert "run the same command again to go on" in done.stderr
    assert json.loads(done.stdout)["arms"]["layers"]["simple_python"]["n"] == 1
    monkeypatch.undo()
    assert run(*words, "--out", str(out), "--json").exit_code == 0
    assert "name a file with --out" in _interrupted(words, monkeypatch).stderr


def _interrupted(words: tuple[str, ...], monkeypatch: pytest.MonkeyPatch) -> Result:
    """Interrupt an evaluation without a file."""
    monkeypatch.setattr(campaign, "resolve_model", lambda _spec: ScriptedModel(lines=[KeyboardInterrupt()]))
    return run(*words)


def test_questions_without_a_reply_are_told(words: tuple[str, ...], monkeypatch: pytest.MonkeyPatch) -> None:
    """They count in no arm, and are named with the reason."""
    script = ScriptedModel(lines=[TimeoutError("busy"), *[CALL] * 3])
    monkeypatch.setattr(campaign, "resolve_model", lambda _spec: script)
    done = run(*words, "--limit", "1", "--json")
    assert json.loads(done.stdout)["failed"] == 1
    assert "off: no reply to 'simple_python_" in done.stderr


def test_a_change_of_the_program_is_told(tmp_path: Path, words: tuple[str, ...]) -> None:
    """Results of two states of the source are counted, with a warning."""
    out = tmp_path / "out.jsonl"
    run(*words, "--limit", "1", "--out", str(out))
    out.write_text(out.read_text().replace(campaign.code_fingerprint(), "older", 1))
    done = run(*words, "--limit", "1", "--out", str(out), "--json")
    assert "source of this package was changed" in done.stderr


def test_changed_verdicts_are_told(tmp_path: Path, words: tuple[str, ...]) -> None:
    """Judging again says how many results are judged otherwise."""
    out = tmp_path / "out.jsonl"
    run(*words, "--out", str(out))
    answers = tmp_path / "possible_answer" / "BFCL_v4_simple_python.json"
    answers.write_text(answers.read_text().replace("[4]", "[5]"))
    done = run("rescore", str(out), "--questions", str(tmp_path))
    assert f"{2 * DEV} of {4 * DEV} results are judged otherwise" in done.stderr


def test_the_agreement_is_shown(tmp_path: Path) -> None:
    """Counts for people and as JSON; a disagreement with both verdicts."""
    with gzip.open(tmp_path / FILE, "wt", encoding="utf-8") as file:
        file.writelines(json.dumps(one) + "\n" for one in (recorded(), recorded(is_correct=False, error_type="a:b")))
    done = run("agreement", str(tmp_path))
    assert "1 of 2 verdicts agree" in done.stdout
    assert "disagreements" in done.stdout
    found = json.loads(run("agreement", str(tmp_path), "--json").stdout)
    assert (found["n"], found["agreements"]) == (2, 1)


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        pytest.param({"--arms": "best"}, "'best' is no arm: choose from", id="arm"),
        pytest.param({"--arms": "masked"}, "'masked' is for embedded models", id="arm of other models"),
        pytest.param({"--categories": "simple_java"}, "only a Java parser can compare", id="category left out"),
        pytest.param({"--categories": "hard"}, "'hard' is no category: choose from simple_python", id="category"),
        pytest.param({"--categories": ","}, "No category is named", id="no category"),
        pytest.param({"--questions": "nowhere"}, "Name a folder laid out as", id="questions"),
        pytest.param({"--model": "nonsense"}, "`openai:NAME`", id="model"),
        pytest.param({"--model": "scripted:nowhere"}, "'scripted:nowhere' can't be read", id="script"),
        pytest.param({"--workers": "2"}, "leave out --workers", id="script in two processes"),
        pytest.param({"--out": "/nowhere/out"}, "can't be written", id="results"),
    ],
)
def test_what_is_wrong_is_said_in_a_sentence(words: tuple[str, ...], changed: dict[str, str], said: str) -> None:
    """Exit code 2, nothing on stdout, no traceback."""
    done = run(*words, *(word for option in changed.items() for word in option))
    assert (done.exit_code, done.stdout) == (2, "")
    assert said in done.stderr
    assert "Traceback" not in done.stderr


def test_what_cannot_be_judged_again_is_said(tmp_path: Path) -> None:
    """A file of another kind, and a folder without recorded responses."""
    (tmp_path / "list.txt").write_text("milk\n")
    assert "holds no results" in run("rescore", str(tmp_path / "list.txt")).stderr
    assert run("agreement", str(tmp_path)).exit_code == 2


def test_a_misspelt_call_is_helped_on_the_way(
    tmp_path: Path, words: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    """From the command to the counts: wrong at first, right when it would run."""
    script = ScriptedModel(lines=[{"tool_calls": [MISSPELT]}, CALL])
    monkeypatch.setattr(campaign, "resolve_model", lambda _spec: script)
    chosen = ("--arms", "layers", "--categories", "simple_python", "--limit", "1", "--json")
    found = json.loads(run(*words, *chosen).stdout)
    counts = found["arms"]["layers"]["simple_python"]
    assert (counts["helped"], counts["first_call_right"], counts["right"]) == (1, 0, 1)
    assert found["compared"] == {}
    assert not (tmp_path / "out.jsonl").exists()

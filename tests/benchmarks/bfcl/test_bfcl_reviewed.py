"""The arm with a reviewer: what would have run without it, what it cost, and what the command says about it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from benchmarks.__main__ import app
from benchmarks.bfcl import reviewed
from benchmarks.bfcl.arms import ARMS, ArmError, Trial
from benchmarks.bfcl.campaign import judged
from benchmarks.bfcl.questions import Question
from benchmarks.bfcl.reviewed import Jury, with_jury
from reinforced_agent.models.scripted import ScriptedModel
from tests.benchmarks.bfcl.bfcl_questions import MISSPELT, RIGHT, WRONG, question_of, write_set


GOOD, FIX = {"content": '{"verdict": "good"}'}, {"content": '{"verdict": "fix"}'}


def call(*calls: dict[str, Any]) -> dict[str, Any]:
    """Propose calls."""
    return {"tool_calls": list(calls)}


def script(path: Path, *lines: Any) -> str:
    """Write a script, and return the text that names it."""
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return f"scripted:{path}"


@pytest.fixture(autouse=True)
def _anew() -> None:
    """Begin every script at its first line."""
    reviewed._model.cache_clear()


def attempt(folder: Path, lines: list[Any], said: list[Any]) -> tuple[Trial, Question]:
    """Try a question with scripts for model and reviewer."""
    jury = Jury(spec=script(folder / "reviewer.jsonl", *said))
    [arm] = with_jury([ARMS["reviewed"]], jury)
    question = question_of(folder, "simple_python")
    return arm.try_on(ScriptedModel(lines=lines), question), question


@pytest.mark.parametrize(
    ("lines", "said", "right"),
    [
        pytest.param([call(RIGHT)], [GOOD], (True, True, True), id="passes"),
        pytest.param([call(WRONG), call(RIGHT)], [FIX], (False, False, True), id="mends"),
        pytest.param([call(RIGHT), call(WRONG)], [FIX], (True, True, False), id="spoils"),
        pytest.param([call(RIGHT), "No idea."], [FIX], (True, True, False), id="talks-out-of-it"),
        pytest.param([call(RIGHT), call(RIGHT)], [FIX], (True, True, True), id="insists"),
        pytest.param([call(WRONG), call(WRONG)], [FIX], (False, False, False), id="insists-wrongly"),
        pytest.param([call(MISSPELT), call(RIGHT)], [GOOD], (False, True, True), id="layers-mend"),
        pytest.param([call(MISSPELT), call(WRONG), call(RIGHT)], [FIX], (False, False, True), id="both-mend"),
        pytest.param([call(WRONG)], ["I can't say."], (False, False, False), id="no-opinion"),
        pytest.param(["No idea."], [], (False, False, False), id="no-call"),
    ],
)
def test_what_the_reviewer_changed_is_told_apart(
    tmp_path: Path, lines: list[Any], said: list[Any], right: tuple[bool, bool, bool]
) -> None:
    """Right at first, without the reviewer, and in the end."""
    trial, question = attempt(tmp_path, lines, said)
    assert trial.unreviewed is not None
    three = (trial.first, trial.unreviewed, trial.final)
    assert tuple(judged(question, one).right for one in three) == right


def test_its_words_are_no_proposal_and_its_cost_is_kept(tmp_path: Path) -> None:
    """Exchanges are those of the model; the reviews stand beside them."""
    trial, _ = attempt(tmp_path, [call(WRONG), call(RIGHT)], [FIX])
    assert len(trial.exchanges) == 2
    assert [review["outcome"] for review in trial.reviews] == ["objected", "not asked"]


def test_arm_and_reviewer_belong_together(tmp_path: Path) -> None:
    """One without the other is said at once."""
    with pytest.raises(ArmError, match="no reviewer for it"):
        with_jury([ARMS["reviewed"]], None)
    with pytest.raises(ArmError, match="but not this arm"):
        with_jury([ARMS["off"]], Jury(spec="local"))


def run(folder: Path, *words: str, arms: str = "reviewed") -> Result:
    """Run the command on eight questions, of which those of one half are asked."""
    model = script(folder / "model.jsonl", *([call(WRONG), call(RIGHT)] * 8))
    fixed = ("--arms", arms, "--categories", "simple_python", "--questions", str(write_set(folder)))
    return CliRunner().invoke(app, ["bfcl", "--model", model, *fixed, *words], env={"COLUMNS": "200"})


def test_the_command_weighs_the_reviewer(tmp_path: Path) -> None:
    """The numbers come in JSON and as a table, and a file of results gives them again without a model."""
    reviewer = script(tmp_path / "reviewer.jsonl", *[FIX] * 8)
    out = tmp_path / "out.jsonl"
    done = run(tmp_path, "--reviewer", reviewer, "--json", "--out", str(out))
    assert done.exit_code == 0, done.output
    found = json.loads(done.stdout)["reviewer"]["reviewed"]["all"]
    assert found["table"] == {"kept": 0, "harmed": 0, "helped": found["n"], "unmended": 0}
    assert (found["asked"], found["objected"], found["no_opinion"]) == (found["n"],) * 2 + (0,)
    again = CliRunner().invoke(app, ["rescore", str(out), "--questions", str(tmp_path)])
    assert found["sentence"] in again.stdout
    other = run(tmp_path, "--reviewer", reviewer, "--loops", "2", "--out", str(out))
    assert other.exit_code == 2
    assert "other settings" in other.stderr


def test_a_reviewer_that_says_nothing_is_named(tmp_path: Path) -> None:
    """A comparison in which nobody reviewed is not taken for one."""
    done = run(tmp_path, "--reviewer", script(tmp_path / "reviewer.jsonl", *["Hm."] * 16), "--limit", "1")
    assert "no opinion 1 of 1 times" in done.stderr


@pytest.mark.parametrize(
    ("words", "said"),
    [
        pytest.param([], "no reviewer for it", id="none"),
        pytest.param(["--reviewer", "scripted:nowhere.jsonl"], "can't be used", id="missing-file"),
        pytest.param(["--reviewer", "local", "--reviewer-prompt", "nowhere.md"], "can't be used", id="missing-prompt"),
    ],
)
def test_a_reviewer_that_cannot_be_used_ends_the_command(tmp_path: Path, words: list[str], said: str) -> None:
    """With one sentence, before any question is asked."""
    done = run(tmp_path, *words)
    assert done.exit_code == 2
    assert said in done.stderr


def test_arms_without_a_reviewer_report_none(tmp_path: Path) -> None:
    """The shape of the numbers stays what it was."""
    assert "reviewer" not in json.loads(run(tmp_path, "--json", "--limit", "1", arms="layers").stdout)

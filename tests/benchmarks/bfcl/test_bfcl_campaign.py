"""A campaign: nothing is done twice, nothing that was done is lost, and the counts are right."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from benchmarks.bfcl.arms import ArmError
from benchmarks.bfcl.campaign import CampaignError, judge_again, make_model, plan, run
from benchmarks.bfcl.identity import identity_of
from benchmarks.bfcl.measures import compare, count, exact_mcnemar
from benchmarks.bfcl.questions import load_questions
from benchmarks.bfcl.results import Results, open_results, read_results
from reinforced_agent.models.local import LocalChatModel
from reinforced_agent.models.scripted import ScriptedModel
from tests.architecture.house import ROOT
from tests.benchmarks.bfcl.bfcl_campaign import SETTINGS, always, tasks_of
from tests.benchmarks.bfcl.bfcl_questions import MISSPELT, RIGHT, WRONG, write_set


def propose(*calls: dict[str, Any]) -> dict[str, Any]:
    """Propose calls."""
    return {"tool_calls": list(calls)}


def test_all_arms_of_a_question_come_together_and_categories_in_turn(tmp_path: Path) -> None:
    """So that whatever part is done is a fair sample."""
    tasks = tasks_of(write_set(tmp_path, 2))
    assert [(question.id, arm.name) for arm, question in tasks[:4]] == [
        ("simple_python_0", "off"),
        ("simple_python_0", "layers"),
        ("irrelevance_0", "off"),
        ("irrelevance_0", "layers"),
    ]
    assert len(tasks) == 8


def test_an_interrupted_campaign_goes_on_where_it_stopped(tmp_path: Path) -> None:
    """Ctrl-C in the middle keeps what is done, and the second run asks only the rest."""
    tasks = tasks_of(write_set(tmp_path, 2))
    file = tmp_path / "results.jsonl"
    interrupted = ScriptedModel(lines=[propose(RIGHT)] * 3 + [KeyboardInterrupt()])
    with pytest.raises(KeyboardInterrupt), open_results(file, SETTINGS) as results:
        run(tasks, lambda: interrupted, results)
    rest = always()
    seen: list[int] = []
    with open_results(file, SETTINGS) as results:
        outcome = run(tasks, lambda: rest, results, on_done=seen.append)
    assert len(rest.seen) == 5
    assert seen == [3, 4, 5, 6, 7, 8]
    assert len(outcome.results) == len(read_results(file)[1]) == 8


def test_a_finished_campaign_loads_no_model(tmp_path: Path) -> None:
    """Everything is found, nothing is asked."""
    tasks = tasks_of(write_set(tmp_path, 1))
    results = Results(SETTINGS)
    run(tasks, always, results)
    outcome = run(tasks, lambda: pytest.fail("the model was made"), results)
    assert len(outcome.results) == 4


def test_a_changed_question_is_asked_again(tmp_path: Path) -> None:
    """Results are kept under what was asked, not under the name of the question alone."""
    results = Results(SETTINGS)
    run(tasks_of(write_set(tmp_path, 1), "simple_python"), always, results)
    path = tmp_path / "BFCL_v4_simple_python.json"
    path.write_text(path.read_text().replace("how much paint", "how many litres"))
    model = always()
    run(tasks_of(tmp_path, "simple_python"), lambda: model, results)
    assert len(model.seen) == 2


@pytest.fixture
def killed(tmp_path: Path) -> Path:
    """Kill an evaluation after it has kept a few results, and return its file."""
    file = tmp_path / "results.jsonl"
    worker = subprocess.Popen(
        [sys.executable, "-m", "tests.benchmarks.bfcl.bfcl_worker", str(write_set(tmp_path, 20)), str(file)],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )
    deadline = time.monotonic() + 60
    while not (file.exists() and file.read_bytes().count(b"\n") > 3):
        assert worker.poll() is None, "the evaluation ended by itself"
        assert time.monotonic() < deadline, "the evaluation keeps nothing"
        time.sleep(0.02)
    worker.send_signal(signal.SIGKILL)
    worker.wait()
    return file


@pytest.mark.skipif(sys.platform == "win32", reason="Windows knows no SIGKILL")
def test_a_killed_evaluation_goes_on_where_it_stopped(tmp_path: Path, killed: Path) -> None:
    """What was kept stays byte for byte, and every trial is there once at the end."""
    before, kept = killed.read_bytes(), read_results(killed)[1]
    tasks, model = tasks_of(tmp_path), always()
    with open_results(killed, SETTINGS) as results:
        run(tasks, lambda: model, results)
    assert 3 <= len(kept) < len(tasks)
    assert len(model.seen) == len(tasks) - len(kept)
    assert killed.read_bytes().startswith(before[: before.rindex(b"\n") + 1])
    assert len(read_results(killed)[1]) == len(tasks)


def test_several_processes_find_the_same(tmp_path: Path) -> None:
    """Two workers, each with a model of its own."""
    tasks = tasks_of(write_set(tmp_path, 2))
    found = run(tasks, always, Results(SETTINGS), workers=2)
    assert {(one.arm, one.id, one.final.right) for one in found.results} == {
        (arm.name, question.id, question.category == "simple_python") for arm, question in tasks
    }


def nothing() -> ScriptedModel:
    """Fail to make a model."""
    msg = "no memory"
    raise RuntimeError(msg)


def test_a_worker_that_dies_is_told(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """The campaign ends with a reason instead of waiting for ever."""
    with pytest.raises(CampaignError, match="A worker process has ended too early"):
        run(tasks_of(write_set(tmp_path, 1)), nothing, Results(SETTINGS), workers=2)
    assert "no memory" in capfd.readouterr().err


def test_a_question_without_a_reply_is_not_counted_and_asked_again(tmp_path: Path) -> None:
    """An outage is no wrong answer."""
    tasks = tasks_of(write_set(tmp_path, 2), "simple_python")
    results = Results(SETTINGS)
    flaky = ScriptedModel(lines=[propose(RIGHT), TimeoutError("busy"), propose(RIGHT), propose(RIGHT)])
    outcome = run(tasks, lambda: flaky, results)
    assert [(arm, test_id) for arm, test_id, _ in outcome.failures] == [("layers", "simple_python_0")]
    assert "busy" in outcome.failures[0][2]
    assert len(outcome.results) == 3
    again = always()
    assert len(run(tasks, lambda: again, results).results) == 4
    assert len(again.seen) == 1


def test_a_dead_model_ends_the_campaign(tmp_path: Path) -> None:
    """After three questions in a row without a reply; what was done before is kept."""
    results = Results(SETTINGS)
    dying = ScriptedModel(lines=[propose(RIGHT), ConnectionError("gone")], repeat_last=True)
    with pytest.raises(CampaignError, match=r"no reply 3 times in a row.*gone"):
        run(tasks_of(write_set(tmp_path, 4)), lambda: dying, results)
    assert len(results.kept) == 1


def test_a_model_that_cannot_take_part_is_asked_nothing(tmp_path: Path) -> None:
    """The arms are looked at before the first question."""
    with pytest.raises(ArmError, match="'off' is for served models"):
        run(tasks_of(write_set(tmp_path, 1)), lambda: LocalChatModel(engine=None), Results(SETTINGS))


LINES = [
    *(propose(RIGHT), propose(MISSPELT), propose(RIGHT)),  # off right; layers helped
    *(propose(WRONG), propose(WRONG)),  # both wrong
    *("No.", propose(RIGHT)),  # only layers right
]
"""What a model says to three questions, alone and with the layers."""


@pytest.fixture
def results(tmp_path: Path) -> Results:
    """Run three questions."""
    results = Results(SETTINGS)
    run(tasks_of(write_set(tmp_path, 3), "simple_python"), lambda: ScriptedModel(lines=LINES), results)
    return results


def test_each_arm_is_counted(results: Results) -> None:
    """Right, right at once, helped and harmed, by arm and category."""
    counts = count(results.kept.values(), ["off", "layers"], ["simple_python", "multiple"])
    assert {name: counts["off"]["simple_python"][name] for name in ("n", "right", "helped")} == {
        "n": 3,
        "right": 1,
        "helped": 0,
    }
    layers = counts["layers"]["simple_python"]
    assert (layers["right"], layers["first_call_right"], layers["helped"], layers["harmed"]) == (2, 1, 1, 0)
    assert layers["tokens"] is None
    assert layers["seconds"] > 0
    assert counts["off"]["multiple"]["n"] == 0


def test_arms_are_compared_question_by_question(results: Results) -> None:
    """The table of two by two against the first arm, with the share gained and the exact test."""
    found = compare(results.kept.values(), ["off", "layers"], ["simple_python"])
    assert found == {
        "layers": {
            "simple_python": {
                "n": 3,
                "both_right": 1,
                "gained": 1,
                "lost": 0,
                "both_wrong": 1,
                "net_lift": 0.3333,
                "p": 1.0,
            }
        }
    }


@pytest.mark.parametrize(
    ("gained", "lost", "probability"),
    [
        pytest.param(0, 0, 1.0, id="nothing changed"),
        pytest.param(5, 5, 1.0, id="even"),
        pytest.param(5, 0, 0.0625, id="five to nothing"),
        pytest.param(1, 9, 0.021484, id="one to nine"),
    ],
)
def test_the_exact_test_gives_the_known_probabilities(gained: int, lost: int, probability: float) -> None:
    """Two-sided, from the binomial distribution."""
    assert exact_mcnemar(gained, lost) == pytest.approx(probability, abs=1e-6)


def test_results_are_judged_again_by_the_present_answers(tmp_path: Path, results: Results) -> None:
    """Changed answers change the verdict; changed or missing questions can't be judged."""
    kept = list(results.kept.values())
    questions = load_questions("simple_python", tmp_path)
    assert judge_again(kept, questions) == kept
    path = tmp_path / "possible_answer" / "BFCL_v4_simple_python.json"
    path.write_text(path.read_text().replace("[4]", "[5]"))
    changed = judge_again(kept, load_questions("simple_python", tmp_path))
    assert [one.final.right for one in changed] == [False, False, True, True, False, False]
    with pytest.raises(CampaignError, match="'simple_python_1' is not there"):
        judge_again(kept, questions[:1])
    path = tmp_path / "BFCL_v4_simple_python.json"
    path.write_text(path.read_text().replace("how much paint", "how many litres"))
    with pytest.raises(CampaignError, match="'simple_python_0' is another one by now"):
        judge_again(kept, load_questions("simple_python", tmp_path))


def test_models_of_one_name_are_told_apart(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """By their file, or by their server, whose address isn't kept."""
    script = tmp_path / "script.jsonl"
    script.write_text('"Hello"\n')
    before = identity_of(f"scripted:{script}+json")
    script.write_text('"Good day"\n')
    assert identity_of(f"scripted:{script}") != before
    monkeypatch.setenv("OPENAI_BASE_URL", "http://user:password@here/v1")
    here = identity_of("openai:small")
    monkeypatch.setenv("OPENAI_BASE_URL", "http://there/v1")
    assert identity_of("openai:small") != here
    assert "password" not in str(here)
    assert identity_of("local") == identity_of("local+json")


def test_a_model_that_cannot_be_made_is_told(tmp_path: Path) -> None:
    """The reason of the factory is passed on."""
    with pytest.raises(CampaignError, match="`openai:NAME`"):
        make_model("nonsense")
    with pytest.raises(CampaignError, match="can't be read"):
        make_model(f"scripted:{tmp_path / 'missing'}")
    assert plan([], {}) == []

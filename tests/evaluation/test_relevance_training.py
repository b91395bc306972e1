"""Training the relevance scorer: cross-fitted by test case, calibrated, and written as plain trees."""

from __future__ import annotations

import json
from itertools import product
from pathlib import Path

import pytest
from typer.testing import CliRunner

from reinforced_agent.evaluation.relevance.report import describe
from reinforced_agent.evaluation.relevance.responses import FOLDS, fold_of, proposal_of, question_about
from reinforced_agent.evaluation.relevance.samples import Sample, read_samples
from reinforced_agent.evaluation.relevance.training import TrainingError, train
from reinforced_agent.evaluation.replay.recorded import FILE
from reinforced_agent.policies.relevance import Forest
from reinforced_agent.service.cli.main import app
from tests.evaluation.recordings import response, write


ASKED = [{"role": "user", "content": "What is the area of a square with a base of 5 cm?"}]
RIGHT = [{"name": "area", "arguments": {"base": 5, "unit": "cm"}}]
WRONG = [{"name": "area", "arguments": {"base": 7, "unit": "cm"}}, {"name": "area", "arguments": {"base": 7}}]


def _folder(tmp_path: Path, questions: int = 60) -> Path:
    """Write responses of two models to many questions: those of one use a number that nobody said."""
    told = [
        {**response(calls, right=right), "id": f"q{number}", "model": model, "messages": ASKED}
        for number, (calls, right, model) in product(range(questions), ((RIGHT, True, "good"), (WRONG, False, "bad")))
    ]
    return write(tmp_path, told)


def _samples(folder: Path) -> list[Sample]:
    """Describe the responses, in this process."""
    return read_samples(folder, workers=1)


def test_all_responses_to_a_question_are_left_out_together(tmp_path: Path) -> None:
    """The part of a response is that of its question."""
    samples = _samples(_folder(tmp_path))
    assert {(sample.id, sample.fold) for sample in samples} == {(s.id, fold_of(s.id)) for s in samples}
    assert {sample.fold for sample in samples} == set(range(FOLDS))


@pytest.mark.parametrize(
    "broken",
    [
        pytest.param({"calls": None}, id="no call"),
        pytest.param({"messages": []}, id="no request"),
        pytest.param({"messages": [{"role": "user", "content": "面积是多少？"}]}, id="another language"),
        pytest.param({"calls": [{"name": "area", "arguments": "5"}]}, id="unreadable"),
    ],
)
def test_what_cannot_be_judged_is_no_sample(broken: dict[str, object]) -> None:
    """There is nothing to learn from it, and nothing is asked about it."""
    told = {**response(RIGHT, right=True), "messages": ASKED, **broken}
    assert proposal_of(told) is None
    assert question_about(told) == ""


def test_what_can_be_told_apart_is_learned(tmp_path: Path) -> None:
    """Wrong responses to questions that were left out get the higher probabilities, which are true on average."""
    pytest.importorskip("lightgbm")
    samples = _samples(_folder(tmp_path))
    found = describe(train(samples, harm=0.01), samples)
    assert found["test_cases"] == 60
    assert found["chosen"]["wrong"]["value"] == 1.0
    assert found["chosen"]["right"]["value"] == 0.0
    assert found["brier"] < 0.05


def test_nothing_can_be_learned_from_one_kind(tmp_path: Path) -> None:
    """A folder with right responses only is refused."""
    told = {**response(RIGHT, right=True), "messages": ASKED}
    with pytest.raises(TrainingError, match="right and wrong"):
        train(_samples(write(tmp_path, [told])), harm=0.01)


def test_the_command_writes_trees_that_can_be_read(tmp_path: Path) -> None:
    """What it writes is a forest, and the same input gives the same file."""
    pytest.importorskip("lightgbm")
    folder, out = _folder(tmp_path), tmp_path / "forest.json"
    texts = []
    for _ in range(2):
        done = CliRunner().invoke(app, ["train", "relevance", str(folder), "--out", str(out), "--json"])
        assert done.exit_code == 0, done.output
        assert json.loads(done.stdout)["samples"] == 120
        texts.append(out.read_text("utf-8"))
    assert texts[0] == texts[1]
    assert len(Forest.from_json(json.loads(texts[0])).folds) == FOLDS


def test_the_command_prints_the_trade_off(tmp_path: Path) -> None:
    """Without --json there is a table."""
    pytest.importorskip("lightgbm")
    done = CliRunner().invoke(app, ["train", "relevance", str(_folder(tmp_path))])
    assert "threshold" in done.stdout


def test_a_folder_without_data_is_named(tmp_path: Path) -> None:
    """The command ends with one sentence."""
    done = CliRunner().invoke(app, ["train", "relevance", str(tmp_path)])
    assert done.exit_code == 2
    assert FILE in done.output


def test_what_is_asked_tells_the_probability() -> None:
    """Trees that dislike repeated calls ask about a response that holds one."""
    tree = [0, 0.5, -3.0, 3.0]
    data = {"features": ["calls same"], "folds": [[tree]] * FOLDS, "slope": 1, "intercept": 0, "threshold": 0.5}
    forest = Forest.from_json(data)
    assert question_about({**response(RIGHT * 2), "messages": ASKED}, forest) == "wrong with probability 0.95"
    assert question_about({**response(RIGHT), "messages": ASKED}, forest) == ""

"""The arms: what counts as the first proposal and as the one that would run, and what is written down."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from langchain_core.messages import AIMessage

from benchmarks.bfcl.arms import ARMS, ArmError, ModelFailedError, Trial, choose_arms
from benchmarks.bfcl.campaign import judged
from benchmarks.bfcl.questions import Question
from reinforced_agent.models.factory import resolve_model
from reinforced_agent.models.local import LocalChatModel
from reinforced_agent.models.scripted import ScriptedModel
from tests.benchmarks.bfcl.bfcl_questions import MISSPELT, RIGHT, WRONG, question_of
from tests.models.guided_server import running, strict_tools


BRUSH: dict[str, Any] = {"name": "find_brush", "arguments": {"size": "big"}}
BADLY_BRUSHED: dict[str, Any] = {"name": "find_brush", "arguments": {"sise": "big"}}


def call(*calls: dict[str, Any]) -> dict[str, Any]:
    """Propose calls."""
    return {"tool_calls": list(calls)}


def attempt(arm: str, question: Question, *lines: Any) -> tuple[Trial, tuple[bool, bool], ScriptedModel]:
    """Try a question with a script; return whether the first and the final proposal are right, and the script."""
    model = ScriptedModel(lines=list(lines))
    trial = ARMS[arm].try_on(model, question)
    return trial, (judged(question, trial.first).right, judged(question, trial.final).right), model


@pytest.mark.parametrize(
    ("arm", "category", "lines", "right"),
    [
        pytest.param("off", "simple_python", [call(RIGHT)], (True, True), id="alone and right"),
        pytest.param("off", "simple_python", [call(MISSPELT)], (False, False), id="alone and wrong"),
        pytest.param("free", "simple_python", [call(RIGHT)], (True, True), id="free is the same for a served model"),
        pytest.param("layers", "simple_python", [call(RIGHT)], (True, True), id="right at once"),
        pytest.param("layers", "simple_python", [call(MISSPELT), call(RIGHT)], (False, True), id="helped"),
        pytest.param("layers", "simple_python", [call(MISSPELT), call(WRONG)], (False, False), id="mended but wrong"),
        pytest.param("layers", "simple_python", [call(MISSPELT), "No idea."], (False, False), id="given up"),
        pytest.param("layers", "irrelevance", [call(MISSPELT), "No idea."], (False, True), id="given up rightly"),
        pytest.param("layers", "irrelevance", ["Nobody knows."], (True, True), id="no call where none fits"),
        pytest.param("layers", "parallel", [call(BRUSH, RIGHT)], (True, True), id="two calls at once"),
        pytest.param(
            "layers", "parallel", [call(BADLY_BRUSHED, RIGHT), call(BRUSH)], (False, True), id="one of two sent back"
        ),
        pytest.param("layers", "parallel", [call(RIGHT), call(BRUSH)], (False, False), id="too few at once"),
    ],
)
def test_first_and_accepted_proposals_are_told_apart(
    tmp_path: Path, arm: str, category: str, lines: list[Any], right: tuple[bool, bool]
) -> None:
    """The first is judged as it was written, the accepted one as it would run; later proposals don't count."""
    assert attempt(arm, question_of(tmp_path, category), *lines)[1] == right


def test_nothing_is_asked_after_a_proposal_was_accepted(tmp_path: Path) -> None:
    """No tool runs, so that there is no result to talk about."""
    *_, model = attempt("layers", question_of(tmp_path, "simple_python"), call(RIGHT), "The paint is on the wall.")
    assert len(model.seen) == 1


def test_calls_written_as_text_count_and_broken_ones_are_unreadable(tmp_path: Path) -> None:
    """The reader of the graph has its say in every arm."""
    question = question_of(tmp_path, "simple_python")
    leaked = '<tool_call>{"name": "paint_needed", "arguments": {"width": 4, "height": 2.5}}</tool_call>'
    assert attempt("off", question, leaked)[1] == (True, True)
    broken = call({"name": "paint_needed", "arguments": '{"width": 4, "hei'})
    trial, right, _ = attempt("off", question, broken)
    assert right == (False, False)
    assert trial.first.unreadable
    assert judged(question, trial.first).fault == "decoder_failed"


@pytest.mark.parametrize("arm", ["off", "layers"])
def test_everything_said_is_written_down(tmp_path: Path, arm: str) -> None:
    """Messages, raw calls, why the reply ended, tokens as the model counts them, seconds."""
    usage = {"input_tokens": 30, "output_tokens": 5, "total_tokens": 35}
    said = AIMessage(
        "", tool_calls=[{"name": "paint_needed", "args": RIGHT["arguments"], "id": "1"}], usage_metadata=usage
    )
    trial, *_ = attempt(arm, question_of(tmp_path, "simple_python"), said)
    [exchange] = trial.exchanges
    assert [message["role"] for message in exchange["shown"]] == ["system", "human"]
    assert exchange["said"]["calls"] == [RIGHT]
    assert exchange["said"]["usage"] == usage
    assert trial.tokens == 35
    assert trial.seconds > 0


def test_feedback_is_written_down_and_tokens_add_up(tmp_path: Path) -> None:
    """The second request shows the objection; a model that counts nothing has no tokens rather than none."""
    trial, *_ = attempt("layers", question_of(tmp_path, "simple_python"), call(MISSPELT), call(RIGHT))
    assert len(trial.exchanges) == 2
    assert "`width`" in trial.exchanges[1]["shown"][-1]["content"]
    assert trial.tokens is None


def test_a_guided_proposal_is_judged_without_the_nulls_of_strict_tools(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A strict model says null for what it leaves out; that is not what it proposes."""
    question = question_of(tmp_path, "simple_python")
    with running("masks") as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.address)
        monkeypatch.setenv("OPENAI_API_KEY", "made-up")
        server.drafts = [[MISSPELT, RIGHT]]
        trial = ARMS["guided"].try_on(resolve_model("openai:m"), question)
    assert judged(question, trial.first).right
    assert judged(question, trial.final).right
    assert strict_tools(server.requests[0])


@pytest.mark.parametrize("arm", ["off", "layers"])
def test_a_model_that_gives_no_reply_has_failed(tmp_path: Path, arm: str) -> None:
    """What its client says is passed on; that is no wrong answer."""
    with pytest.raises(ModelFailedError, match="TimeoutError: too slow"):
        attempt(arm, question_of(tmp_path, "simple_python"), TimeoutError("too slow"))


@pytest.mark.parametrize(
    ("names", "said"),
    [
        pytest.param(["off", "best"], "'best' is no arm: choose from free, retry, masked", id="unknown"),
        pytest.param([], "No arm is named: choose from free", id="none"),
    ],
)
def test_arms_are_chosen_by_name(names: list[str], said: str) -> None:
    """An unknown arm is told with those there are."""
    with pytest.raises(ArmError, match=said):
        choose_arms(names)
    assert [arm.name for arm in choose_arms(["layers", "off", "layers"])] == ["layers", "off"]


def test_arms_say_which_models_can_take_part() -> None:
    """Grammars are for the embedded model; without one, what would work is named."""
    served, embedded = ScriptedModel(lines=[]), LocalChatModel(engine=None)
    with pytest.raises(
        ArmError, match="'masked' is for embedded models: for this one, choose from free, retry, off, layers"
    ):
        ARMS["masked"].require(served)
    with pytest.raises(ArmError, match="'layers' is for served models: for this one, choose from free, retry, masked"):
        ARMS["layers"].require(embedded)
    ARMS["free"].require(embedded)

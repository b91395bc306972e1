"""Reading questions: from a folder, from the installed wheel, and what is said when something is wrong with them."""

from __future__ import annotations

import sys
from importlib import metadata
from pathlib import Path
from typing import Any

import pytest

from benchmarks.bfcl.checker import legal_name
from benchmarks.bfcl.questions import CATEGORIES, INSTALL, QuestionsError, load_questions
from benchmarks.bfcl.splits import sample, split_of
from tests.benchmarks.bfcl.bfcl_questions import BRUSH, PAINT, WANTED, ask, write, write_set


def test_questions_come_with_legal_tools_and_their_answers(tmp_path: Path) -> None:
    """Names lose their dots, Python types become JSON Schema, and order is kept."""
    question = load_questions("parallel", write_set(tmp_path))[1]
    assert (question.id, question.system) == ("parallel_1", "")
    assert [tool["name"] for tool in question.tools] == ["paint_needed", "find_brush"]
    paint, brush = (tool["parameters"] for tool in question.tools)
    assert (paint["type"], paint["required"]) == ("object", ["width", "height"])
    assert paint["properties"]["height"] == {"type": "number", "description": "Metres."}
    assert paint["properties"]["colour"]["enum"] == ["white", "grey"]
    assert brush["properties"]["size"] == {"description": "Size."}
    assert brush["properties"]["span"] == {"type": "array", "items": {"type": "number"}, "description": "From and to."}
    assert question.answers[0] == WANTED


def test_what_the_host_says_is_kept_apart_and_talks_that_went_on_are_left_out(tmp_path: Path) -> None:
    """System messages are the prompt, several user messages stay in order, and earlier answers can't be asked."""
    write(
        tmp_path,
        "live_irrelevance",
        [
            ask("a", PAINT, messages=[("system", "Be brief."), ("user", "Hello"), ("user", "Sing")]),
            ask("b", PAINT, messages=[("user", "Hello"), ("assistant", "Yes?"), ("user", "Sing")]),
        ],
    )
    [question] = load_questions("live_irrelevance", tmp_path)
    assert (question.id, question.system, question.requests) == ("a", "Be brief.", ("Hello", "Sing"))


@pytest.mark.parametrize(
    ("items", "answers", "said"),
    [
        pytest.param(None, None, "can't be read", id="no questions"),
        pytest.param([ask("a", PAINT)], None, "can't be read", id="no answers"),
        pytest.param(["text"], [], "line 1 is no JSON object", id="a text for a question"),
        pytest.param([{"id": "a", "question": "Hello"}], [], "'a' is no question of one turn", id="another layout"),
        pytest.param(
            [ask("a", PAINT)], [{"id": "b", "ground_truth": [WANTED]}], "'a' has no answer", id="answer missing"
        ),
        pytest.param([ask("a", PAINT)], [{"id": "a", "ground_truth": [3]}], "'a': AttributeError", id="answer no call"),
        pytest.param(
            [ask("a", PAINT)], [{"id": "a", "ground_truth": [{"f": {"x": 1}}]}], "no lists", id="values no lists"
        ),
        pytest.param(
            [ask("a", {**BRUSH, "parameters": {"type": "matrix"}})],
            [{"id": "a", "ground_truth": []}],
            "'find_brush' is described in an unknown form",
            id="unknown type",
        ),
        pytest.param([ask("a", "text")], [{"id": "a", "ground_truth": []}], "unknown form", id="tool no object"),  # type: ignore[arg-type]  # on purpose
    ],
)
def test_a_damaged_folder_is_refused(tmp_path: Path, items: Any, answers: Any, said: str) -> None:
    """The error says what is wrong and what to do."""
    if items is not None:
        write(tmp_path, "simple_python", items, answers)
    with pytest.raises(QuestionsError, match=said) as caught:
        load_questions("simple_python", tmp_path)
    assert any(advice in str(caught.value) for advice in ("Name a folder", "Put the whole", "lay the folder out"))


def test_a_cut_file_is_refused(tmp_path: Path) -> None:
    """The line that was cut is named."""
    path = write_set(tmp_path) / "BFCL_v4_irrelevance.json"
    path.write_bytes(path.read_bytes()[:-10])
    with pytest.raises(QuestionsError, match="line 8 is no JSON"):
        load_questions("irrelevance", tmp_path)


def test_without_the_wheel_the_command_to_run_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing else is needed to find out what is missing."""

    def missing(name: str) -> None:
        raise metadata.PackageNotFoundError(name)

    monkeypatch.setattr(metadata, "distribution", missing)
    with pytest.raises(QuestionsError, match="pip install --no-deps bfcl-eval=="):
        load_questions("multiple")


class Wheel:
    """An installed wheel with one file."""

    def __init__(self, folder: Path, *, name: str = "BFCL_v4_irrelevance.json", digest: str = "") -> None:
        self.path = folder / "BFCL_v4_irrelevance.json"
        entry = metadata.PackagePath(f"bfcl_eval/data/{name}")
        entry.hash = metadata.FileHash(f"sha256={digest}") if digest else None
        entry.dist = self  # type: ignore[assignment]  # as much of a distribution as is looked at
        self.files = [entry]

    def locate_file(self, path: object) -> Path:
        """Return where the file is."""
        del path
        return self.path


@pytest.mark.parametrize(
    ("wheel", "said"),
    [
        pytest.param({}, None, id="sound"),
        pytest.param({"digest": "other"}, "is damaged: it is not as it was published", id="changed"),
        pytest.param({"name": "BFCL_v9_irrelevance.json"}, "another layout", id="another release"),
    ],
)
def test_the_installed_files_are_checked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, wheel: dict[str, str], said: str | None
) -> None:
    """A file must be there and be as it was published."""
    found = Wheel(write_set(tmp_path), **wheel)
    monkeypatch.setattr(metadata, "distribution", lambda _name: found)
    if said is None:
        assert len(load_questions("irrelevance")) == 8
        return
    with pytest.raises(QuestionsError, match=f"{said}.*pip install --no-deps bfcl-eval=="):
        load_questions("irrelevance")


def test_the_published_questions_can_be_read() -> None:
    """Where the wheel is installed: all categories, none of its code, and every answer about a tool that is there."""
    try:
        metadata.distribution("bfcl-eval")
    except metadata.PackageNotFoundError:
        pytest.skip(f"the questions are not installed; run: {INSTALL}")
    found = {name: load_questions(name) for name in CATEGORIES}
    assert len(found["simple_python"]) == 400
    assert len(found["live_irrelevance"]) == 876
    for question in (one for questions in found.values() for one in questions):
        names = [tool["name"] for tool in question.tools]
        assert len({*names}) == len(names)
        assert {legal_name(name) for answer in question.answers for name in answer} <= {*names}
    assert not any(name.split(".")[0] == "bfcl_eval" for name in sys.modules)


def test_every_question_belongs_to_one_split_for_good(tmp_path: Path) -> None:
    """Both halves together are the whole, and the half of an id never changes."""
    questions = load_questions("simple_python", write_set(tmp_path, 60))
    dev, test = (sample(questions, split, None, 0) for split in ("dev", "test"))
    assert {one.id for one in dev} | {one.id for one in test} == {one.id for one in questions}
    assert len(dev) + len(test) == 60
    assert min(len(dev), len(test)) > 15
    assert [split_of(f"simple_python_{number}") for number in range(4)] == ["test", "test", "dev", "dev"]


def test_a_higher_limit_only_adds_questions(tmp_path: Path) -> None:
    """Equal seeds draw equal questions; another seed draws others."""
    questions = load_questions("simple_python", write_set(tmp_path, 60))
    few, more = (sample(questions, "dev", limit, 7) for limit in (5, 9))
    assert more[:5] == few
    assert sample(questions, "dev", 5, 8) != few

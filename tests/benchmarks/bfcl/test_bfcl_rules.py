"""The rules of BFCL: which values are allowed, which calls are wanted, and the verdicts of the official checker."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from benchmarks.bfcl.agreement import FILE, AgreementError, measure_agreement
from benchmarks.bfcl.checker import Response, WrittenCall, judge_response
from benchmarks.bfcl.schemas import convert_tool
from benchmarks.bfcl.values import Fault, judge_value
from tests.architecture.house import ROOT
from tests.benchmarks.bfcl.bfcl_questions import BRUSH, PAINT, WANTED


TEXT: dict[str, Any] = {"type": "string"}
WHOLE: dict[str, Any] = {"type": "integer"}
NUMBER: dict[str, Any] = {"type": "number"}
OBJECT: dict[str, Any] = {"type": "object"}
TEXTS: dict[str, Any] = {"type": "array", "items": TEXT}
NUMBERS: dict[str, Any] = {"type": "array", "items": NUMBER}
OBJECTS: dict[str, Any] = {"type": "array", "items": OBJECT}


@pytest.mark.parametrize(
    ("value", "schema", "allowed", "fault"),
    [
        pytest.param("Oslo", TEXT, ["Oslo"], None, id="the same text"),
        pytest.param("april 1,2024", TEXT, ["April 1, 2024"], None, id="blanks, commas and capitals"),
        pytest.param("it's", TEXT, ['it"s'], None, id="kinds of quotes"),
        pytest.param("a(b)", TEXT, ["a b"], Fault.TEXT, id="other punctuation counts"),
        pytest.param("Bergen", TEXT, ["Oslo", ""], Fault.TEXT, id="another text"),
        pytest.param(3, TEXT, ["3"], Fault.TYPE, id="number for a text"),
        pytest.param(3, WHOLE, [3, 4], None, id="one of two numbers"),
        pytest.param(5, WHOLE, [3, 4], Fault.VALUE, id="none of two numbers"),
        pytest.param(3.0, WHOLE, [3], Fault.TYPE, id="fraction for a whole number"),
        pytest.param(3, NUMBER, [3.0], None, id="whole number for a fraction"),
        pytest.param(True, WHOLE, [1], Fault.TYPE, id="truth value for a number"),
        pytest.param(True, {"type": "boolean"}, [True], None, id="truth value"),
        pytest.param(None, TEXT, ["", "Oslo"], Fault.TYPE, id="null"),
        pytest.param("rate", NUMBER, ["rate"], None, id="name of a variable"),
        pytest.param("Rate", NUMBER, ["rate"], Fault.VALUE, id="a variable is written exactly"),
        pytest.param(["A", "b"], TEXTS, [["a", "B"]], None, id="list of texts"),
        pytest.param(["b", "a"], TEXTS, [["a", "b"]], Fault.LIST, id="order counts"),
        pytest.param([1, 2], NUMBERS, [[1, 2]], None, id="whole numbers where the answer has them"),
        pytest.param([1, 2], NUMBERS, [[1.0, 2.0]], Fault.NESTED_TYPE, id="whole numbers in a list of fractions"),
        pytest.param([], TEXTS, ["", ["a"]], None, id="empty list for what may be left out"),
        pytest.param({"a": "X"}, OBJECT, [{"a": ["x"], "b": ["", 1]}], None, id="object without an optional key"),
        pytest.param({"a": "x", "c": 1}, OBJECT, [{"a": ["x"]}], Fault.KEY, id="object with a further key"),
        pytest.param({}, OBJECT, ["", {"a": ["x"]}], Fault.KEY, id="object without a key"),
        pytest.param({"a": "y"}, OBJECT, [{"a": ["x"]}], Fault.ENTRY, id="object with another entry"),
        pytest.param({"a": 2}, OBJECT, [{"a": [1]}, {"a": [2]}], None, id="second alternative"),
        pytest.param([{"a": 1}], OBJECTS, [[{"a": [1]}]], None, id="list of objects"),
        pytest.param([{"a": 1}], OBJECTS, [[{"a": [1]}, {"a": [2]}]], Fault.LIST_LENGTH, id="too few objects"),
        pytest.param([{"a": 1}], OBJECTS, [[{"a": [2]}]], Fault.ENTRY, id="another object"),
        pytest.param(["a"], OBJECTS, [[{"a": [2]}]], Fault.NESTED_TYPE, id="texts for objects"),
        pytest.param("big", {}, ["big"], None, id="any type"),
    ],
)
def test_values_are_compared_by_the_published_rules(
    value: Any, schema: dict[str, Any], allowed: list[Any], fault: Fault | None
) -> None:
    """Types first, then the alternatives."""
    assert judge_value(value, schema, allowed) == fault


TOOLS = [convert_tool(PAINT), convert_tool(BRUSH)]
BOTH = [WANTED, {"find_brush": {"size": ["big"], "span": ["", [1.0, 2.0]]}}]
PAINTING = WrittenCall("paint_needed", {"width": 4, "height": 2.5})
ROUNDED = WrittenCall("paint_needed", {"width": 4.0, "height": 2.5})
BRUSHING = WrittenCall("find_brush", {"size": "big"})


def calls(*written: WrittenCall) -> Response:
    """Propose calls."""
    return Response(written)


def paint(**arguments: Any) -> Response:
    """Propose one call of the paint tool."""
    return calls(WrittenCall("paint.needed", arguments))


@pytest.mark.parametrize(
    ("category", "answers", "response", "fault"),
    [
        pytest.param("simple_python", [WANTED], calls(PAINTING), None, id="right, the name without its dot"),
        pytest.param("simple_python", [WANTED], paint(width=4, height=2.5), None, id="right, the name with its dot"),
        pytest.param("simple_python", [WANTED], calls(), Fault.COUNT, id="no call"),
        pytest.param("simple_python", [WANTED], calls(PAINTING, PAINTING), Fault.COUNT, id="two calls for one"),
        pytest.param("multiple", [WANTED], calls(BRUSHING), Fault.NAME, id="another tool"),
        pytest.param("multiple", [WANTED], paint(width=4), Fault.MISSING_REQUIRED, id="required field missing"),
        pytest.param("simple_python", [WANTED], paint(width=4, height=1, x=1), Fault.VALUE, id="first fault in order"),
        pytest.param("simple_python", [WANTED], paint(width=4, height=2.5, x=1), Fault.UNEXPECTED, id="unknown field"),
        pytest.param(
            "simple_python",
            [{"find_brush": {"size": ["big"]}}],
            calls(WrittenCall("find_brush", {"size": "big", "span": [1.0, 2.0]})),
            Fault.UNEXPECTED,
            id="known field that the answer lacks",
        ),
        pytest.param(
            "simple_python",
            [{"find_brush": {"size": ["big"]}}],
            calls(WrittenCall("find_brush", {})),
            Fault.MISSING_OPTIONAL,
            id="optional field that the answer wants",
        ),
        pytest.param("parallel", BOTH, calls(BRUSHING, PAINTING), None, id="any order"),
        pytest.param("parallel", BOTH, calls(PAINTING, PAINTING), Fault.NO_MATCH, id="one call serves one answer"),
        pytest.param("parallel", [WANTED] * 2, calls(ROUNDED, PAINTING), Fault.NO_MATCH, id="equal, not equally right"),
        pytest.param("parallel", BOTH, calls(PAINTING), Fault.COUNT, id="one call too few"),
        pytest.param("simple_python", [WANTED], Response(unreadable="cut"), Fault.NOT_CALLED, id="unreadable"),
        pytest.param("irrelevance", [], calls(), None, id="no tool fits and none is called"),
        pytest.param("live_irrelevance", [], calls(PAINTING), Fault.CALLED, id="no tool fits and one is called"),
        pytest.param("irrelevance", [], Response(unreadable="cut"), None, id="what can't be read is no call"),
        pytest.param("live_relevance", [], calls(BRUSHING), None, id="any call will do"),
        pytest.param("live_relevance", [], calls(), Fault.NOT_CALLED, id="a call was wanted"),
    ],
)
def test_calls_are_compared_by_the_published_rules(
    category: str, answers: list[Any], response: Response, fault: Fault | None
) -> None:
    """Number of calls, name, fields, values."""
    score = judge_response(category, TOOLS, answers, response)
    assert (score.fault, score.right) == (fault, fault is None)


def test_the_scorer_agrees_with_the_official_verdicts() -> None:
    """Where recorded verdicts are at hand: the same in at least 99.5 of 100, and nearly always for the same reason."""
    folder = ROOT.parent / "shared" / "data"
    if not (folder / FILE).is_file():
        pytest.skip("the recorded responses are not at hand")
    found = measure_agreement(folder)
    assert found["agreements"] / found["n"] >= 0.995
    assert found["same_fault"] / found["both_wrong"] >= 0.99
    assert all(counts["agreements"] / counts["n"] >= 0.995 for counts in found["categories"].values())


def recorded(**changed: Any) -> dict[str, Any]:
    """Write a recorded response, right by both verdicts unless changed."""
    return {
        "id": "t",
        "model": "m",
        "category": "simple_python",
        "tools": TOOLS,
        "calls": [{"name": "paint_needed", "arguments": {"width": 4, "height": 2.5}}],
        "ground_truth": [WANTED],
        "is_correct": True,
        "error_type": None,
        **changed,
    }


def record(folder: Path, *lines: str) -> None:
    """Write a file of recorded responses."""
    with gzip.open(folder / FILE, "wt", encoding="utf-8") as file:
        file.writelines(line + "\n" for line in lines)


def test_disagreements_are_told_with_both_verdicts(tmp_path: Path) -> None:
    """Agreements are counted, reasons too, and a disagreement names what either found."""
    wrong = {"calls": [], "is_correct": False}
    responses = [
        recorded(),
        recorded(**wrong, error_type="simple_function_checker:wrong_count"),
        recorded(**wrong, error_type="value_error:others"),
        recorded(calls=None, is_correct=False, error_type="ast_decoder:decoder_wrong_output_format"),
        recorded(is_correct=False, error_type="value_error:others"),
    ]
    record(tmp_path, *map(json.dumps, responses))
    found = measure_agreement(tmp_path)
    assert (found["n"], found["agreements"], found["both_wrong"], found["same_fault"]) == (5, 4, 3, 2)
    assert found["disagreements"] == [{"id": "t", "model": "m", "official": "others", "ours": "right", "where": ""}]


@pytest.mark.parametrize(
    ("content", "said"),
    [
        pytest.param(None, "can't be read", id="missing"),
        pytest.param(b"no gzip", "can't be read", id="no gzip"),
        pytest.param(gzip.compress(json.dumps(recorded()).encode())[:-12], "can't be read", id="cut off"),
        pytest.param(gzip.compress(b"{}\n"), "Line 1 .* has no calls", id="other fields"),
        pytest.param(gzip.compress(b"[]\n"), "can't be read after line 1", id="no object"),
        pytest.param(gzip.compress(b"{\n"), "can't be read after line 1", id="no JSON"),
    ],
)
def test_damaged_records_are_refused(tmp_path: Path, content: bytes | None, said: str) -> None:
    """The error names the file, the line and what is expected."""
    if content is not None:
        (tmp_path / FILE).write_bytes(content)
    with pytest.raises(AgreementError, match=said) as caught:
        measure_agreement(tmp_path)
    assert FILE in str(caught.value)

"""Replaying recorded responses: the counts, by layer and by kind of error."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from reinforced_agent.evaluation.recorded import FILE, RecordedDataError, replay
from tests.architecture.house import ROOT


TOOLS = [
    {
        "name": "area",
        "description": "",
        "parameters": {
            "type": "dict",
            "properties": {"base": {"type": "integer"}, "unit": {"type": "string", "enum": ["cm", "m"]}},
            "required": ["base"],
        },
    }
]


def response(
    calls: Any, *, right: bool = False, error_type: str = "", decode_error: str | None = None
) -> dict[str, Any]:
    """Write a recorded response."""
    return {
        "id": "t",
        "model": "m",
        "tools": TOOLS,
        "calls": calls,
        "is_correct": right,
        "error_type": error_type or None,
        "decode_error": decode_error,
    }


def call(**arguments: Any) -> dict[str, Any]:
    """Write a recorded call."""
    return {"name": "area", "arguments": arguments}


RESPONSES = [
    response([call(base=1)], right=True),
    response([call(base=1, unit="CM")], right=True),
    response([call(base="one")], right=True),
    response([], right=True),
    response([call(base="one")], error_type="type_error:simple"),
    response([call(base=2)], error_type="value_error:others"),
    response([{"name": "volume", "arguments": {}}], error_type="simple_function_checker:wrong_func_name"),
    response(None, error_type="ast_decoder:decoder_failed", decode_error="bad"),
    response([], error_type="simple_function_checker:wrong_count"),
]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Write the responses as they are published."""
    with gzip.open(tmp_path / FILE, "wt", encoding="utf-8") as file:
        file.writelines(json.dumps(item) + "\n" for item in RESPONSES)
    return tmp_path


@pytest.mark.parametrize("workers", [1, 2])
def test_wrong_and_right_ones_are_counted(folder: Path, workers: int) -> None:
    """Flagged wrong ones, harmed right ones, and what each layer did."""
    found = replay(folder, workers=workers)
    assert found["wrong"] == {"total": 5, "visible": 4, "flagged": 3}
    assert found["right"] == {"total": 3, "flagged": 1}
    assert found["layers"] == {
        "format": {"wrong_flagged": 1, "right_flagged": 0},
        "routing": {"wrong_flagged": 1, "right_flagged": 0},
        "arguments": {"wrong_flagged": 1, "right_flagged": 1},
    }
    assert found["groups"]["wrong value"] == {"total": 1, "flagged": 0}
    assert found["groups"]["malformed"] == {"total": 1, "flagged": 1}
    assert "`base`" in found["right_flagged"][0]["objections"]["arguments"]


def test_a_layer_can_be_switched_off(folder: Path) -> None:
    """What a layer alone finds is missing without it."""
    found = replay(folder, layers=["routing"], workers=1)
    assert found["wrong"]["flagged"] == 1
    assert list(found["layers"]) == ["routing"]


def test_a_folder_without_responses_is_refused(tmp_path: Path) -> None:
    """The error names the file that is expected."""
    with pytest.raises(RecordedDataError, match=FILE):
        replay(tmp_path)


def test_the_layers_find_more_than_they_harm() -> None:
    """Where the recorded responses are at hand: at least 13.5% of the wrong ones, at most 0.11% of the right ones."""
    folder = ROOT.parent / "shared" / "data"
    if not (folder / FILE).is_file():
        pytest.skip("the recorded responses are not at hand")
    found = replay(folder)
    assert found["wrong"]["flagged"] / found["wrong"]["total"] >= 0.135
    assert found["right"]["flagged"] / found["right"]["total"] <= 0.0011

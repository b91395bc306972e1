"""Replaying right calls: which of them the default checks send back, refuse or warn about."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from benchmarks.recorded import injection, trajectories
from benchmarks.recorded.harm import replay_harm
from reinforced_agent.evaluation.replay import recorded
from reinforced_agent.evaluation.replay.files import RecordedDataError
from tests.benchmarks.recorded.test_injection import SUITE, Run
from tests.benchmarks.recorded.test_trajectories import LIBRARY, Desk


def lines(folder: Path, name: str, *items: Any) -> None:
    """Write a file of the folder."""
    with gzip.open(folder / name, "wt", encoding="utf-8") as file:
        file.write("\n".join(map(json.dumps, items)) + "\n")


def response(arguments: Any, *, right: bool = True) -> dict[str, Any]:
    """Write a response to a single question."""
    parameters = {"type": "object", "properties": {"a": {"type": "integer"}}, "required": ["a"]}
    tools = [{"name": "double", "description": "Double.", "parameters": parameters}]
    calls = [{"name": "double", "arguments": arguments}]
    judged = {"is_correct": right, "error_type": None if right else "value_error"}
    return {"id": "q", "model": "m", "tools": tools, "calls": calls, "decode_error": None, **judged}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Write a few right calls and a few others of each set."""
    lines(tmp_path, recorded.FILE, response({"a": 1}), response({"a": "one"}), response({"b": 1}, right=False))
    solved = Desk(reward=1.0).lend().lend("B2002", "two weeks").lend("B3003", error="no such book")
    lines(tmp_path, trajectories.FILE, solved.as_json(), Desk(reward=0.0).lend(days="long").as_json())
    with gzip.open(tmp_path / trajectories.DOMAINS, "wt", encoding="utf-8") as file:
        json.dump({"library": LIBRARY}, file)
    benign = Run().read("Write to ann@example.com.").send("ann@example.com")
    lines(tmp_path, injection.FILE, benign.as_json(), Run(succeeded=True, goal="mail").read().send("x@y.org").as_json())
    with gzip.open(tmp_path / injection.TOOLS, "wt", encoding="utf-8") as file:
        json.dump({"office": SUITE}, file)
    return tmp_path


def test_only_right_calls_count(folder: Path) -> None:
    """Wrong answers, failed calls, unsolved tasks and attacked runs say nothing about harm."""
    found = replay_harm(folder, workers=1)
    assert {name: one["right"] for name, one in found.items()} == {"questions": 2, "desks": 2, "suites": 2}


def test_harm_is_told_by_what_it_is(folder: Path) -> None:
    """What is sent back is told apart from what is only warned about, and nothing is refused for good."""
    found = replay_harm(folder, workers=1)
    assert [one["sent_back"] for one in found.values()] == [1, 1, 0]
    assert [one["refused"] for one in found.values()] == [0, 0, 0]
    assert found["suites"]["warned"] == 1
    assert found["desks"]["by"] == {"arguments": 1}


def test_a_missing_set_is_named(folder: Path) -> None:
    """Nothing is counted without saying which file is not there."""
    (folder / injection.FILE).unlink()
    with pytest.raises(RecordedDataError, match=injection.FILE):
        replay_harm(folder, workers=1)

"""The scripted model: it says its lines, and a bad script is refused with the place."""

from __future__ import annotations

from pathlib import Path

import pytest
from langchain_core.messages import AIMessage

from reinforced_agent.models.scripted import ScriptedModel, ScriptError


def test_lines_are_said_in_order_and_requests_are_kept() -> None:
    """Texts, calls and messages come one after the other; what was asked can be looked up."""
    model = ScriptedModel(lines=["one", {"tool_calls": [{"name": "go", "arguments": {"n": 1}}]}, AIMessage("three")])
    said = [model.invoke(f"ask {n}") for n in range(3)]
    assert [item.text for item in said] == ["one", "", "three"]
    assert said[1].tool_calls[0]["args"] == {"n": 1}
    assert [request[0].text for request in model.seen] == ["ask 0", "ask 1", "ask 2"]


def test_wire_text_arrives_as_a_provider_delivers_it() -> None:
    """Arguments that aren't decoded reach the reader as text."""
    model = ScriptedModel(lines=[{"tool_calls": [{"name": "go", "arguments": '{"n": '}], "finish_reason": "length"}])
    message = model.invoke("go")
    assert message.tool_calls == []
    assert message.invalid_tool_calls[0]["args"] == '{"n": '
    assert message.response_metadata["finish_reason"] == "length"


def test_the_end_of_a_script_is_an_error_unless_it_repeats() -> None:
    """A script that is too short says so."""
    with pytest.raises(ScriptError, match="only 0 lines"):
        ScriptedModel(lines=[]).invoke("hi")
    endless = ScriptedModel(lines=["again"], repeat_last=True)
    assert [endless.invoke("hi").text for _ in range(3)] == ["again"] * 3


def test_a_line_may_be_an_exception() -> None:
    """A script can play a model that is down."""
    with pytest.raises(ConnectionError):
        ScriptedModel(lines=[ConnectionError("away")]).invoke("hi")


def test_a_script_is_read_from_a_file(tmp_path: Path) -> None:
    """JSON Lines, empty lines left out."""
    path = tmp_path / "script.jsonl"
    path.write_text('"one"\n\n{"content": "two"}\n', encoding="utf-8")
    model = ScriptedModel.from_file(path)
    assert [model.invoke("hi").text for _ in range(2)] == ["one", "two"]


def test_a_broken_script_is_refused_with_its_line(tmp_path: Path) -> None:
    """The error names file and line."""
    path = tmp_path / "script.jsonl"
    path.write_text('"one"\n{"content": \n', encoding="utf-8")
    with pytest.raises(ScriptError, match="Line 2 of the script"):
        ScriptedModel.from_file(path)
    with pytest.raises(ScriptError, match="can't be read"):
        ScriptedModel.from_file(tmp_path / "missing.jsonl")

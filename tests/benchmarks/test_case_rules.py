"""The rules of a case are kept: facts, order of tools, and the folder that paths stay in."""

from __future__ import annotations

from typing import Any

import pytest

from benchmarks.report_cases import check


def tool(name: str, risk: str = "read", **more: Any) -> dict[str, Any]:
    """Write a tool with one text argument."""
    field = more.pop("field", "text")
    parameters = {"type": "object", "properties": {field: {"type": "string"}}, "required": [field]}
    return {"name": name, "parameters": parameters, "risk": risk, **more}


def judge(tools: list[dict[str, Any]], state: dict[str, Any], *calls: tuple[str, str]) -> dict[str, Any]:
    """Judge calls, each as a tool and the JSON of its arguments."""
    sent = [{"id": f"c{at}", "name": name, "arguments": text} for at, (name, text) in enumerate(calls)]
    return check({"content": None, "finish_reason": "tool_calls", "tool_calls": sent}, tools, state)


RULE = {"id": "known", "applies_to": ["close"], "requires_state": {"signed_in": True}, "fix": "sign_in"}


@pytest.mark.parametrize(
    ("known", "verdict"),
    [
        pytest.param({"signed_in": True}, "accept", id="known"),
        pytest.param({"signed_in": False}, "reject", id="known-not-to-be"),
        pytest.param({"signed_in": None}, "reject", id="unknown"),
        pytest.param({}, "reject", id="not-mentioned"),
    ],
)
def test_what_is_not_known_is_not_given(known: dict[str, Any], verdict: str) -> None:
    """A fact has to be known, and the feedback names the tool that establishes it."""
    tools = [tool("sign_in"), tool("close")]
    found = judge(tools, {"policies": [RULE], **known}, ("close", '{"text": "x"}'))
    assert found["verdict"] == verdict
    assert ("sign_in" in found["feedback"]) == (verdict == "reject")


def test_a_call_that_needs_a_result_waits_for_it() -> None:
    """The call that comes first runs; the one that depends on it is sent back."""
    tools = [tool("look"), tool("book", depends_on=["look"])]
    found = judge(tools, {}, ("look", '{"text": "x"}'), ("book", '{"text": "first"}'))
    assert [call["verdict"] for call in found["calls"]] == ["accept", "reject"]
    done = {"executed": [{"name": "look", "args": {"text": "x"}, "result": "free at 9"}]}
    assert judge(tools, done, ("book", '{"text": "9"}'))["verdict"] == "accept"


@pytest.mark.parametrize(
    ("path", "verdict"),
    [
        pytest.param("notes.txt", "accept", id="inside"),
        pytest.param("a/../notes.txt", "accept", id="up-and-back"),
        pytest.param("../work-old/notes.txt", "reject", id="beside-with-the-same-start"),
        pytest.param("/etc/passwd", "reject", id="elsewhere"),
        pytest.param("a/../../notes.txt", "reject", id="one-up-too-many"),
    ],
)
def test_paths_stay_in_their_folder(path: str, verdict: str) -> None:
    """By components, not by the start of the text."""
    found = judge(
        [tool("read", field="file_path")], {"workspace_root": "/srv/work"}, ("read", f'{{"file_path": "{path}"}}')
    )
    assert found["verdict"] == verdict

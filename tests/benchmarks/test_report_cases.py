"""Judging single proposals, and scoring the judgement."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from benchmarks.report_cases import check
from benchmarks.scoring import CasesError, load_cases, replay_cases, score
from tests.architecture.house import ROOT


SHOP: dict[str, Any] = {
    "name": "buy",
    "parameters": {
        "type": "object",
        "properties": {"item": {"type": "string"}, "count": {"type": "integer"}},
        "required": ["item"],
        "additionalProperties": False,
    },
    "risk": "write",
    "requires_approval": False,
}
WIPE: dict[str, Any] = {
    "name": "wipe",
    "parameters": {"type": "object"},
    "risk": "destructive",
    "requires_approval": True,
}


def output(*calls: tuple[str, Any], content: str | None = None, finish: str = "tool_calls") -> dict[str, Any]:
    """Write a model output."""
    wire = [{"id": f"c{n}", "name": name, "arguments": text} for n, (name, text) in enumerate(calls)]
    return {"content": content, "finish_reason": finish, "tool_calls": wire}


def executed(**more: Any) -> dict[str, Any]:
    """Write one executed call."""
    return {"executed": [{"id": "c9", "name": "buy", "args": {"item": "tea"}, **more}]}


@pytest.mark.parametrize(
    ("given", "state", "verdict"),
    [
        pytest.param(output(("buy", '{"item": "tea"}')), {}, "accept", id="right"),
        pytest.param(output(("buy", '{"itm": "tea"}')), {}, "reject", id="misspelt"),
        pytest.param(output(("wipe", "{}")), {}, "ask_approval", id="approval"),
        pytest.param(output(("buy", '{"item": "tea"}'), ("wipe", "")), {}, "mixed", id="mixed"),
        pytest.param(output(content="Hello.", finish="stop"), {}, "no_call", id="answer"),
        pytest.param(output(content="", finish="stop"), {}, "reject", id="nothing"),
        pytest.param(output(("buy", '{"item": "tea"}')), executed(result="ok"), "reuse_result", id="done-before"),
        pytest.param(output(("buy", '{"item": "tea"}')), executed(error="sold out"), "reject", id="failed-before"),
        pytest.param(output(("buy", '{"item": "te')), {}, "reject", id="cut-off"),
        pytest.param(
            output(("buy", '{"item": "tea"}')),
            {**executed(error="sold out"), "max_identical_failures": 2},
            "accept",
            id="failed-once-of-two",
        ),
        pytest.param(
            output(("buy", '{"item": "tea"}')),
            {"reviews": [{"decision": "reject", "original": {"name": "buy", "args": {"item": "tea"}}}]},
            "reject",
            id="rejected-before",
        ),
        pytest.param(
            output(("buy", '{"item": "tea", "count": 2}')),
            {"turn": 4, "executed": [{"name": "buy", "args": {"item": "tea", "count": 2}, "turn": 1, "result": "ok"}]},
            "accept",
            id="done-in-an-earlier-turn",
        ),
        pytest.param(
            output(("buy", '{"item": "tea", "count": 2}')),
            {"executed": [{"name": "buy", "args": {"item": "tea", "count": "2"}, "result": "ok"}]},
            "reuse_result",
            id="done-in-another-form",
        ),
    ],
)
def test_a_proposal_is_judged(given: dict[str, Any], state: dict[str, Any], verdict: str) -> None:
    """Each kind of proposal gets its verdict, and refusals say why."""
    judged = check(given, [SHOP, WIPE], state)
    assert judged["verdict"] == verdict
    assert bool(judged["feedback"]) == (verdict in {"reject", "reuse_result"})


def test_equal_calls_of_one_message_are_one() -> None:
    """A doubled call is judged once."""
    given = output(("buy", '{"item": "tea", "count": 1}'), ("buy", '{"count": 1, "item": "tea"}'))
    assert len(check(given, [SHOP], {})["calls"]) == 1


def case(**more: Any) -> dict[str, Any]:
    """Write a case."""
    return {
        "id": "x",
        "stage": "parse",
        "replayable": True,
        "tools": [SHOP],
        "conversation": [],
        "state": {},
        "model_output": output(("buy", '{"item": "tea"}')),
        "verdict": "accept",
        "acceptable": ["accept", "reject"],
        "expected_normalised": {"calls": [{"name": "buy", "args": {"item": "tea"}}]},
        "calls_expected": None,
        "forbidden_args": [],
        "feedback_must_mention": ["item"],
        "feedback_must_mention_any": [],
        **more,
    }


ACCEPTED = {
    "verdict": "accept",
    "calls": [{"name": "buy", "args": {"item": "tea"}, "verdict": "accept"}],
    "feedback": "",
}


@pytest.mark.parametrize(
    ("given", "judged", "strict", "why"),
    [
        pytest.param({}, ACCEPTED, True, None, id="right"),
        pytest.param({}, {"verdict": "reject", "calls": [], "feedback": "item?"}, False, None, id="acceptable"),
        pytest.param(
            {}, {"verdict": "reject", "calls": [], "feedback": "item?"}, True, "wanted accept", id="not-preferred"
        ),
        pytest.param({}, {"verdict": "reject", "calls": [], "feedback": "no"}, False, "lacks", id="silent-feedback"),
        pytest.param({}, {"verdict": "no_call", "calls": [], "feedback": ""}, False, "no_call", id="wrong-verdict"),
        pytest.param({"forbidden_args": [{"item": "tea"}]}, ACCEPTED, False, "forbidden", id="forbidden"),
        pytest.param(
            {"expected_normalised": {"calls": [{"name": "buy", "args": {"item": "tee"}}]}},
            ACCEPTED,
            False,
            "wanted",
            id="args",
        ),
    ],
)
def test_a_judgement_is_scored(given: dict[str, Any], judged: dict[str, Any], *, strict: bool, why: str | None) -> None:
    """Verdict, arguments, forbidden arguments and words are compared."""
    found = score(case(**given), judged, strict=strict)
    assert (found is None) == (why is None)
    assert why is None or why in str(found)


def test_an_exception_of_the_judge_is_a_wrong_case() -> None:
    """A crash is counted, not passed on; cases that can't be replayed are left out."""

    def crash(*_: Any) -> Any:
        raise RuntimeError

    result = replay_cases([case(), case(id="y", replayable=False)], crash)
    assert (result["cases"], result["right"], result["wrong"][0]["id"]) == (1, 0, "x")
    assert replay_cases([case()], check) == {"cases": 1, "right": 1, "wrong": []}


def test_a_broken_file_of_cases_is_refused_with_its_line(tmp_path: Path) -> None:
    """The error names the line."""
    path = tmp_path / "cases.jsonl"
    path.write_text(json.dumps(case()) + "\n[]\n", encoding="utf-8")
    with pytest.raises(CasesError, match="Line 2"):
        load_cases(path)


def test_public_reports_are_handled() -> None:
    """Where the collected reports are at hand, the stages that are built are acceptable throughout."""
    path = ROOT.parent / "shared" / "reports" / "cases.jsonl"
    if not path.is_file():
        pytest.skip("the collected reports are not at hand")
    built = {"parse", "route", "validate", "execute", "loop"}
    cases = [item for item in load_cases(path) if item["stage"] in built]
    assert replay_cases(cases, check)["wrong"] == []
    assert replay_cases(cases, check, strict=True)["right"] >= 50

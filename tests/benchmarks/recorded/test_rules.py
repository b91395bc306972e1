"""Plain rules beside the layers: what each flags, and why they differ."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from benchmarks.recorded.rules import compare_with_rules
from reinforced_agent.evaluation.replay.recorded import FILE, judge_responses
from tests.evaluation.recordings import DATA, RESPONSES, TOOLS, call, response, write


def test_plain_rules_and_layers_are_compared(tmp_path: Path) -> None:
    """What only the rules flag was straightened; what only the layers flag lies deeper."""
    nested = [{"name": "find", "parameters": {"type": "object", "properties": {"by": BY}, "required": ["by"]}}]
    deep = response([{"name": "find", "arguments": {"by": {"nme": "x"}}}], error_type="value_error") | {"tools": nested}
    null = response([call(base=1, unit=None)], error_type="value_error:others")
    found = compare_with_rules(write(tmp_path, [*RESPONSES, deep, null]))
    flagged = {rule: (counts["wrong_flagged"], counts["right_flagged"]) for rule, counts in found["rules"].items()}
    assert flagged == {
        "malformed": (1, 0),
        "unknown_tool": (1, 0),
        "missing_required": (0, 0),
        "unknown_field": (0, 0),
        "type": (2, 1),
        "enum": (1, 1),
    }
    assert (found["wrong"], found["right"]) == (7, 3)
    assert (found["all_rules"]["wrong_flagged"], found["layers"]["wrong_flagged"]) == (4, 4)
    assert found["only_rules"]["reasons"] == {
        "enum: straightened by value_fold": 1,
        "type, enum: straightened by null_dropped": 1,
    }
    assert found["only_layers"]["reasons"] == {"seen by arguments alone": 1}
    assert found["only_layers"]["cases"][0]["objections"]["arguments"].startswith("`by.nme`")


BY = {"type": "object", "properties": {"name": {"type": "string"}}}


@pytest.mark.parametrize(
    ("arguments", "broken"),
    [
        pytest.param({"base": 1}, {}, id="fine"),
        pytest.param({}, {"missing_required": "base"}, id="missing"),
        pytest.param({"base": 1, "bas": 2}, {"unknown_field": "bas"}, id="unknown field"),
        pytest.param({"base": 1.0}, {"type": "base"}, id="a fraction where a whole number is declared"),
        pytest.param({"base": True}, {"type": "base"}, id="a boolean is no number"),
        pytest.param({"base": 1, "unit": "km"}, {"enum": "unit"}, id="not in the list"),
        pytest.param({"base": 1, "parts": ["a", 2]}, {"type": "parts[1]"}, id="an element"),
        pytest.param({"base": 1, "any": {"x": 1}}, {}, id="no declared type"),
        pytest.param("base", {"malformed": "the arguments"}, id="no object"),
    ],
)
def test_plain_rules_name_the_place(tmp_path: Path, arguments: Any, broken: dict[str, str]) -> None:
    """The first place for each rule."""
    parts = {"parts": {"type": "array", "items": {"type": "string"}}, "any": {"type": "any"}}
    parameters = TOOLS[0]["parameters"] | {"properties": TOOLS[0]["parameters"]["properties"] | parts}  # type: ignore[operator, index]
    recorded = response([{"name": "area", "arguments": arguments}], error_type="value_error")
    tools = [{"name": "area", "parameters": parameters}]
    (finding,) = judge_responses(write(tmp_path, [recorded | {"tools": tools}]))
    assert finding.rules == broken


PUBLISHED = {
    "malformed": (204, 0),
    "unknown_tool": (93, 0),
    "missing_required": (101, 0),
    "unknown_field": (54, 1),
    "type": (189, 9),
    "enum": (47, 19),
    "all_rules": (632, 27),
}
"""What simple checks flag among 4,261 wrong and 13,786 right responses, of which half are at hand."""


@pytest.mark.skipif(not (DATA / FILE).is_file(), reason="the recorded responses are not at hand")
def test_plain_rules_flag_what_simple_checks_are_known_to() -> None:
    """Each share within half a point of the published one, and every difference to the layers has a reason."""
    found = compare_with_rules(DATA)
    counted = found["rules"] | {"all_rules": found["all_rules"]}
    for rule, (wrong, right) in PUBLISHED.items():
        assert abs(counted[rule]["wrong_share"]["value"] - wrong / 4261) < 0.005, rule
        assert abs(counted[rule]["right_share"]["value"] - right / 13786) < 0.005, rule
    assert found["layers"]["wrong_flagged"] == (
        found["all_rules"]["wrong_flagged"] - found["only_rules"]["wrong"] + found["only_layers"]["wrong"]
    )
    assert all(case["repairs"] for case in found["only_rules"]["cases"])

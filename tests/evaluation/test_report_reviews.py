"""What a report says of a reviewing model: counts in a service, and its worth where the truth is known."""

from __future__ import annotations

from typing import Any

import pytest

from benchmarks.bfcl.report_numbers import measure_evaluation
from benchmarks.bfcl.report_sections import evaluation_group
from reinforced_agent.evaluation.report.sections import Section
from reinforced_agent.evaluation.report.service import measure_service
from reinforced_agent.evaluation.report.service_sections import service_group
from reinforced_agent.evaluation.report.sources import Loaded
from reinforced_agent.graph.records.record import ProposalRecord
from tests.evaluation.report_records import SETTINGS, call, judged, result, turn


def reviewed(**review: Any) -> ProposalRecord:
    """Write the record of a message that was due for a review."""
    told = {"model": "judge", "prompt": "v1"} if review["outcome"] != "not asked" else {}
    record: ProposalRecord = turn(call(), name=f"t{review}")[0]
    return record.model_copy(update={"review": {**told, **review}})


RECORDS = [
    reviewed(outcome="passed", input_tokens=100, output_tokens=5, seconds=0.5),
    reviewed(outcome="objected", then="changed", objected=1, input_tokens=100, output_tokens=20, seconds=1.0),
    reviewed(outcome="objected", then="kept", objected=1, seconds=1.0, calls=1),
    reviewed(outcome="no opinion", why="late", seconds=30.0),
    reviewed(outcome="not asked", why="loops", calls=1),
    reviewed(outcome="not asked", why="loops", calls=2),
]


def section(group: Any) -> Section | None:
    """Return the section about the reviewer."""
    found = [one for one in group.sections if one.title == "Reviewer"]
    return found[0] if found else None


def test_a_service_counts_objections_and_what_came_of_them() -> None:
    """Objected, changed, kept, and why there was no opinion; tokens are those of the reviewer."""
    numbers = measure_service(Loaded(source="here", records=RECORDS))
    found = numbers.as_json()["reviews"]
    assert found["objected"]["value"] == pytest.approx(2 / 3, abs=1e-6)
    assert found["then"] == {"changed": 1, "kept": 1}
    assert found["without"] == {"loops": 2, "late": 1}
    assert found["tokens"] == 225
    assert found["seconds"]["n"] == 4
    told = section(service_group(numbers))
    assert told is not None
    assert "judge, prompt v1 (4)" in told.about
    assert [grid.rows[0][0] for grid in told.grids] == ["changed", "loops"]


def test_without_a_reviewer_there_is_no_section() -> None:
    """Neither in a service nor in an evaluation."""
    numbers = measure_service(Loaded(source="here", records=turn(call(), "answer")))
    assert numbers.as_json()["reviews"] is None
    assert section(service_group(numbers)) is None
    plain = measure_evaluation(SETTINGS, [result("off", "a", first=True, final=True)], source="x")
    assert plain.as_json()["reviewers"] == {}
    assert section(evaluation_group(plain)) is None


def test_an_evaluation_says_when_to_leave_it_off() -> None:
    """By what would have run without it, not by the first proposal, which other layers have mended."""
    results = [
        result("reviewed", f"{number}", first=False, final=number != 0, unreviewed=judged(right=True))
        for number in range(10)
    ]
    numbers = measure_evaluation(SETTINGS, results, source="x")
    assert numbers.as_json()["reviewers"]["reviewed"]["table"] == {
        "kept": 9,
        "harmed": 1,
        "helped": 0,
        "unmended": 0,
    }
    told = section(evaluation_group(numbers))
    assert told is not None
    assert "reviewed: Leave it off: mended 0 of 0 wrong, spoilt 1 of 10 right." in told.about

"""The numbers of a report, counted by hand."""

from __future__ import annotations

from typing import Any

import pytest

from benchmarks.bfcl.report_numbers import FIRST, measure_evaluation
from reinforced_agent.evaluation.metrics.shares import Number
from reinforced_agent.evaluation.report.charts import HelpAndHarm
from reinforced_agent.evaluation.report.service import measure_service
from reinforced_agent.evaluation.report.sources import Loaded
from reinforced_agent.evaluation.report.spread import spread
from reinforced_agent.evaluation.report.words import microseconds, probability, shown, with_interval
from tests.evaluation.report_records import SETTINGS, WRONG, call, result, said, turn


ASKED = (said("format"), said("risk", "ask", "policy", us=5.0))


def service(*turns: list[Any]) -> dict[str, Any]:
    """Measure turns, and return the JSON object."""
    return measure_service(Loaded(source="here", records=[one for records in turns for one in records])).as_json()


def mixed() -> dict[str, Any]:
    """Measure five turns of different kinds."""
    return service(
        turn(WRONG, call(attempts=3, seconds=0.5), "answer", name="a"),
        turn(call("done", *ASKED, decision="approve", tool="pay"), "answer", name="b"),
        turn(call("rejected", *ASKED, decision="reject", kind="rejected_by_person"), "answer", name="c"),
        turn([call("served", id="x", served_by="y"), call("done", id="y", tool="spare")], "answer", name="d"),
        turn("malformed", WRONG, call("unknown", attempts=1), name="e", outcome="limit"),
    )


def test_a_service_in_numbers() -> None:
    """Headlines, outcomes and flow of a few turns."""
    found = mixed()
    assert (found["turns"], found["proposals"], found["calls"]) == (5, 12, 7)
    assert found["outcomes"] == {"answered": 4, "limit": 1}
    values = {name: (number["value"], number["n"]) for name, number in found["headlines"].items()}
    assert values == {
        "first_call_success": (0.2, 5),
        "resolution": (0.6, 5),
        "give_up": (0.0, 3),
        "person_asked": (pytest.approx(2 / 7, abs=1e-6), 7),
        "fallback": (pytest.approx(1 / 7, abs=1e-6), 7),
        "unknown": (pytest.approx(1 / 3, abs=1e-6), 3),
    }
    assert all({"low", "high"} <= number.keys() for number in found["headlines"].values())
    assert [(one["ruling"], one["fate"], one["count"]) for one in found["flow"]] == [
        ("passed", "done", 1),
        ("passed", "served", 1),
        ("passed", "unknown", 1),
        ("person asked", "done", 1),
        ("person asked", "rejected", 1),
        ("sent back", "asked again", 2),
        ("unusable", "asked again", 1),
    ]


def test_retries_layers_people_and_causes() -> None:
    """What was asked again, who objected, who was asked, what served, and what keeps going wrong."""
    found = mixed()
    assert found["retries"] == {"unknown_argument": 2, "malformed": 1}
    assert list(found["layers"]) == ["format", "arguments", "risk"]
    arguments = found["layers"]["arguments"]
    assert (arguments["objected"]["value"], arguments["objected"]["n"], arguments["microseconds"]["p99"]) == (1, 2, 40)
    assert found["layers"]["format"]["objected"]["value"] == pytest.approx(1 / 9, abs=1e-6)
    assert found["layers"]["risk"]["asked"] == 2
    assert found["approvals"] == {
        "asked": 2,
        "approved": 1,
        "edited": 0,
        "rejected": 1,
        "answered": 0,
        "unanswered": 0,
    }
    assert found["fallbacks"] == {"spare": 1}
    assert found["causes"] == [
        {"tool": "add", "field": "dat", "kind": "unknown_argument", "count": 2, "requests": 2},
    ]
    assert found["spent"]["attempts_again"] == 2
    assert found["spent"]["tool_seconds"]["add"]["p99"] == 0.5


def test_tokens_are_those_of_whole_turns() -> None:
    """Read and written by all messages of a turn; a model that tells nothing has none."""
    first, second = turn(call(), "answer")
    counted = [
        first.model_copy(update={"input_tokens": 10, "output_tokens": 1, "read_us": 7.0, "model_seconds": 0.2}),
        second.model_copy(update={"input_tokens": 20, "output_tokens": 2, "read_us": 9.0}),
    ]
    found = service(counted)
    assert found["spent"]["tokens_per_turn"] == {"n": 1, "p50": 33, "p99": 33, "total": 33}
    assert found["spent"]["model_seconds"]["n"] == 1
    assert found["layers"]["format"]["microseconds"] == {"n": 2, "p50": 7, "p99": 9, "total": 16}
    assert service(turn("answer"))["spent"]["tokens_per_turn"] is None


@pytest.mark.parametrize(
    ("values", "p50", "p99"),
    [
        pytest.param([3.0], 3, 3, id="one"),
        pytest.param([4.0, 1.0], 1, 4, id="two"),
        pytest.param(range(1, 101), 50, 99, id="hundred"),
        pytest.param(range(1, 151), 75, 149, id="between-two-ranks"),
        pytest.param(range(1, 201), 100, 198, id="two-hundred"),
    ],
)
def test_percentiles_are_values_that_were_measured(values: Any, p50: float, p99: float) -> None:
    """The nearest rank, exactly."""
    found = spread(values)
    assert found is not None
    assert (found.p50, found.p99) == (p50, p99)


def test_an_evaluation_in_numbers() -> None:
    """Each arm, each pair of arms on common questions, and an arm against its own first proposals."""
    free = [result("free", str(n), first=n < 2, final=n < 2) for n in range(5)]
    layers = [result("layers", str(n), first=n < 1, final=1 <= n < 4, asked=2, tokens=30) for n in range(4)]
    found = measure_evaluation(SETTINGS, [*free, *layers], source="f").as_json()
    assert (found["n"], found["questions"], found["model"]) == (9, 5, "scripted:x")
    assert [(one["arm"], one["right"]["value"], one["right"]["n"]) for one in found["arms"]] == [
        ("free", 0.4, 5),
        ("layers", 0.75, 4),
    ]
    assert found["arms"][1]["tokens"]["total"] == 120
    pair, own = found["comparisons"]
    assert (pair["base"], pair["arm"], pair["n"]) == ("free", "layers", 4)
    assert pair["table"] == {"kept": 1, "harmed": 1, "helped": 2, "unmended": 0}
    assert (pair["help"]["value"], pair["harm"]["value"], pair["net_lift"]["value"]) == (1.0, 0.5, 0.25)
    assert pair["break_even"]["value"] == pytest.approx(1 / 3, abs=1e-6)
    assert pair["p"] == {"value": 1.0, "n": 3}
    assert pair["net_lift"]["low"] < 0.25 < pair["net_lift"]["high"]
    assert (own["base"], own["table"]["helped"], own["layers"]["after format"]["helpfulness"]["value"]) == (FIRST, 3, 1)
    assert "free 5, layers 4" in found["notes"][0]


@pytest.mark.parametrize(
    ("harm", "errors", "needed"),
    [
        pytest.param(0.1, 0.5, 0.1, id="as-many-errors-as-not"),
        pytest.param(0.1, 0.2, 0.4, id="few-errors-to-mend"),
        pytest.param(0.0, 0.2, 0.0, id="no-harm"),
        pytest.param(0.1, 0.0, None, id="no-errors"),
        pytest.param(None, 1.0, None, id="nothing-to-harm"),
    ],
)
def test_the_mark_is_where_help_makes_up_for_harm(harm: float | None, errors: float, needed: float | None) -> None:
    """There, what is mended of the errors is as much as what is spoilt of the rest."""
    row = HelpAndHarm(name="a", help=Number(value=0.3, n=9), harm=Number(value=harm, n=9), base_errors=errors)
    assert row.needed == (None if needed is None else pytest.approx(needed))
    if needed:
        assert errors * needed == pytest.approx((1 - errors) * (harm or 0))


def test_categories_are_shown_together_and_apart() -> None:
    """With several of them, all together come first."""
    results = [result("a", name, first=True, final=True, category=name, code=name) for name in ("x", "y")]
    found = measure_evaluation(SETTINGS, results, source="f", unfinished=True)
    assert [(one.category, one.right.n) for one in found.arms] == [("all", 2), ("x", 1), ("y", 1)]
    assert found.comparisons == []
    assert [note.split()[0:3] for note in found.notes] == [["The", "last", "line"], ["The", "source", "of"]]


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        pytest.param(microseconds(0.5), "0.5 µs", id="fraction"),
        pytest.param(microseconds(1500), "1.5 ms", id="milliseconds"),
        pytest.param(microseconds(61e6), "61 s", id="seconds"),
        pytest.param(microseconds(12_345e6), "12,345 s", id="long"),
        pytest.param(
            with_interval(Number(value=None, n=0, reason="there are no calls")), "– (there are no calls)", id="none"
        ),
        pytest.param(
            with_interval(Number(value=0.5, n=3, low=0.1, high=0.9)), "50.0 % (10.0 to 90.0 %, n 3)", id="share"
        ),
        pytest.param(probability(Number(value=1e-9, n=3)), "< 0.0001", id="small-p"),
        pytest.param(shown("a\u202eb\x1b[31m\n"), "a<U+202E>b<U+001B>[31m<U+000A>", id="invisible"),
        pytest.param(shown("x" * 99), "x" * 59 + "…", id="cut"),
        pytest.param(shown("Bearer abcdefghijklmnopqrstuvwxyz0123456789").startswith("Bearer abc"), False, id="secret"),
    ],
)
def test_numbers_and_names_are_written_for_people(written: object, expected: object) -> None:
    """With units, intervals and n; nothing in a name stays invisible or secret."""
    assert written == expected

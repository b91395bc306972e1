"""The page of results tells what was measured, with its intervals, and names what was not."""

from __future__ import annotations

import gzip
import json
import re
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from benchmarks.__main__ import app
from benchmarks.page.gathering import PageError, gather, load_measured, load_published
from benchmarks.page.page import make_page, write_page
from benchmarks.page.writing import mean, points, rate, table
from benchmarks.recorded import injection, trajectories
from reinforced_agent.evaluation.metrics.shares import Number, share
from reinforced_agent.evaluation.replay import recorded
from tests.architecture.house import ROOT
from tests.benchmarks.results_inputs import BENCH, CRASH, some_of, trials, write_results
from tests.evaluation.recordings import DATA


SAMPLE = ROOT / "evaluation" / "sample_data" / "calls.jsonl"
TITLES = (
    "Recorded responses of models",
    "Plain rules beside the layers",
    "A live model on BFCL",
    "Agreement with the official checker",
    "Recorded conversations of support desks",
    "Recorded runs under prompt injection",
    "Crash tests",
    "Benchmarks",
    "Hostile proposals",
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Make a folder of recorded data from the sample; it has no conversations."""
    made = tmp_path / "data"
    made.mkdir()
    lines = [json.loads(line) for line in SAMPLE.read_text(encoding="utf-8").splitlines()]
    judged_lines = [{**line, "category": "live_relevance", "ground_truth": []} for line in lines]
    content = "\n".join(map(json.dumps, judged_lines)).encode()
    (made / recorded.FILE).write_bytes(gzip.compress(content))
    return made


def section(page: str, title: str) -> str:
    """Cut one part out of a page."""
    return page.partition(f"## {title}\n")[2].partition("\n## ")[0]


def test_every_heuristic_tells_of_data_it_was_not_made_on() -> None:
    """Each row has a figure, or says plainly that there is none; the page in the repository has them as well."""
    told = section(make_page(None, None, {}), "At first sight")
    rows = [line for line in told.splitlines() if line.startswith("| ")][1:]
    assert len(rows) > 10
    assert all(re.search(r"\d", row.split("|")[3]) or "not measured on unseen data" in row for row in rows)
    assert told.strip() == section((ROOT / "docs" / "results.md").read_text(encoding="utf-8"), "At first sight").strip()


def test_without_any_input_every_part_says_so() -> None:
    """Nothing is invented: each part names what is missing, and the command that measures it."""
    page = make_page(None, None, {})
    for title in TITLES:
        assert "**Not measured**: no " in section(page, title), title
        assert "`python -m benchmarks " in section(page, title), title
    assert "None of the marks was measured." in page


def test_equal_inputs_give_an_equal_page(folder: Path, tmp_path: Path) -> None:
    """Neither the time, nor the order of the results, nor the place of the files shows."""
    first = write_results(tmp_path / "r.jsonl", trials(mended=1))
    page = make_page(folder, first, {"bench": BENCH}, workers=1)
    other = tmp_path / "elsewhere"
    folder.rename(other)
    assert make_page(other, first, {"bench": BENCH}, workers=1) == page
    write_results(first, reversed(trials(mended=1)))
    again = make_page(other, first, {"bench": BENCH}, workers=1)
    assert re.sub(r"`\w{12}`", "", again) == re.sub(r"`\w{12}`", "", page)
    assert str(tmp_path) not in page


def test_recorded_numbers_are_those_of_the_replay(folder: Path) -> None:
    """The counts of the page are what `replay recorded` counts, with Wilson intervals."""
    page = make_page(folder, None, {}, workers=1)
    part = section(page, "Recorded responses of models")
    assert "18 wrong and 22 right responses." in part
    assert "| together | 10 = 55.6% (33.7 to 75.4) | 2 = 9.1% (2.5 to 27.8) | - | - |" in part
    assert "| format | 2 = 11.1% (3.1 to 32.8) | 0 = 0.0% (0.0 to 14.9) | 8 | 2 |" in part
    assert "err in more than 14.1% of the cases" in part
    assert "| wrong value | 5 | 0 | 0 | 1 | 0 | 1 = 20.0% (3.6 to 62.4) |" in part


def test_rules_stand_beside_the_published_ones(folder: Path) -> None:
    """Each rule has its own count and that of the whole data, of which the share is worked out."""
    part = section(make_page(folder, None, {}, workers=1), "Plain rules beside the layers")
    assert re.search(r"\| malformed \| 2 = .* \| 0 = .* \| 204 = 4\.8% .* \| 0 = ", part)
    assert re.search(r"\| \*\*the layers\*\* \| 10 = .* \| 2 = .* \| - \| - \|", part)
    assert "enum: straightened by value_fold | 1 |" in part


def test_what_a_folder_lacks_is_named(folder: Path) -> None:
    """A folder with only some of the files gives the parts it can."""
    page = make_page(folder, None, {}, workers=1)
    assert f"no `{trajectories.FILE}` and no `{trajectories.DOMAINS}`" in section(page, TITLES[4])
    assert f"no `{injection.FILE}` and no `{injection.TOOLS}`" in section(page, TITLES[5])


def test_live_cells_state_their_size(tmp_path: Path) -> None:
    """Every cell has its n, accuracy, tokens and seconds; cells of different size are pointed out."""
    results = write_results(tmp_path / "r.jsonl", trials()[:-1])
    part = section(make_page(None, results, {}), "A live model on BFCL")
    row = "| simple_python | masked | 6 | 66.7% (30.0 to 90.3) | 66.7% (30.0 to 90.3) | 0 | 102 (101 to 104) | 1.50 |"
    assert row in part
    assert "| simple_python | masked+feedback | 5 |" in part
    assert "The cells differ in size" in part
    assert "fewer than 30 questions in free, simple_python" in make_page(None, results, {})


def test_arms_are_compared_on_the_same_questions(tmp_path: Path) -> None:
    """The table of four, net lift and p come from the pairs of questions."""
    results = write_results(tmp_path / "r.jsonl", trials(mended=1))
    part = section(make_page(None, results, {}), "A live model on BFCL")
    assert re.search(r"\| free → masked \| simple_python \| 6 \| 0 \| 4 \| 0 \| 2 \| 66\.7% .*\| 0\.12 \|", part)
    assert re.search(r"\| masked → masked\+feedback \| simple_python \| 6 \| 4 \| 1 \| 0 \| 1 \| 50\.0% ", part)
    assert "+16.7 (" in part


@pytest.mark.parametrize(
    ("mended", "said"),
    [pytest.param(0, True, id="feedback mends nothing"), pytest.param(1, False, id="feedback mends one")],
)
def test_feedback_is_called_useless_only_where_it_is(tmp_path: Path, *, mended: int, said: bool) -> None:
    """The sentence on feedback over the mask follows the numbers."""
    results = write_results(tmp_path / "r.jsonl", trials(mended=mended))
    page = make_page(None, results, {})
    sentence = "Feedback over the mask adds nothing on `simple_python` (6 questions: 6 asked again, 0 mended, 0 spoilt;"
    assert (sentence in page) is said


def test_budgets_are_met_or_missed_by_number() -> None:
    """A ratio above its budget is told as missed, one below as met."""
    page = make_page(None, None, {"bench": BENCH})
    assert "| whole graph over a bare LangGraph | 1.7 × | at most 1.5 × | **no** |" in page
    assert "| whole graph over `create_agent` | 0.9 × | at most 1.0 × | yes |" in page
    assert "a bare LangGraph of as many nodes, × | 1.70 (1.40 to 2.50) |" in page


@pytest.mark.parametrize(
    ("load", "busy"), [pytest.param(0.1, False, id="idle machine"), pytest.param(5.0, True, id="busy machine")]
)
def test_times_of_a_busy_machine_are_told_with_caution(load: float, *, busy: bool) -> None:
    """A load above the number of cores makes times uncertain, and the page says so."""
    page = make_page(None, None, {"bench": {**BENCH, "load": load}})
    assert ("so all of this is uncertain" in page) is busy


def test_payments_nobody_knows_about_are_told() -> None:
    """Kept crash tests are told with seed, kills and intervals; unknown payments count as a shortcoming."""
    page = make_page(None, None, {"crashtest": {"SQLite": CRASH}})
    assert "| SQLite | 7 | 20 | 30 | 3 = 10.0% (3.5 to 25.6) | 0 | 0 | 0 | 0 = 0.0% (0.0 to 11.4) | 12 |" in page
    assert "Over SQLite, 3 of 30 = 10.0% (3.5 to 25.6) of the payments are told as unknown" in page
    assert "lost, doubled or told wrongly." not in section(page, "What did not work")


def test_a_fault_in_the_books_is_a_shortcoming() -> None:
    """A payment that was made twice is named, however few they are."""
    page = make_page(None, None, {"crashtest": {"SQLite": {**CRASH, "doubled": 1}}})
    assert "Over SQLite, 1 of 30" in section(page, "What did not work")


def test_the_break_even_rate_of_the_paper_is_worked_out() -> None:
    """What the page says of the paper's reviewers follows from their help and harm."""
    assert "o3-mini, prompt v2 24.1%" in make_page(None, None, {})
    other = load_published()
    other["paper"]["reviewers"] = [{"name": "R", "helpful": 10.0, "harmful": 30.0}]
    assert "R 75.0%" in write_page(gather(None, None, {}), other)


def test_kept_measurements_come_with_the_package() -> None:
    """What is shipped can be written down, and nothing in it was lost, doubled or told wrongly."""
    measured = load_measured()
    page = make_page(None, None, measured)
    for title in ("Crash tests", "Benchmarks", "Hostile proposals"):
        assert "**Not measured**" not in section(page, title), title
    assert all(
        run[fault] == 0 for run in measured["crashtest"].values() for fault in ("lost", "doubled", "misreported")
    )


@pytest.mark.parametrize(
    ("number", "text"),
    [
        pytest.param(share(0, 0), "-", id="no cases"),
        pytest.param(share(5, 6868), "0.07% (0.03 to 0.17)", id="small shares get more decimals"),
        pytest.param(share(11030, 11030), "100.000% (99.965 to 100.000)", id="so do shares near 1"),
        pytest.param(share(319, 2348), "13.6% (12.3 to 15.0)", id="others get one"),
        pytest.param(Number(value=0.25, n=4), "25.0%", id="without an interval"),
    ],
)
def test_shares_are_written_with_their_intervals(number: Number, text: str) -> None:
    """A share never stands without its interval where there is one."""
    assert rate(number) == text


def test_differences_and_means_are_written_with_their_intervals() -> None:
    """Points carry a sign, means their unit's decimals."""
    assert points(Number(value=0.1, n=9, low=-0.05, high=0.25)) == "+10.0 (-5.0 to +25.0)"
    assert mean(Number(value=1234.5, n=9, low=1000.0, high=2000.0), 0) == "1,234 (1,000 to 2,000)"
    assert points(Number(value=None, n=0)) == mean(Number(value=None, n=0), 0) == "-"


def test_numbers_stand_on_the_right() -> None:
    """Columns of text stay on the left."""
    assert table(("a", "b"), [("x", "1"), ("y", "-")]).splitlines()[1] == "|---|--:|"


@pytest.mark.parametrize(
    ("options", "text"),
    [
        pytest.param(["--data", "nowhere"], "There is no folder 'nowhere'", id="no folder"),
        pytest.param(["--live", "nothing.jsonl"], "There is no file 'nothing.jsonl'", id="no results"),
        pytest.param(["--measured", "nothing.json"], "can't be read", id="no measurements"),
        pytest.param(["--measure", "bench"], "--measure needs --measured FILE", id="nowhere to keep it"),
        pytest.param(["--out", "no/such/folder/page.md"], "can't be written", id="nowhere to write"),
    ],
)
def test_a_wrong_option_is_explained(
    options: list[str], text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The command ends with one sentence, and leaves the old page alone."""
    monkeypatch.chdir(tmp_path)
    done = CliRunner().invoke(app, ["results", *options])
    assert done.exit_code == 2
    assert text in done.output
    assert list(tmp_path.iterdir()) == []


def test_a_named_folder_must_be_there(tmp_path: Path) -> None:
    """A typing error in a path is no reason for a page that says nothing was measured."""
    with pytest.raises(PageError, match="There is no folder"):
        gather(tmp_path / "nowhere", None, {})


@pytest.mark.skipif(not DATA.is_dir(), reason="the published recordings are not at hand")
def test_published_recordings_show_as_numbers_alone(tmp_path: Path) -> None:
    """The page holds aggregated figures: no id, question or argument of a recording gets into it."""
    names = {
        recorded.FILE: 600,
        trajectories.FILE: 10,
        trajectories.DOMAINS: 0,
        injection.FILE: 60,
        injection.TOOLS: 0,
    }
    made = some_of(names, tmp_path / "some")
    page = make_page(made, None, {}, workers=1)
    lines: list[dict[str, Any]] = [
        json.loads(line) for line in gzip.decompress((made / recorded.FILE).read_bytes()).splitlines()
    ]
    assert "**Not measured**" not in section(page, TITLES[5])
    assert {line["id"] for line in lines if line["id"] in page} == set()
    assert {tool["name"] for line in lines for tool in line["tools"] if f"`{tool['name']}`" in page} == set()
    assert "| airline | standard layers |" in page

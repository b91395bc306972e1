"""The report command as a user meets it, over records that the graph itself has written."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from benchmarks.__main__ import app
from reinforced_agent import Context, Ledger
from reinforced_agent.evaluation.report import words
from reinforced_agent.graph.records.sinks import SqlSink
from tests.evaluation.report_records import WRONG, call, result, turn, write_ledger, write_results
from tests.graph.house import House
from tests.graph.house import call as proposed
from tests.graph.house import calls as message


ANN, BOB = Context(user_id="ann"), Context(user_id="bob")
RIGHT = message(proposed("get_forecast", {"city": "Oslo", "date": "2026-12-01"}, "right"))
MISSPELT = message(proposed("get_forecast", {"city": "Oslo", "dat": "2026-12-01"}, "misspelt"))
NOTE = message(proposed("send_note", {"to": "bob", "text": "hi"}, "note"))


def run(*words_: str, **environment: str) -> Result:
    """Run the command."""
    return CliRunner().invoke(app, ["report", *words_], env={"COLUMNS": "200", **environment})


@pytest.fixture(scope="module")
def ledger(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Let the graph put three turns on record: one mended, one approved, one in which a tool fails for good."""
    url = f"sqlite:///{tmp_path_factory.mktemp('ledger') / 'ledger.db'}"
    book = Ledger.open(url)
    told: Any = {"ledger": book, "sinks": [SqlSink(book)]}
    House(MISSPELT, RIGHT, "Cold.", **told).say(context=ANN)
    house = House(NOTE, "Sent.", **told)
    house.config = {"configurable": {"thread_id": "second"}}
    house.say(context=ANN).decide({"type": "approve"}, context=BOB)
    torn = House(message(proposed("read_ledger", {"page": 3}, "torn")), "It is torn.", **told)
    torn.config = {"configurable": {"thread_id": "third"}}
    torn.say(context=ANN)
    book.close()
    return url


@pytest.fixture
def results(tmp_path: Path) -> Path:
    """Write results of two arms."""
    arms = [result("off", str(n), first=n == 0, final=n == 0) for n in range(4)]
    arms += [result("layers", str(n), first=n == 0, final=n < 3, asked=2) for n in range(4)]
    return write_results(tmp_path / "results.jsonl", arms)


def test_what_the_graph_did_is_in_the_numbers(ledger: str) -> None:
    """One JSON object and nothing else; the questions, retries and failures of the three turns are counted."""
    done = run("--db", ledger, "--json")
    assert (done.exit_code, done.stderr) == (0, "")
    found = json.loads(done.stdout)
    assert found["evaluation"] is None
    service = found["service"]
    assert (service["turns"], service["proposals"], service["calls"]) == (3, 7, 4)
    assert service["headlines"]["first_call_success"]["value"] == pytest.approx(1 / 3, abs=1e-6)
    assert service["headlines"]["resolution"]["value"] == pytest.approx(2 / 3, abs=1e-6)
    assert service["headlines"]["give_up"]["value"] == 0.5
    assert service["retries"] == {"unknown_argument": 1}
    assert (service["approvals"]["asked"], service["approvals"]["approved"]) == (1, 1)
    assert {"format", "routing", "arguments", "risk"} <= service["layers"].keys()
    assert all(layer["microseconds"] for layer in service["layers"].values())
    assert ("passed", "failed", 1) in [tuple(one.values()) for one in service["flow"]]


def test_an_evaluation_is_in_the_numbers(results: Path) -> None:
    """Help, harm, net lift with its interval, the exact p and the break-even of every pair."""
    found = json.loads(run("--results", str(results), "--json").stdout)
    assert found["service"] is None
    pair, own = found["evaluation"]["comparisons"]
    assert (pair["help"]["value"], pair["harm"]["value"], pair["net_lift"]["value"]) == (0.666667, 0.0, 0.5)
    assert (pair["p"]["value"], pair["break_even"]["value"]) == (0.5, 0.0)
    assert own["table"] == pair["table"]
    assert found["evaluation"]["versions"] == ["0"]
    assert found["evaluation"]["changed"].endswith("+00:00")


def test_people_get_tables_and_a_page(ledger: str, results: Path, tmp_path: Path) -> None:
    """Of both sources in one report; the page is named on stderr."""
    page = tmp_path / "page.html"
    done = run("--db", ledger, "--results", str(results), "--html", str(page))
    assert (done.exit_code, done.stderr) == (0, f"The page is in {str(page)!r}.\n")
    for text in (
        "reinforced-agent 0",
        "First-call success",
        "unknown_argument",
        "off → layers",
        "+50.0 %",
        "Help against harm",
    ):
        assert text in done.stdout
        assert text in page.read_text(encoding="utf-8")


def test_the_ledger_of_the_settings_is_taken(ledger: str) -> None:
    """Where no source is named; results that are named stand for themselves."""
    found = json.loads(run("--json", REINFORCED_AGENT_DATABASE=ledger).stdout)
    assert found["service"]["turns"] == 3


def test_records_that_were_left_out_are_named(tmp_path: Path) -> None:
    """On the terminal, on the page and in the JSON object."""
    newer = {**turn(call(), name="n")[0].model_dump(mode="json"), "version": 7}
    url, page = write_ledger(tmp_path / "ledger.db", [*turn(WRONG, "answer"), newer]), tmp_path / "page.html"
    done = run("--db", url, "--html", str(page))
    told = "1 written by a newer version of reinforced-agent"
    assert told in done.stdout
    assert told in page.read_text(encoding="utf-8")
    left_out = json.loads(run("--db", url, "--json").stdout)["service"]["left_out"]
    assert left_out == {"newer": 1, "damaged": 0, "examples": ["n-1: version 7 of the schema"]}


def test_records_of_an_evaluation_among_those_of_a_service_are_named(tmp_path: Path) -> None:
    """They would be counted as if users had asked."""
    records = [one.model_copy(update={"settings": {"layers": "none"}}) for one in turn(call(), "answer")]
    done = run("--db", write_ledger(tmp_path / "ledger.db", [*records, *turn("answer", name="b")]))
    assert "With them are counted 2 records of an evaluation" in done.stdout


def test_names_cannot_steer_the_terminal(tmp_path: Path) -> None:
    """Neither with control characters nor with the markup of the tables."""
    bad = call("revise", *WRONG.verdicts, tool="[red]\x1b[2J\u202e")
    records = [*turn(bad, bad, name="a"), *turn(bad, name="b")]
    done = run("--db", write_ledger(tmp_path / "ledger.db", records))
    assert "[red]<U+001B>[2J<U+202E>" in done.stdout
    assert "\x1b[2J" not in done.stdout


@pytest.mark.parametrize(
    ("options", "told"),
    [
        pytest.param((), "Nothing to report on: name records with --db", id="no-source"),
        pytest.param((), "build_agent(sinks=[SqlSink(ledger)])", id="how-to-record"),
        pytest.param(("--db", ""), "The address of the ledger can't be read", id="empty-address"),
        pytest.param(("--db", "sqlite:///{folder}/none.db"), "There is no ledger sqlite:///", id="no-ledger"),
        pytest.param(("--results", "{folder}/none.jsonl"), "No such file or directory", id="no-results"),
        pytest.param(("--results", "{folder}"), "Is a directory", id="results-are-a-folder"),
        pytest.param(("--results", "{folder}/empty.jsonl"), "holds no results of `bfcl`", id="empty-results"),
        pytest.param(("--results", "{folder}/begun.jsonl"), "holds no results yet", id="only-settings"),
        pytest.param(("--results", "{folder}/odd.jsonl"), "Line 2 of the results", id="damaged-results"),
        pytest.param(
            ("--results", "{folder}/good.jsonl", "--html", "{folder}"), "that is no file", id="page-is-a-folder"
        ),
        pytest.param(
            ("--results", "{folder}/good.jsonl", "--html", "{folder}/none/page.html", "--json"),
            "No such file or directory",
            id="no-folder-for-the-page",
        ),
    ],
)
def test_what_is_wrong_is_said_in_a_sentence(options: tuple[str, ...], told: str, tmp_path: Path) -> None:
    """On stderr, with exit code 2 and nothing on stdout."""
    (tmp_path / "empty.jsonl").touch()
    begun = write_results(tmp_path / "begun.jsonl", [])
    (tmp_path / "odd.jsonl").write_bytes(begun.read_bytes() + b"{}\n")
    write_results(tmp_path / "good.jsonl", [result("off", "1", first=True, final=True)])
    done = run(*(option.format(folder=tmp_path) for option in options))
    assert (done.exit_code, done.stdout) == (2, "")
    assert told in done.stderr
    assert "Traceback" not in done.stderr


def test_an_unfinished_line_is_named(results: Path) -> None:
    """Of a file that an evaluation is still writing to."""
    with results.open("ab") as file:
        file.write(b'{"arm": "off", ')
    assert "The last line of the file is unfinished and was left out." in run("--results", str(results)).stdout


@pytest.mark.parametrize(
    ("first", "last", "told"),
    [
        pytest.param("2026-11-30T10:00:00+00:00", "2026-11-30T10:00:30+00:00", "2026-11-30 10:00 UTC", id="one-minute"),
        pytest.param(
            *("2026-11-30T10:00:00+00:00", "2026-12-01T10:00:00+00:00"),
            "2026-11-30 10:00 UTC to 2026-12-01 10:00 UTC",
            id="a-day",
        ),
        pytest.param("soon", "soon", "soon", id="no-time"),
    ],
)
def test_the_time_that_was_measured_is_told(first: str, last: str, told: str) -> None:
    """To the minute."""
    assert words.when(first, last) == told

"""Records are read without writing to the ledger, and what can't be used is named."""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from reinforced_agent import Ledger
from reinforced_agent.evaluation.report.saving import save
from reinforced_agent.evaluation.report.sources import ReportError, keep, read_ledger
from tests.evaluation.report_records import WRONG, call, row, turn, write_ledger


resource = pytest.importorskip("resource")


def change(file: Path, statement: str) -> None:
    """Change a database by hand."""
    with closing(sqlite3.connect(file)) as connection, connection:
        connection.execute(statement)


@pytest.fixture(scope="module")
def shelf(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Make a folder of files that hold no records to report on."""
    folder = tmp_path_factory.mktemp("shelf")
    (folder / "text.db").write_text("not a database" * 99, encoding="utf-8")
    (folder / "zero.db").touch()
    change(folder / "other.db", "create table things (id text)")
    change(folder / "odd.db", "create table reinforced_agent_records (id text)")
    change(folder / "earlier.db", "create table ledger_version (version_num text)")
    change(folder / "earlier.db", "insert into ledger_version values ('0002')")
    write_ledger(folder / "empty.db", [])
    write_ledger(folder / "newer.db", [{**turn(call())[0].model_dump(mode="json"), "version": 9}])
    return folder


def test_records_come_back_without_their_texts(tmp_path: Path) -> None:
    """What numbers are made from is there; what was asked, given and returned is not even held in memory."""
    secret = call(raw='{"a": 1}', arguments={"a": 1}, result="r", feedback="f", error="e")
    records = [one.model_copy(update={"request": "please"}) for one in turn(WRONG, secret, "answer")]
    loaded = read_ledger(write_ledger(tmp_path / "ledger.db", records))
    assert [one.step for one in loaded.records] == [1, 2, 3]
    assert loaded.records[0].calls == (WRONG,)
    found = loaded.records[1].calls[0]
    assert (found.raw, found.arguments, found.result, found.feedback, found.error) == ("", None, "", "", "")
    assert {one.request for one in loaded.records} == {""}
    assert not loaded.left_out


def test_any_ledger_can_be_read(database: str) -> None:
    """On SQLite and on PostgreSQL."""
    ledger = Ledger.open(database)
    (record, *_) = turn(call(), name=f"turn-{os.getpid()}")
    ledger.records.write([record.model_dump(mode="json")])
    ledger.close()
    assert record.turn in {one.turn for one in read_ledger(database).records}


@pytest.mark.parametrize("may_write", [True, False], ids=["own", "read-only"])
def test_reading_changes_nothing(*, may_write: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The file keeps its bytes, also one that this user may only read."""
    file = tmp_path / "ledger.db"
    url = write_ledger(file, turn(call()))
    before = file.read_bytes()
    monkeypatch.setattr(os, "access", lambda *_: may_write)
    assert len(read_ledger(url).records) == 1
    assert file.read_bytes() == before


@pytest.mark.parametrize(
    ("changes", "newer", "why"),
    [
        pytest.param({"version": 2, "shape": "new"}, True, "x: version 2 of the schema", id="newer"),
        pytest.param({"version": 10**30}, True, "of the schema", id="much-newer"),
        pytest.param({"version": "1.5"}, False, "x: version: ", id="version-of-another-type"),
        pytest.param({"more": 1}, False, "x: more: Extra inputs", id="unknown-field"),
        pytest.param({"step": "first"}, False, "x: step: Input should be a valid integer", id="wrong-type"),
        pytest.param({"calls": [1]}, False, "x: calls.0: ", id="calls-of-another-type"),
        pytest.param({"kind": "guess"}, False, "x: kind: 'guess' is not one of call, answer, unusable", id="kind"),
        pytest.param(
            {"calls": [{"id": "c", "raw_name": "add", "status": "lost"}]},
            False,
            "x: 'lost' is not a valid",
            id="status",
        ),
    ],
)
def test_a_record_that_cannot_be_used_is_named(*, changes: dict[str, Any], newer: bool, why: str) -> None:
    """By its id, with what is wrong; the others count."""
    kept, left_out = keep([row("a"), row("x", **changes), row("b")])
    assert [record.id for record in kept] == ["a", "b"]
    assert (left_out.newer, left_out.damaged) == (int(newer), int(not newer))
    assert why in left_out.examples[0]
    assert left_out.examples[0] in left_out.sentence


@pytest.mark.parametrize("text", [None, 5, b"{}", "", "{", "[]", "null", "NaN", '"text"', "[" * 100_000], ids=range(10))
def test_a_row_that_is_no_record_is_damaged(text: object) -> None:
    """Whatever stands in the table."""
    kept, left_out = keep([("x", text)])
    assert (kept, left_out.damaged) == ([], 1)


def test_many_damaged_records_are_counted_and_some_are_named() -> None:
    """So that the warning stays readable."""
    _, left_out = keep((str(number), "{") for number in range(100))
    assert (left_out.damaged, len(left_out.examples)) == (100, 5)


@pytest.mark.parametrize(
    ("url", "told"),
    [
        pytest.param("nonsense", "The address of the ledger can't be read: write `sqlite:///FILE`", id="no-address"),
        pytest.param("mysql://x/y", "can't be kept in 'mysql'", id="other-database"),
        pytest.param("sqlite://", "ends with the process that wrote it", id="memory"),
        pytest.param("sqlite:///{folder}/none.db", "There is no ledger", id="no-file"),
        pytest.param("sqlite:///{folder}", "There is no ledger", id="folder"),
        pytest.param("sqlite:///{folder}/text.db", "Give the path of a ledger", id="no-database"),
        pytest.param("sqlite:///{folder}/other.db", "has no table of records", id="no-table"),
        pytest.param("sqlite:///{folder}/odd.db", "can't be used: no such column", id="odd-table"),
        pytest.param("sqlite:///{folder}/earlier.db", "bring it up to date with `Ledger.open(URL)`", id="earlier"),
        pytest.param("sqlite:///{folder}/empty.db", "build_agent(sinks=[SqlSink(ledger)])", id="no-records"),
        pytest.param("sqlite:///{folder}/zero.db", "has no table of records", id="empty-file"),
        pytest.param("sqlite:///{folder}/newer.db", "1 written by a newer version", id="only-newer"),
        pytest.param(
            "postgresql://ann:hunter22@127.0.0.1:1/db?password=hunter22",
            "postgresql+psycopg://ann:***@",
            id="no-server",
        ),
    ],
)
def test_what_is_wrong_with_a_ledger_is_said(url: str, told: str, shelf: Path) -> None:
    """In one sentence, without the password; no file is made on the way."""
    before = set(shelf.iterdir())
    with pytest.raises(ReportError) as raised:
        read_ledger(url.format(folder=shelf))
    assert told in str(raised.value)
    assert "hunter22" not in str(raised.value)
    assert set(shelf.iterdir()) == before


@pytest.mark.parametrize(
    ("name", "why"),
    [
        pytest.param("none/page.html", "No such file or directory", id="no-folder"),
        pytest.param("folder", "that is no file", id="folder"),
        pytest.param("page.html/page.html", "Not a directory", id="under-a-file"),
        pytest.param("n" * 300, "File name too long", id="long-name"),
    ],
)
def test_a_page_that_cannot_be_written_changes_nothing(name: str, why: str, tmp_path: Path) -> None:
    """The error says why; nothing half-written is left behind."""
    (tmp_path / "folder").mkdir()
    (tmp_path / "page.html").write_text("before", encoding="utf-8")
    with pytest.raises(ReportError, match=why):
        save(tmp_path / name, "after")
    assert sorted(path.name for path in tmp_path.rglob("*")) == ["folder", "page.html"]
    assert (tmp_path / "page.html").read_text(encoding="utf-8") == "before"


def test_a_full_disk_leaves_the_page_that_was_there(tmp_path: Path) -> None:
    """A page is put in its place only when it is complete."""
    page = tmp_path / "page.html"
    save(page, "before")
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1_000, limits[1]))
    try:
        with pytest.raises(ReportError, match="nothing was changed"):
            save(page, "after" * 1_000)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert [path.read_text(encoding="utf-8") for path in tmp_path.iterdir()] == ["before"]


def test_a_page_takes_the_place_of_an_older_one(tmp_path: Path) -> None:
    """Also behind a link, which stays one; a pipe or a device is left alone."""
    page, link = tmp_path / "page.html", tmp_path / "link.html"
    save(page, "before")
    link.symlink_to(page)
    save(link, "after – ü")
    assert (link.is_symlink(), page.read_text(encoding="utf-8")) == (True, "after – ü")
    with pytest.raises(ReportError, match="that is no file"):
        save(Path(os.devnull), "after")

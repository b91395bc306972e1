"""The file of results: it is gone on with, and never spoilt."""

from __future__ import annotations

import json
import resource
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from benchmarks.bfcl.results import (
    Judged,
    Result,
    ResultsError,
    Settings,
    open_results,
    read_results,
)


SETTINGS = Settings({"model": "m", "prompt": "p"})
OTHERS = Settings({"model": "n", "prompt": "p"})


def result(test_id: str, **changed: Any) -> Result:
    """Make a result."""
    judgement = Judged(calls=[{"name": "f", "arguments": {"x": "\ud800é"}}], right=True)
    given: dict[str, Any] = {
        "arm": "off",
        "id": test_id,
        "category": "multiple",
        "question": "q",
        "tools": "t",
        "settings": SETTINGS.digest,
        "version": "1",
        "code": "c",
        "first": judgement,
        "final": judgement,
        "exchanges": [{"shown": [], "said": {"content": "x" * 200}}],
        "tokens": None,
        "seconds": 1.5,
    }
    return Result(**(given | changed))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Write a file with two results."""
    file = tmp_path / "results.jsonl"
    with open_results(file, SETTINGS) as results:
        results.add(result("a"))
        results.add(result("b"))
    return file


def test_results_are_found_again(path: Path) -> None:
    """A second evaluation goes on with what the first has kept, byte for byte."""
    with open_results(path, SETTINGS) as results:
        assert results.find("off", "a", "q") == result("a")
        assert results.find("off", "a", "another question") is None
        assert results.find("layers", "a", "q") is None
        results.add(result("c"))
    settings, kept = read_results(path)
    assert settings == SETTINGS
    assert [one.id for one in kept] == ["a", "b", "c"]


@pytest.mark.parametrize("cut", [1, 40, 300])
def test_a_line_that_was_cut_off_is_done_again(path: Path, cut: int) -> None:
    """A process killed while it wrote costs one result, and nothing else."""
    whole = path.read_bytes()
    path.write_bytes(whole[:-cut])
    assert [one.id for one in read_results(path)[1]] == ["a"]
    with open_results(path, SETTINGS) as results:
        assert results.find("off", "b", "q") is None
        results.add(result("b"))
    assert path.read_bytes() == whole


def test_a_first_line_that_was_cut_off_is_begun_again(path: Path) -> None:
    """A process killed at the very beginning leaves nothing behind that hinders."""
    path.write_bytes(SETTINGS.line[:20])
    with open_results(path, SETTINGS) as results:
        results.add(result("a"))
    assert [one.id for one in read_results(path)[1]] == ["a"]


def lines(content: bytes) -> list[bytes]:
    """Take a file apart."""
    return content.splitlines(keepends=True)


def change(content: bytes, **changed: Any) -> bytes:
    """Change fields of the first result."""
    head, first, *rest = lines(content)
    return b"".join([head, json.dumps(json.loads(first) | changed).encode() + b"\n", *rest])


@pytest.mark.parametrize(
    ("damage", "said"),
    [
        pytest.param(lambda _: b"My shopping list", "holds no results", id="a text"),
        pytest.param(lambda _: b"milk\nbread\n", "holds no results", id="lines of text"),
        pytest.param(lambda _: b"[1]\n", "holds no results", id="other JSON"),
        pytest.param(lambda _: b'{"schema": 1, "settings": 3}\n', "holds no results", id="no settings"),
        pytest.param(lambda _: b"\xff\xfe\n", "holds no results", id="no text"),
        pytest.param(lambda _: b'{"schema": 99}\n', "version 99 of the layout.*knows version 1", id="newer layout"),
        pytest.param(lambda _: OTHERS.line, "other settings .model 'n' instead of 'm'.", id="other model"),
        pytest.param(lambda all_: all_.replace(b'"off"', b'"off', 1), "Line 2 .*it is no JSON", id="broken line"),
        pytest.param(lambda all_: b"".join([*lines(all_), b"\n"]), "Line 4 .*no JSON", id="empty line"),
        pytest.param(lambda all_: b"".join([*lines(all_), lines(all_)[1]]), "Line 4 .*is there twice", id="twice"),
        pytest.param(lambda all_: change(all_, seconds="long"), "Line 2 .*seconds: Input should", id="wrong type"),
        pytest.param(lambda all_: change(all_, mood="good"), "Line 2 .*mood: Extra inputs", id="unknown field"),
        pytest.param(lambda all_: change(all_, settings="x"), "Line 2 .*other settings than", id="mixed settings"),
        pytest.param(lambda all_: all_.replace(b'"arm": "off", ', b"", 1), "Line 2 .*arm: Field", id="field missing"),
    ],
)
def test_a_file_of_another_kind_is_left_as_it_is(path: Path, damage: Any, said: str) -> None:
    """The error names the line and what to do, and not a byte is changed."""
    content = damage(path.read_bytes())
    path.write_bytes(content)
    with pytest.raises(ResultsError, match=said), open_results(path, SETTINGS):
        pytest.fail("it was opened")
    assert path.read_bytes() == content


def test_only_one_evaluation_writes_to_a_file(path: Path) -> None:
    """The second one is told so."""
    with (
        open_results(path, SETTINGS),
        pytest.raises(ResultsError, match="Another evaluation is writing"),
        open_results(path, SETTINGS),
    ):
        pytest.fail("it was opened")


@contextmanager
def small_disk(most: int) -> Iterator[None]:
    """Let no file grow beyond this size while the block runs; what pytest prints may go to a bigger one after it."""
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    before = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (most, limits[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
        signal.signal(signal.SIGXFSZ, before)


def test_a_full_disk_costs_one_result(path: Path) -> None:
    """What can't be written whole isn't written at all, and what was there stays good."""
    whole = path.read_bytes()
    with (
        small_disk(len(whole) + 300),
        pytest.raises(ResultsError, match=r"can't be written .*File too large.*make room"),
        open_results(path, SETTINGS) as results,
    ):
        results.add(result("c"))
    assert path.read_bytes() == whole


@pytest.mark.parametrize(
    "place", [pytest.param("", id="a folder"), pytest.param("missing/results.jsonl", id="no such folder")]
)
def test_a_file_that_cannot_be_opened_is_named(tmp_path: Path, place: str) -> None:
    """The error says which file, why, and what to do; the same for reading."""
    where = tmp_path / place
    with pytest.raises(ResultsError, match=r"can't be written to .*Name a file"), open_results(where, SETTINGS):
        pytest.fail("it was opened")
    with pytest.raises(ResultsError, match="can't be read"):
        read_results(where)


def test_without_a_file_results_are_kept_in_memory() -> None:
    """Nothing is written anywhere."""
    with open_results(None, SETTINGS) as results:
        results.add(result("a"))
        assert results.find("off", "a", "q") == result("a")

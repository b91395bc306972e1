"""The page about errors of the model says what the code does: outcomes, sentences, exit codes, statuses, advice."""

from __future__ import annotations

from typing import get_args

from reinforced_agent.models.errors import _TABLE, FaultKind
from reinforced_agent.policies.messages.endings import CHINESE, fault_sentence
from reinforced_agent.service.cli.exits import EXITS
from reinforced_agent.service.http.router import status_of
from tests.architecture.house import ROOT
from tests.models.failures import FAILURES


def rows() -> list[list[str]]:
    """Read the table of the page: kind, cause, outcome, sentence, exit code, status, advice."""
    text = (ROOT / "docs" / "model_errors.md").read_text(encoding="utf-8")
    lines = [line for line in text.splitlines() if line.startswith("| `")]
    return [[cell.strip().strip("`") for cell in line.strip("|").split("|")] for line in lines]


def test_every_kind_has_its_line() -> None:
    """A page with a status of the gateway's own trouble has one more."""
    assert sorted(row[0] for row in rows()) == sorted([*get_args(FaultKind), "page"])
    assert set(EXITS) == set(get_args(FaultKind))


def test_the_lines_are_true() -> None:
    """Each cell is what the code does."""
    advice: dict[str, str] = {row.fault.kind: row.fault.advice for row in _TABLE}
    for kind, _, outcome, sentence, code, status, to_do in rows():
        assert sentence == fault_sentence(outcome, kind, "en")
        assert fault_sentence(outcome, kind, "zh-CN")
        assert int(code) == EXITS[kind]  # type: ignore[index]
        assert int(status) == status_of(outcome, kind)
        assert to_do == (advice.get(kind) or "wait")


def test_the_lines_are_those_that_were_tried() -> None:
    """What a server on this computer does stands in the table, too."""
    lines = {(kind, outcome, code, status) for kind, _, outcome, _, code, status, _ in rows()}
    tried = {(one.kind, one.outcome, str(one.code), str(one.status)) for one in FAILURES}
    assert tried - lines == set()


def test_every_sentence_has_its_chinese() -> None:
    """No English stands in the account of somebody who reads Chinese."""
    for kind, _, outcome, *_ in rows():
        assert CHINESE[outcome]
        assert not fault_sentence(outcome, kind, "zh-CN").isascii()

"""Every problem of the reader has a text in both languages, and the texts ask for nothing that is not there."""

from __future__ import annotations

import ast
import re
from pathlib import Path
from string import Formatter

import pytest

import reinforced_agent.policies.parsing as package
from reinforced_agent.policies.messages import en, zh
from reinforced_agent.policies.parsing import Undecoded, decode_arguments
from reinforced_agent.policies.verdicts import Problem
from tests.policies.parsing.bench import native, written
from tests.policies.parsing.test_arguments import REFUSED
from tests.policies.parsing.test_leaked import AGAIN


CATALOGUES = {"en": en.READING, "zh": zh.READING}
CODE = re.compile(r"[a-z]+(?:_[a-z]+)+|silent")


def test_both_languages_know_the_same_codes() -> None:
    """No problem is without words in either language, with the same facts in both."""
    assert en.READING.keys() == zh.READING.keys()
    for code in en.READING:
        assert slots(en.READING[code]) == slots(zh.READING[code]), code


def test_no_other_layer_uses_these_codes() -> None:
    """A code names one problem: the same one in another catalogue would take its place."""
    for module in (en, zh):
        parts = [value for name, value in vars(module).items() if name.isupper() and isinstance(value, dict)]
        assert len(module.CATALOGUE.texts) == sum(map(len, parts))


def test_every_code_is_used() -> None:
    """Each text belongs to a code that the reader can give."""
    policies = Path(package.__file__).parent.parent
    sources = [path.read_text("utf-8") for part in ("parsing", "text") for path in (policies / part).rglob("*.py")]
    strings = {
        node.value
        for source in sources
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and CODE.fullmatch(node.value)
    }
    assert en.READING.keys() <= strings


def slots(texts: tuple[str, str]) -> set[str]:
    """Return the placeholders of a text and its advice."""
    return {name for text in texts for _, name, _, _ in Formatter().parse(text) if name}


def problems() -> dict[str, Problem]:
    """Collect one problem for every code that the tables of cases bring about."""
    found: list[Problem] = []
    for text, _, _ in REFUSED.values():
        decoded = decode_arguments(text)
        found += decoded.problems if isinstance(decoded, Undecoded) else ()
    readings = [written(content) for content, _ in AGAIN.values()]
    readings += [native("{", finish=finish) for finish in ("length", "error", "malformed_tool_call")]
    readings += [written("", finish) for finish in ("length", "error", "tool_calls")]
    for reading in readings:
        found += getattr(reading, "problems", ())
        found += [problem for call in getattr(reading, "calls", ()) for problem in getattr(call, "problems", ())]
    return {problem.code: problem for problem in found}


@pytest.mark.parametrize("language", CATALOGUES)
@pytest.mark.parametrize("code", sorted(problems()))
def test_problems_can_be_worded(code: str, language: str) -> None:
    """The facts of a problem fill its text and its advice."""
    problem = problems()[code]
    for text in CATALOGUES[language][code]:
        words = text.format(tool="book_table", field=problem.field, **problem.facts)
        assert words
        assert "``" not in words


@pytest.mark.parametrize("language", CATALOGUES)
def test_truncation_says_that_nothing_ran(language: str) -> None:
    """The model learns that the call was cut off, that it did not run, and to send less."""
    words = {"en": ("output limit", "NOT executed", "split"), "zh": ("输出上限", "未执行", "拆分")}[language]
    for code in ("cut_off_limit", "cut_off_text"):
        text = " ".join(CATALOGUES[language][code])
        assert all(word in text for word in words)

"""No text takes long to read: every scan, and every regular expression, takes time in proportion to its length."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from functools import partial

import pytest

from reinforced_agent.policies.screening import Screening, screen
from tests.architecture import scan_probe
from tests.architecture.house import ROOT
from tests.architecture.slow_texts import Text, texts_for, too_slow


PATIENCE = 300
"""Seconds; a regular expression that never ends can't be interrupted, but its process can."""


@pytest.mark.parametrize("what", ["scans", "patterns"])
def test_nothing_takes_more_than_linear_time(what: str) -> None:
    """100,000 characters of any few characters over and over are read within 0.2 seconds of an idle machine."""
    command = [sys.executable, "-B", "-m", scan_probe.__name__, what]
    done = subprocess.run(command, check=False, capture_output=True, text=True, cwd=ROOT, timeout=PATIENCE)
    assert done.returncode == 0, done.stderr[-2_000:]
    assert json.loads(done.stdout) == []


@pytest.mark.parametrize(
    ("regex", "use"),
    [
        pytest.param(r"(?<!\w)(?:\w[ _]{1,2}){4,60}\w(?!\w)", "search", id="classes-that-overlap"),
        pytest.param(r"(?:a|a)*b", "match", id="alternatives-that-overlap"),
        pytest.param(r"\w+@\w+", "search", id="a-beginning-of-any-length"),
        pytest.param(r"[a-z]*[a-z]*=", "match", id="two-repetitions-side-by-side"),
        pytest.param(r"name:\s*\w*\s*end", "search", id="two-gaps-around-nothing"),
    ],
)
def test_careless_expressions_are_noticed(regex: str, use: str) -> None:
    """The texts made for an expression find out what is wrong with it."""
    assert too_slow(partial(getattr(re.compile(regex), use)), texts_for(regex, 0))


@pytest.mark.parametrize("regex", [r"(?<!\w)\w++@\w++", r"(?<![a-z])[a-z]*+=", r"name:\s*+(?:\w++\s*+)?end"])
def test_careful_expressions_pass(regex: str) -> None:
    """What takes linear time is not objected to."""
    assert too_slow(re.compile(regex).search, texts_for(regex, 0)) == ""


def test_a_form_with_a_line_to_sign_on_is_screened_at_once() -> None:
    """The line of underscores of a form, which once took for ever, is a text like any other."""
    form = Text("_", "Name: ", "Date: 1")
    assert too_slow(lambda text: screen(text, Screening()), [form], least=1.0) == ""

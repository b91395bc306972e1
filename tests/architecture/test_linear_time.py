"""No text takes long to read: every scan, and every regular expression, takes time in proportion to its length."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from itertools import chain

import pytest

from reinforced_agent.policies.untrusted import Screening, screen
from tests.architecture import scan_probe
from tests.architecture.house import ROOT
from tests.architecture.slow_texts import Text, texts_for, too_slow


PATIENCE = 300
"""Seconds; a regular expression that never ends can't be interrupted, but its process can."""


def slow(what: str) -> list[str]:
    """Time the scans, or the regular expressions, in a process of its own and return what is slow."""
    command = [sys.executable, "-B", "-m", scan_probe.__name__, what]
    try:
        done = subprocess.run(command, check=False, capture_output=True, text=True, cwd=ROOT, timeout=PATIENCE)
    except subprocess.TimeoutExpired as stuck:
        return [f"never ends: {str(stuck.stderr)[-500:]}"]
    return list(json.loads(done.stdout)) if done.returncode == 0 else [done.stderr[-2_000:]]


def test_no_text_takes_long_to_read() -> None:
    """100,000 characters of a few over and over are read within 0.2 seconds, by every scan and every expression."""
    with ThreadPoolExecutor() as threads:
        assert [*chain(*threads.map(slow, ("scans", "patterns")))] == []


@pytest.mark.parametrize(
    ("regex", "use"),
    [
        pytest.param(r"(?:\w[ _]{1,2})+=", "match", id="classes-that-overlap"),
        pytest.param(r"(?:a|a)*b", "match", id="alternatives-that-overlap"),
        pytest.param(r"\w+@\w+", "search", id="a-beginning-of-any-length"),
        pytest.param(r"[a-z]*[a-z]*=", "match", id="two-repetitions-side-by-side"),
        pytest.param(r"name:\s*\w*\s*end", "search", id="two-gaps-around-nothing"),
    ],
)
def test_careless_expressions_are_noticed(regex: str, use: str) -> None:
    """The texts made for an expression find out what is wrong with it."""
    assert too_slow(getattr(re.compile(regex), use), texts_for(regex, 0))


@pytest.mark.parametrize("regex", [r"(?<!\w)\w++@\w++", r"\b[a-z]++=", r"name:\s*+(?:\w++\s*+)?end"])
def test_careful_expressions_pass(regex: str) -> None:
    """What takes linear time is not objected to."""
    assert too_slow(re.compile(regex).search, texts_for(regex, 0)) == ""


def test_a_form_with_a_line_to_sign_on_is_screened_at_once() -> None:
    """The line of underscores of a form is a text like any other, however long it is."""
    line = Text("_", "Name: ", "Date: 1")
    assert too_slow(lambda text: screen(text, Screening()), [line], least=1.0) == ""

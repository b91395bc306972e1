"""The catalogues of feedback, and how problems become messages."""

from __future__ import annotations

import re
import string

import pytest

from reinforced_agent.policies.messages import catalogue, for_model, for_operator
from reinforced_agent.policies.verdicts import ErrorKind, Problem


ENGLISH, CHINESE = catalogue("en"), catalogue("zh")


def _placeholders(texts: tuple[str, str]) -> set[str]:
    return {name for text in texts for _, name, _, _ in string.Formatter().parse(text) if name}


def test_both_languages_say_the_same_things() -> None:
    """Both catalogues have the same codes, terms and frames."""
    assert ENGLISH.texts.keys() == CHINESE.texts.keys()
    assert ENGLISH.terms.keys() == CHINESE.terms.keys()
    assert ENGLISH.frame.keys() == CHINESE.frame.keys()


@pytest.mark.parametrize("code", sorted(ENGLISH.texts))
def test_both_languages_use_the_same_facts(code: str) -> None:
    """A text uses the same placeholders in both languages, and something is always said."""
    assert _placeholders(ENGLISH.texts[code]) == _placeholders(CHINESE.texts[code])
    assert ENGLISH.texts[code][0]
    assert re.search(r"[\u4e00-\u9fff]", CHINESE.texts[code][0])


@pytest.mark.parametrize("key", sorted(ENGLISH.frame))
def test_frames_use_the_same_facts(key: str) -> None:
    """So do the sentences around them."""
    assert _placeholders((ENGLISH.frame[key], "")) == _placeholders((CHINESE.frame[key], ""))


@pytest.mark.parametrize(
    ("locale", "language"),
    [("zh", CHINESE), ("zh-CN", CHINESE), ("zh_Hans", CHINESE), ("ZH-tw", CHINESE), ("en-GB", ENGLISH), ("", ENGLISH)],
)
def test_locales(locale: str, language: object) -> None:
    """Chinese in all its spellings, English for everything else."""
    assert catalogue(locale) is language


def test_unknown_codes_still_say_something() -> None:
    """A code without a text of its own gets a general one."""
    assert "`a.b`" in for_model([Problem("brand_new", ErrorKind.INVALID_ARGUMENTS, "a.b")], tool="ship")


def test_missing_facts_leave_a_gap() -> None:
    """A message never fails for want of a fact."""
    assert "…" in for_model([Problem("too_big", ErrorKind.INVALID_ARGUMENTS, "n")], tool="ship")


def test_long_examples_are_left_out() -> None:
    """An example that would fill the context isn't shown."""
    problem = Problem("invalid_other", ErrorKind.INVALID_ARGUMENTS, "n")

    assert "xxx" not in for_model([problem], tool="ship", example={"n": "x" * 5_000})
    assert '{"n": 1}' in for_model([problem], tool="ship", example={"n": 1})


def test_operator_line() -> None:
    """The operator sees codes, paths and facts."""
    problem = Problem("too_big", ErrorKind.INVALID_ARGUMENTS, "n", {"limit": "5"})

    assert for_operator([problem, problem], tool="ship") == "ship: too_big at n (limit=5); too_big at n (limit=5)"

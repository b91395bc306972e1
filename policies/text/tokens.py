"""How many tokens a text has: an estimate for every language, and the longest part of a text that fits a budget."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final, TypeAlias


Count: TypeAlias = Callable[[str], int]
"""Counts the tokens of a text, with the model's own tokenizer or roughly."""

LONGEST_TOKEN: Final = 16
"""Characters of a token beyond which no text of any length is counted: it is too long in any case."""
_SHORTEST_TOKEN: Final = 4
"""Tokens that one character may take, where it is written byte by byte."""
_NUMBERS = re.compile(r"[0-9]+")
_MARKS = re.compile(r"[^\w\s]+", re.ASCII)
_SPACES = re.compile(r"\s{2,}")
_WIDE = re.compile(
    "[\u2e80-\u9fff\ua960-\ua97f\uac00-\ud7ff\uf900-\ufaff\ufe30-\ufe4f\uff00-\uffef\U0001f000-\U0003ffff]+"
)
"""Chinese, Japanese and Korean characters, and pictures."""
_FOREIGN = re.compile("[^\x00-\x7f]+")
_TRIES: Final = 24


def approximate(text: str) -> int:
    """Estimate the tokens of a text, about as a large tokenizer counts them.

    A tokenizer with a small vocabulary may count up to twice as many, most of all of other scripts than Latin.
    A word of English takes about one token for 4 letters, digits and marks take more, and a Chinese character about
    one token of its own.
    """
    digits, spaces = _length(_NUMBERS, text), _length(_SPACES, text)
    if text.isascii():
        wide = foreign = 0
    else:
        wide = _length(_WIDE, text)
        foreign = _length(_FOREIGN, text) - wide
    marks = _length(_MARKS, text) - wide - foreign
    letters = len(text) - digits - spaces - wide - foreign - marks
    return round(letters / 4 + digits / 1.5 + marks / 1.6 + spaces / 8 + wide + foreign / 2 + 0.49)


def _length(pattern: re.Pattern[str], text: str) -> int:
    """Count the characters that a pattern finds."""
    return sum(map(len, pattern.findall(text)))


def fits(text: str, tokens: int, count: Count) -> bool:
    """Tell whether a text is within a budget; texts of which that is plain are not counted."""
    if len(text) * _SHORTEST_TOKEN <= tokens:
        return True
    return len(text) <= tokens * LONGEST_TOKEN and count(text) <= tokens


def head(text: str, tokens: int, count: Count) -> str:
    """Return the beginning of a text, nearly as much as a budget holds."""
    return text[: _reach(text, tokens, count, lambda length: text[:length])]


def cut_to(text: str, tokens: int, count: Count) -> str:
    """Return a text that is within a budget as it is, and of a longer one the beginning, with a mark that shows it."""
    return text if fits(text, tokens, count) else f"{head(text, tokens, count)} …"


def tail(text: str, tokens: int, count: Count) -> str:
    """Return the end of a text, nearly as much as a budget holds."""
    length = _reach(text, tokens, count, lambda length: text[-length:])
    return text[-length:] if length else ""


def _reach(text: str, tokens: int, count: Count, part: Callable[[int], str]) -> int:
    """Find how many characters fit, by the share of the budget that a longer part takes."""
    length = min(len(text), max(tokens, 0) * LONGEST_TOKEN)
    for _ in range(_TRIES):
        if length <= 0:
            return 0
        taken = count(part(length))
        if taken <= tokens:
            return length
        length = min(length - 1, length * tokens * 98 // (taken * 100))
    return 0

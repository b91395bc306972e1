"""Patterns of text that gives orders to a model: named, weighed, and written so that they take linear time."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from typing import Final


_GAP: Final = r"[\W_]{1,12}"
"""What a space in a pattern stands for: white space, punctuation and marks of emphasis."""


@dataclass(frozen=True, kw_only=True)
class Pattern:
    """One way to give orders to a model.

    Texts are compared in lower case, with plain letters in place of look-alikes, quotes and dashes; a space in the
    pattern stands for anything that separates words. Keep repetitions bounded: `.{0,40}`, not `.*`.

    >>> Pattern(name="names our payout tool", regex=r"use the payout tool", weight=0.6).find("Use  the *payout* tool!")
    [(0, 22)]
    """

    name: str
    """What it finds, in a few words; shown to the person who decides."""
    regex: str
    weight: float = 0.5
    """How much it says by itself; a passage whose different patterns reach the threshold is suspicious."""
    ordinary: bool = False
    """Whether people say it to people as well; however many such patterns a passage has, they only weigh so much."""
    quotable: bool = False
    """Whether texts about attacks quote it; in quotes, or beside such words, it counts for less."""

    @cached_property
    def compiled(self) -> re.Pattern[str]:
        """The expression as it is searched for.

        Raises:
            re.error: When it is no regular expression.

        """
        return re.compile(self.regex.replace(" ", _GAP), re.DOTALL)

    def find(self, text: str) -> list[tuple[int, int]]:
        """Return where a text has it; at most the first 50 places."""
        spans = []
        for match in self.compiled.finditer(text.lower()):
            spans.append(match.span())
            if len(spans) >= _MOST_PLACES:
                break
        return spans


_MOST_PLACES: Final = 50

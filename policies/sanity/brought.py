"""A result as it came: its text, and what the text is when read as JSON, decoded once."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Final


HEAD: Final = 100_000
"""Characters that are looked at for signs in the text."""
MOST_UNDECLARED: Final = 5_000_000
"""Characters up to which a text is decoded for checks that nobody declared."""
_BEGINS: Final = re.compile(r"\s*[{\[]\s*[\"{\[\]}\d\-tfn]")

_BEGUN: Final = re.compile(r"-?\d*+(?:\.\d*+)?[eE]?[+-]?|tru?|fa(?:ls?)?|nul?")
"""What may have become of a value that was cut."""


@dataclass
class Brought:
    """One result."""

    text: str
    not_finite: list[str] = field(default_factory=list)
    """Numbers in it that are not finite."""
    breaks_off: bool = False
    """Whether it begins as JSON and ends in the middle of it; known once `data` was asked for."""

    @cached_property
    def head(self) -> str:
        """The beginning of the text."""
        return self.text[:HEAD]

    @cached_property
    def data(self) -> Any:
        """What the text holds as JSON; the text itself where it is none."""
        if not _BEGINS.match(self.text):
            return self.text
        try:
            return json.loads(self.text, parse_constant=self._odd)
        except RecursionError:
            return self.text
        except ValueError as error:
            self.breaks_off = _is_at_end(error, self.text)
            return self.text

    @property
    def is_json(self) -> bool:
        """Whether the text as a whole is JSON."""
        if self.data is not self.text:
            return True
        try:
            json.loads(self.text)
        except (ValueError, RecursionError):
            return False
        return True

    def _odd(self, name: str) -> str:
        self.not_finite.append(name)
        return name


def _is_at_end(error: ValueError, text: str) -> bool:
    """Tell whether reading failed because nothing followed."""
    if not isinstance(error, json.JSONDecodeError):
        return False
    rest = text[error.pos :].strip()
    return len(rest) <= 1 or "Unterminated string" in error.msg or _BEGUN.fullmatch(rest) is not None

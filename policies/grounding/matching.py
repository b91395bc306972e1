"""Decide whether a value was said: word for word, or in a spelling that means nothing else."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from enum import Enum
from functools import cached_property
from math import isfinite
from typing import Final

from reinforced_agent.policies.text.normalise import fold, scripts
from reinforced_agent.tools.call import JSON


class Finding(Enum):
    """How a value relates to what was said."""

    SAID = "said"
    """Somebody named it."""
    UNSURE = "unsure"
    """It can't be compared with what was said."""
    UNSAID = "unsaid"
    """Nobody named it."""


_SHORTEST: Final = 3
"""Characters; shorter texts are codes that are said in other words."""
_MOST_WORDS: Final = 12
"""Words up to which a text is a name or a phrase; a longer one is composed."""
_FEWEST_DIGITS: Final = 6
"""Digits of a number from which on it may be an account that is written with separators, and of a telephone number."""
_LONGEST_NUMBER: Final = 40
"""Characters of a number in a text that is read as one."""
_MOST_BITS: Final = 1_000

_NAMED: Final = r"[^\s@<>,;:()\"'，；]"
_EMAIL: Final = re.compile(rf"(?<!{_NAMED}){_NAMED}++@{_NAMED}++")
_DATED: Final = re.compile(r"[0-9]{1,4}([-/.:])[0-9]{1,2}(?:\1[0-9]{1,4})?(?:[t ][0-9:.+z-]*)?(?: ?[ap]m)?")
"""Dates and times of day: people name them in too many ways to be compared."""
_WORDS: Final = re.compile(r"[^\W_]+")
_DIGITS: Final = re.compile(r"[0-9]+")
_NUMBER: Final = re.compile(rf"(?<![0-9])[0-9][0-9.,'_]{{0,{_LONGEST_NUMBER}}}+")
_GROUPED: Final = re.compile(r"[0-9]{1,3}([.,'_])[0-9]{3}(?:\1[0-9]{3})*")
_SPACED: Final = re.compile(r"(?<![0-9])(?<![0-9] )[0-9]{1,3}(?: [0-9]{3})++(?![0-9])")
_PHONE: Final = re.compile(r"\+?[0-9()./ -]+")
_APART: Final = re.compile(r"[ ,.'()/_#:+-]")


@dataclass(frozen=True)
class Said:
    """Texts that may name values."""

    texts: tuple[str, ...]

    @cached_property
    def whole(self) -> str:
        """All texts in the spelling in which they are compared, one a line."""
        return "\n".join(fold(text) for text in self.texts)

    @cached_property
    def compact(self) -> str:
        """All texts without the separators that accounts and telephone numbers are written with."""
        return _APART.sub("", self.whole)

    @cached_property
    def numbers(self) -> frozenset[Decimal]:
        """Every number that stands in digits, in each reading of its separators."""
        spaced = (match[0].replace(" ", "") for match in _SPACED.finditer(self.whole))
        written = {*(match[0] for match in _NUMBER.finditer(self.whole)), *spaced}
        return frozenset(number for text in written for number in _readings(text))

    @cached_property
    def scripts(self) -> frozenset[str]:
        """The scripts of the texts."""
        return scripts(self.whole)


def values_of_facts(facts: Mapping[str, JSON]) -> tuple[str, ...]:
    """Write the values of session facts as texts."""
    found: list[str] = []
    todo: list[JSON] = list(facts.values())
    while todo:
        value = todo.pop()
        if isinstance(value, dict):
            todo += value.values()
        elif isinstance(value, Sequence) and not isinstance(value, str):
            todo += value
        elif value is not None and not isinstance(value, bool):
            found.append(str(value))
    return tuple(found)


def said_by_user(turns: Iterable[tuple[str, str]]) -> tuple[str, ...]:
    """Return what the user said, and what the assistant wrote that the user has answered.

    Whether an answer agrees can't be told from its words; what the user has seen and gone on from is not made up.

    Args:
        turns: Role and text of each message, oldest first; roles other than `user` and `assistant` are passed over.

    """
    said: list[str] = []
    shown = ""
    for role, text in turns:
        if role == "user":
            said += [shown, text] if shown else [text]
            shown = ""
        elif role == "assistant" and text:
            shown = text
    return tuple(said)


def find(value: str | float, said: Said) -> Finding:
    """Look a value up in what was said."""
    if not isinstance(value, str):
        return _find_number(value, said)
    text = fold(value)
    if addresses := _EMAIL.findall(text):
        named = all(_stands_apart(address.strip("."), said.whole) for address in addresses)
        return Finding.SAID if named else Finding.UNSAID
    if _stands(text, said.whole):
        return Finding.SAID
    if (len(text) < _SHORTEST and "han" not in scripts(text)) or _DATED.fullmatch(text):
        return Finding.UNSURE
    return _find_digits(text, said) if any(map(str.isdigit, text)) else _find_words(text, said)


def _stands(text: str, whole: str) -> bool:
    """Return whether a text occurs as it is; a number not inside a longer one."""
    if not text or text not in whole:
        return False
    before, after = (r"(?<![0-9])" if text[0].isdigit() else ""), (r"(?![0-9])" if text[-1].isdigit() else "")
    return not (before or after) or re.search(before + re.escape(text) + after, whole) is not None


def _stands_apart(text: str, whole: str) -> bool:
    """Return whether an address occurs, and not as the end or the beginning of a longer one."""
    if text not in whole:
        return False
    return re.search(rf"(?<![\w.+-]){re.escape(text)}(?![\w-]|\.\w)", whole) is not None


def _find_digits(text: str, said: Said) -> Finding:
    """Look for a text with digits: without its separators, as a number, or as a telephone number."""
    compact = _APART.sub("", text)
    if len(compact) >= _SHORTEST and _stands(compact, said.compact):
        return Finding.SAID
    if _NUMBER.fullmatch(text) and not said.numbers.isdisjoint(_readings(text)):
        return Finding.SAID
    if _PHONE.fullmatch(text) and _is_phone_of("".join(_DIGITS.findall(text)), said):
        return Finding.SAID
    words = _WORDS.findall(text)
    if len(words) > 1 and all(_stands(word, said.whole) for word in words):
        return Finding.SAID
    return Finding.UNSURE if len(words) > _MOST_WORDS else Finding.UNSAID


def _is_phone_of(digits: str, said: Said) -> bool:
    """Compare telephone numbers from their end, because prefixes are left out or added."""
    digits = digits.lstrip("0")
    spoken = (run.lstrip("0") for run in _DIGITS.findall(said.compact))
    return len(digits) >= _FEWEST_DIGITS and any(
        len(run) >= _FEWEST_DIGITS and (run.endswith(digits) or digits.endswith(run)) for run in spoken
    )


def _find_words(text: str, said: Said) -> Finding:
    """Look for every word; a text that is long, or in a script in which nobody wrote, can't be compared."""
    words = _WORDS.findall(text)
    if not words or len(words) > _MOST_WORDS or not scripts(text) <= said.scripts:
        return Finding.UNSURE
    return Finding.SAID if all(word in said.whole for word in words) else Finding.UNSAID


def _find_number(value: float, said: Said) -> Finding:
    number = _decimal(value)
    if number is None:
        return Finding.UNSURE
    # Per cent and cents are the same digits: what is written with them is no other number.
    if any(number * scale in said.numbers for scale in (1, 100, Decimal("0.01"))):
        return Finding.SAID
    text = format(number, "f")
    is_run = len(text) >= _FEWEST_DIGITS and text.isdigit() and _stands(text, said.compact)
    return Finding.SAID if is_run else Finding.UNSAID


def _decimal(value: float) -> Decimal | None:
    """Write a number as a decimal without sign; `None` where it is too long or not finite."""
    if isinstance(value, int) and value.bit_length() > _MOST_BITS:
        return None
    if not isfinite(value):
        return None
    return abs(Decimal(str(value))).normalize()


def _readings(written: str) -> Iterator[Decimal]:
    """Read a number in digits, its separators as decimal signs and as those of groups."""
    written = written.rstrip(".,'_")
    for text in {
        written,
        _decimal_comma(written),
        re.sub(r"[.,'_]", "", written) if _GROUPED.fullmatch(written) else "",
    }:
        try:
            yield Decimal(text).normalize()
        except InvalidOperation:
            continue


def _decimal_comma(written: str) -> str:
    """Rewrite a number so that its last separator is the decimal point."""
    whole, separator, rest = written.rpartition("." if written.rfind(".") > written.rfind(",") else ",")
    return re.sub(r"[.,'_]", "", whole) + ("." if separator else "") + rest

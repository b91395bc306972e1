"""Bring texts and values to one spelling before they are compared, and say in which script they are."""

from __future__ import annotations

import re
import unicodedata
from typing import Final

from reinforced_agent.policies.grounding.english import NUMBER_WORDS


_INVISIBLE: Final = dict.fromkeys(
    [0xAD, *range(0x200B, 0x2010), *range(0x202A, 0x202F), *range(0x2060, 0x2065), 0xFEFF]
)
_APOSTROPHES: Final = {ord(mark): "'" for mark in "\u2018\u2019\u02bc`\u00b4"}
_DASHES: Final = {ord(mark): "-" for mark in "\u2010\u2011\u2012\u2013\u2014\u2212"}
_PLAIN: Final = {**_INVISIBLE, **_APOSTROPHES, **_DASHES}
_MARKS: Final = re.compile(r"[\u0300-\u036f]+")
_DIGITS: Final = re.compile(r"(?![0-9])\d")
_HAN: Final = re.compile(r"[\u3400-\u9fff\uf900-\ufaff]")
_LATIN: Final = re.compile(r"[a-z]")
_OTHER: Final = re.compile(r"[^\W\d_a-z\u00aa-\u024f\u3400-\u9fff\uf900-\ufaff]")

_ENGLISH: Final = re.compile(
    r"\b(?:"
    r"a|about|all|am|an|and|any|are|as|at|be|book|buy|by|can|change|could|did|do|does|find|for|from|get|"
    r"give|go|had|has|have|he|hello|help|her|hey|hi|his|how|i|in|is|it|its|last|let|like|make|me|my|need|"
    r"new|next|no|not|of|on|one|or|our|pay|please|send|set|she|show|that|the|their|them|there|they|this|"
    r"to|two|up|us|use|want|was|we|what|when|where|which|who|will|with|would|yes|you|your|"
    r"after|all|anything|back|before|between|bucks|charge|costs?|days?|each|everything|everyone|half|hours?|invoice|just|months?|"
    r"into|mine|move|needs|off|only|put|raise|withdraw|without|order|others?|owe|pounds|refund|rest|something|split|than|then|ways?|weeks?|were|years?"
    r")\b"
)
"""Words of which an English text of some length has at least one."""
_FEWEST_WORDS: Final = 4
"""Words from which on a text without any English one counts as written in another language."""


def fold(text: str) -> str:
    """Reduce a text to what counts: width, case, accents, white space, kinds of dashes and digits don't."""
    if text.isascii():
        return " ".join(text.casefold().split())
    wide = unicodedata.normalize("NFKC", text).translate(_PLAIN)
    bare = _MARKS.sub("", unicodedata.normalize("NFD", wide))
    plain = _DIGITS.sub(lambda digit: str(unicodedata.decimal(digit[0])), unicodedata.normalize("NFC", bare))
    return " ".join(plain.casefold().split())


def is_foreign(text: str) -> bool:
    """Tell whether a folded text is in a language whose numbers and dates can't be read here.

    English and Chinese are read. A text of few words is given the benefit of the doubt.
    """
    if _OTHER.search(text):
        return True
    if _HAN.search(text):
        return False
    words = [word for word in re.findall(r"[a-z]+", text) if word not in NUMBER_WORDS]
    return len(words) >= _FEWEST_WORDS and _ENGLISH.search(text) is None


def scripts(text: str) -> frozenset[str]:
    """Name the scripts of a folded text: `latin`, `han`, `other`."""
    found = {"latin": _LATIN, "han": _HAN, "other": _OTHER}
    return frozenset(name for name, pattern in found.items() if pattern.search(text))

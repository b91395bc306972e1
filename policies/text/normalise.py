"""Bring texts and values to one spelling before they are compared, and say in which script they are."""

from __future__ import annotations

import re
import unicodedata
from typing import Final


_INVISIBLE: Final = dict.fromkeys(
    [0xAD, *range(0x200B, 0x2010), *range(0x202A, 0x202F), *range(0x2060, 0x2065), 0xFEFF]
)
_APOSTROPHES: Final = {ord(mark): "'" for mark in "\u2018\u2019\u02bc`\u00b4"}
_DASHES: Final = {ord(mark): "-" for mark in "\u2010\u2011\u2012\u2013\u2014\u2212"}
_PLAIN: Final = {**_INVISIBLE, **_APOSTROPHES, **_DASHES}
_UNSEEN: Final = frozenset(("Cf", "Cn", "Co", "Cs"))
"""Categories of characters without a glyph of their own: formats, and what is assigned to nothing."""
_MARKS: Final = re.compile(r"[\u0300-\u036f]+")
_DIGITS: Final = re.compile(r"(?![0-9])\d")
_SCRIPTS: Final = {
    "latin": re.compile(r"[a-z]"),
    "han": re.compile(r"[\u3400-\u9fff\uf900-\ufaff]"),
    "other": re.compile(r"[^\W\d_a-z\u00aa-\u024f\u3400-\u9fff\uf900-\ufaff]"),
}


def normalised(text: str) -> str:
    """Return a text as a rule compares it: NFKC, white space collapsed, characters that nobody sees left out.

    Case counts. What a tool gets stays as it was written.
    """
    if text.isascii():
        return " ".join(text.split())
    wide = unicodedata.normalize("NFKC", text)
    seen = "".join(sign for sign in wide if unicodedata.category(sign) not in _UNSEEN)
    return " ".join(seen.split())


def fold(text: str) -> str:
    """Reduce a text to what counts: width, case, accents, white space, kinds of dashes and digits don't."""
    if text.isascii():
        return " ".join(text.casefold().split())
    wide = unicodedata.normalize("NFKC", text).translate(_PLAIN)
    bare = _MARKS.sub("", unicodedata.normalize("NFD", wide))
    plain = _DIGITS.sub(lambda digit: str(unicodedata.decimal(digit[0])), unicodedata.normalize("NFC", bare))
    return " ".join(plain.casefold().split())


def scripts(text: str) -> frozenset[str]:
    """Name the scripts of a folded text: `latin`, `han`, `other`."""
    return frozenset(name for name, pattern in _SCRIPTS.items() if pattern.search(text))

"""See through disguises: look-alike letters, hidden tags, letters apart, and encodings that a model reads at once."""

from __future__ import annotations

import base64
import binascii
import codecs
import html
import re
import unicodedata
from collections import Counter
from collections.abc import Iterator
from functools import lru_cache
from typing import Final
from urllib.parse import unquote

from reinforced_agent.policies.screening.invisible import reveal


_LOOK_ALIKES: Final = str.maketrans(
    {
        letter: plain
        for plain, letters in {
            "a": "\u0430\u03b1\u0251",
            "b": "\u0432\u03b2",
            "c": "\u0441\u03f2",
            "d": "\u0501",
            "e": "\u0435\u03b5\u0454",
            "g": "\u0261",
            "h": "\u04bb\u043d",
            "i": "\u0456\u0131\u03b9",
            "j": "\u0458",
            "k": "\u043a\u03ba",
            "l": "\u04cf\u0142",
            "m": "\u043c",
            "n": "\u03b7\u0578",
            "o": "\u043e\u03bf\u00f8",
            "p": "\u0440\u03c1",
            "q": "\u051b",
            "r": "\u0433",
            "s": "\u0455",
            "t": "\u0442\u03c4",
            "u": "\u03c5\u057d",
            "v": "\u03bd\u0475",
            "w": "\u051d\u03c9",
            "x": "\u0445\u03c7",
            "y": "\u0443\u03b3",
            "A": "\u0410\u0391",
            "B": "\u0412\u0392",
            "C": "\u0421",
            "E": "\u0415\u0395",
            "H": "\u041d\u0397",
            "I": "\u0406\u0399",
            "J": "\u0408",
            "K": "\u041a\u039a",
            "M": "\u041c\u039c",
            "N": "\u039d",
            "O": "\u041e\u039f",
            "P": "\u0420\u03a1",
            "S": "\u0405",
            "T": "\u0422\u03a4",
            "X": "\u0425\u03a7",
            "Y": "\u0423\u03a5",
            "Z": "\u0396",
            "'": "\u2018\u2019\u201a\u201b\u2032",
            '"': "\u201c\u201d\u201e\u201f\u2033",
            "-": "\u2010\u2011\u2012\u2013\u2014\u2015\u2212",
        }.items()
        for letter in letters
    }
)
"""Letters of other alphabets, and typographic marks, that look like plain ones."""
_TAGS: Final = {0xE0000 + code: code for code in range(0x20, 0x7F)}
_SPELLED: Final = re.compile(r"(?<!\w)(?:\w[ .\-_*|·\u00a0]{1,2}){4,60}\w(?!\w)")
_BASE64: Final = re.compile(r"(?<![\w+/=-])[A-Za-z0-9+/_-]{24,20000}={0,2}(?![\w+/=])")
_HEX: Final = re.compile(
    r"(?<![0-9a-fA-F])(?:[0-9a-fA-F]{2}[ :,-]?){12,5000}(?![0-9a-fA-F])|(?:\\x[0-9a-fA-F]{2}){8,5000}"
)
_ESCAPES: Final = re.compile(r"\\u([0-9a-fA-F]{4})|\\x([0-9a-fA-F]{2})")
_SELECTORS: Final = re.compile("[\ufe00-\ufe0f\U000e0100-\U000e01ef]{8,20000}")
_BYTES: Final = {code: byte for byte, code in enumerate((*range(0xFE00, 0xFE10), *range(0xE0100, 0xE01F0)))}
"""What a variation selector says when bytes are written with them."""
_LEET: Final = str.maketrans("013457@$!|", "oieastasil")
_LEET_WORD: Final = re.compile(r"(?<!\w)(?=[a-z@$!|]{0,12}[013457@$!|])(?=[\d@$!|]{0,12}[a-z])[a-z013457@$!|]{3,20}")
_MOST_BLOBS: Final = 50
_GIVEAWAYS: Final = re.compile(
    r"\b(?:ignore|disregard|forget|override|instructions?|assistant|password|send|forward|system|prompt"
    r"|transfer|delete)\b"
)
"""Words of which two turn up in a text that was turned around only when it was meant."""
_LETTERS: Final = 0.8
"""Share of readable characters that tells a text from other data."""


def plain(text: str) -> str:
    """Write a text with plain letters, each in its place."""
    if text.isascii():
        return text
    odd = {ord(letter): _plain_letter(letter) for letter in set(text) if not letter.isascii()}
    return text.translate(odd).translate(_LOOK_ALIKES)


@lru_cache(maxsize=4096)
def _plain_letter(letter: str) -> str:
    folded = unicodedata.normalize("NFKD", letter)
    base = folded[0] if len(folded) > 1 and unicodedata.combining(folded[1]) else folded
    return base if len(base) == 1 else letter


def readings(text: str) -> Iterator[tuple[str, str]]:
    """Yield the ways to read a text, each with the name of its disguise; the plain text first, without a name."""
    tagged = text.translate(_TAGS) if _has_tags(text) else text
    shown = reveal(tagged, Counter())
    yield ("hidden tags" if tagged is not text else ""), shown
    if "&" in shown and (unescaped := html.unescape(shown)) != shown:
        yield "entities", unescaped
    if any(unicodedata.combining(letter) for letter in set(shown)):
        yield "combining marks", "".join(letter for letter in shown if not unicodedata.combining(letter))
    yield from _respelled(shown)
    yield from _turned(shown)
    yield from _decoded(shown)
    yield from _smuggled(text)


def _has_tags(text: str) -> bool:
    return not text.isascii() and not _TAGS.keys().isdisjoint(map(ord, set(text)))


def _respelled(text: str) -> Iterator[tuple[str, str]]:
    """Join letters that stand apart, and read digits as letters."""
    if _SPELLED.search(text):
        yield "letters apart", _SPELLED.sub(lambda match: re.sub(r"(?<=\w)[ .\-_*|·\u00a0](?=\w)", "", match[0]), text)
    lowered = text.lower()
    if _LEET_WORD.search(lowered):
        yield "digits for letters", _LEET_WORD.sub(lambda match: match[0].translate(_LEET), lowered)


def _turned(text: str) -> Iterator[tuple[str, str]]:
    """Read a text with its alphabet or its direction turned, where that gives words that matter."""
    for name, turned in (("rot13", codecs.encode(text, "rot13")), ("written backwards", text[::-1])):
        found = {match[0] for match in _GIVEAWAYS.finditer(turned.lower())}
        if len(found) > 1:
            yield name, turned


def _decoded(text: str) -> Iterator[tuple[str, str]]:
    """Read what is encoded in a text."""
    if "%" in text and (unquoted := unquote(text, errors="ignore")) != text:
        yield "percent encoding", unquoted
    if "\\" in text and _ESCAPES.search(text):
        yield "escapes", _ESCAPES.sub(lambda match: chr(int(match[1] or match[2], 16)), text)
    for blob in [match[0] for match, _ in zip(_BASE64.finditer(text), range(_MOST_BLOBS), strict=False)]:
        if (found := _text_of(_unbase64(blob))) is not None:
            yield "base64", found
    for blob in [match[0] for match, _ in zip(_HEX.finditer(text), range(_MOST_BLOBS), strict=False)]:
        if (found := _text_of(bytes.fromhex(re.sub(r"\\x|[ :,-]", "", blob)))) is not None:
            yield "hexadecimal", found


def _unbase64(blob: str) -> bytes:
    core = blob.rstrip("=").translate(str.maketrans("-_", "+/"))
    try:
        return base64.b64decode(core[: len(core) - (len(core) % 4 == 1)] + "=" * (-len(core) % 4))
    except (binascii.Error, ValueError):
        return b""


def _text_of(data: bytes) -> str | None:
    """Return data as text, where it is one."""
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        return None
    readable = sum(letter.isalnum() or letter in " \n\t.,:;!?'\"-_/@" for letter in text)
    return text if text and readable >= _LETTERS * len(text) else None


def _smuggled(text: str) -> Iterator[tuple[str, str]]:
    """Read bytes that are written as variation selectors."""
    if text.isascii():
        return
    for match in _SELECTORS.finditer(text):
        codes = (ord(letter) for letter in match[0])
        data = bytes(_BYTES[code] for code in codes)
        if (found := _text_of(data)) is not None:
            yield "variation selectors", found

"""See in a text that it is no answer: binary data, the name of an object, or broken letters."""

from __future__ import annotations

import re
from typing import Final

from reinforced_agent.policies.sanity.verdicts import Bad, Doubt, Suspicious


_OBJECT: Final = re.compile(
    r"<(?:[\w.<>]+ )*(?:object|generator|coroutine|function|method)[^<>\n]{0,200} at 0x[0-9a-fA-F]{6,}[^<>\n]{0,80}>"
)
_HOLLOW: Final = re.compile(
    r"<Response \[\d{3}[^\]<>]{0,40}\]>|<ClientResponse\(.{0,300}\)>?.{0,50}|\[object [A-Z]\w*\]", re.DOTALL
)
_NOTHING: Final = frozenset({"null", "none", "undefined", "nil", "(null)", "<null>"})
_ESCAPES: Final = re.compile(
    r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]{0,500}(?:\x07|\x1b\\)|[PX^_][^\x1b]{0,500}\x1b\\|[ -/]*[0-~])|.\x08"
)
_CONTROL: Final = re.compile("[\x00-\x06\x0e-\x1a\x1c-\x1f\x7f\ufffd]")
_MAGIC: Final = re.compile(
    r"%PDF-\d|\x89PNG|PK\x03\x04|GIF8[79]a[^\x20-\x7e]|\x7fELF|\ufffd?PNG\r?\n\x1a|\x1f(?:\x8b|\ufffd)\x08"
    r"|\ufffd{2,4}.{0,4}JFIF"
)
_RUN: Final = re.compile(r"[^\x00-\x7f](?:[^\x00-\x7f]|[\x80-\xa0])+")
_MADE_OF_NOTHING: Final = re.compile("锟斤拷|烫烫烫|屯屯屯|ï¿½")
_HOLLOW_MOST: Final = 500
_BINARY_HEAD: Final = 4_000
_LETTERS_HEAD: Final = 20_000
_FEWEST: Final = 3
_CYRILLIC_RUN: Final = 6
_CHINESE_RUN: Final = 4


def plain(head: str) -> str:
    """Return a text without the colours and movements of a terminal."""
    return _ESCAPES.sub("", head) if "\x1b" in head or "\x08" in head else head


def is_nothing(text: str) -> bool:
    """Tell whether a text is but a word that programs have for nothing."""
    return text.strip().lower() in _NOTHING


def binary(head: str) -> Bad | None:
    """See a text that is no text; colours and movements of a terminal are."""
    begin = plain(head[:_BINARY_HEAD])
    many = len(_CONTROL.findall(begin)) * 20 > len(begin)
    return Bad(Doubt("binary"), may_pass=False) if begin and (many or _MAGIC.match(begin)) else None


def object_name(head: str) -> Bad | Suspicious | None:
    """See the name that a language gives to an object that nobody wrote as text."""
    if len(head) < _HOLLOW_MOST and _HOLLOW.fullmatch(head.strip()):
        return Bad(Doubt("object_repr"), may_pass=False)
    if " at 0x" not in head:
        return None
    if _OBJECT.fullmatch(head.strip()):
        return Bad(Doubt("object_repr"), may_pass=False)
    return Suspicious((Doubt("object_inside"),)) if _OBJECT.search(head) else None


def broken_letters(head: str) -> Doubt | None:
    """See letters that were read in the wrong encoding: read in the right one, they make sense."""
    if head.isascii():
        return None
    begin = head[:_LETTERS_HEAD]
    found = begin.count("\ufffd") + _FEWEST * len(_MADE_OF_NOTHING.findall(begin))
    found += sum(_misread(run[0]) for run in _RUN.finditer(begin))
    return Doubt("garbled") if found >= _FEWEST else None


def _misread(run: str) -> int:
    """Count the letters that a run gives when its encoding is put right; none where it stays as it is."""
    if any("\u00c0" <= letter <= "\u00ff" for letter in run) and (found := _again(run, "cp1252")):
        return found
    # Letters of other scripts are right more often than not: only a longer run is told by what it gives.
    if len(run) >= _CYRILLIC_RUN and "\u0400" <= run[0] <= "\u04ff":
        return _again(run, "cp1251")
    return _again(run, "gb18030") if len(run) >= _CHINESE_RUN and "\u3400" <= run[0] <= "\u9fff" else 0


def _again(run: str, encoding: str) -> int:
    """Read a run again as UTF-8; its end may have been lost."""
    raw = b"".join(_byte(letter, encoding) for letter in run)
    try:
        return len(raw.decode("utf-8"))
    except UnicodeDecodeError as error:
        whole = error.start >= _CYRILLIC_RUN and error.start * 3 >= len(raw) * 2
        return len(raw[: error.start].decode("utf-8", "ignore")) if whole else 0


def _byte(letter: str, encoding: str) -> bytes:
    """Write a letter in an encoding; one of Latin-1 stands where Windows has none."""
    try:
        return letter.encode(encoding)
    except UnicodeEncodeError:
        return letter.encode("latin-1", "ignore") or b"\xff"

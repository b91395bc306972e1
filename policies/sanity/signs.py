"""See in a text that it can't be read: binary data, the name of an object, or letters that were lost in decoding."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from reinforced_agent.policies.sanity.verdicts import Doubt


_OBJECT: Final = re.compile(
    r"<(?:[\w.<>]{1,100}+ ){0,8}(?:object|generator|coroutine|function|method)"
    r"[^<>\n]{0,200} at 0x[0-9a-fA-F]{6,}[^<>\n]{0,80}>"
    r"|\[object [A-Z]\w*\]"
)
_NOTHING: Final = frozenset({"null", "none", "undefined", "nil", "(null)", "<null>"})
_ESCAPES: Final = re.compile(
    r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]{0,500}(?:\x07|\x1b\\)|[PX^_][^\x1b]{0,500}\x1b\\|[ -/]*[0-~])|.\x08"
)
_CONTROL: Final = re.compile("[\x00-\x06\x0e-\x1a\x1c-\x1f\x7f\ufffd]")
_MAGIC: Final = re.compile(r"%PDF-\d|\ufffd?PNG\r?\n\x1a|PK\x03\x04|\x7fELF|\x1f(?:\x8b|\ufffd)\x08")
_MOST_NAME: Final = 500
_MOST_WORD: Final = 20
_BINARY_HEAD: Final = 4_000
_FEWEST_LOST: Final = 3


def unreadable(head: str) -> Iterator[Doubt]:
    """Return what can't be read in the beginning of a text; colours and movements of a terminal can."""
    begin = head[:_BINARY_HEAD]
    plain = _ESCAPES.sub("", begin) if "\x1b" in begin or "\x08" in begin else begin
    if len(_CONTROL.findall(plain)) * 20 > len(plain) or _MAGIC.match(plain):
        yield Doubt("binary")
    elif head.count("\ufffd") >= _FEWEST_LOST:
        yield Doubt("garbled")
    if len(head) < _MOST_NAME and _OBJECT.fullmatch(head.strip()):
        yield Doubt("object_repr")


def is_nothing(text: str) -> bool:
    """Return whether a text is but a word that programs have for nothing."""
    return len(text) <= _MOST_WORD and text.strip().lower() in _NOTHING

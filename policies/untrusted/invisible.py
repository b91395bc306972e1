"""Take out characters that nobody sees, and leave those that scripts and emoji need."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from functools import partial
from types import MappingProxyType
from typing import Final


_EMOJI: Final = (
    "\u00a9\u00ae\u203c\u2049\u2122\u2139\u2190-\u21ff\u2300-\u23ff\u2460-\u24ff\u25a0-\u27bf"
    "\u2900-\u297f\u2b00-\u2bff"
    "\u3030\u303d\u3297\u3299\U0001f000-\U0001faff"
)
_JOINED: Final = (
    "\u0590-\u08ff\u0900-\u0dff\u0e00-\u109f\u1780-\u17d3\u17d7-\u18aa\u1a00-\u1cff\ua800-\uabff"
    "\ufb1d-\ufdff\ufe70-\ufefc"
    "\U00011000-\U00011fff"
)
"""Scripts in which a joiner changes how letters look: Arabic, Hebrew, Syriac, Indic, Thai, Khmer, Mongolian."""
_IDEOGRAPH: Final = "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
_RIGHT_TO_LEFT: Final = re.compile(
    "[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\U00010800-\U00010fff\U0001e800-\U0001efff]"
)

_ANSI: Final = re.compile(
    "\x1b\\][^\x07\x1b\r\n]{0,2000}(?:\x07|\x1b\\\\)?"  # titles and links of a terminal
    "|\x1b[PX^_][^\x1b\r\n]{0,2000}(?:\x1b\\\\)?"
    "|(?:\x1b\\[|\x9b)[0-?]{0,64}[ -/]{0,8}[@-~]?"  # colours and movements
    "|\x1b[ -/]{0,8}[0-~]?"
)
_CONTROL: Final = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f\ufff9-\ufffb]+")
_RETURN: Final = re.compile("\r+(?!\n)|\r+(?=\r\n)")
"""A return of the carriage alone writes over what was written before it."""
_BIDI: Final = re.compile("[\u202a-\u202e\u2066-\u2069]+")
_TAGS: Final = re.compile(
    "(\U0001f3f4[\U000e0030-\U000e0039\U000e0061-\U000e007a]{2,6}\U000e007f)|[\U000e0000-\U000e007f]+"
)
"""Flags of regions are written with tag characters; anything else written with them is hidden text."""
_SELECTORS: Final = re.compile(
    f"([{_EMOJI}0-9#*]\ufe0f(?=\u20e3)|[{_EMOJI}{_IDEOGRAPH}\u180b-\u18aa][\ufe00-\ufe0f]"
    f"|[{_IDEOGRAPH}][\U000e0100-\U000e01ef])|[\ufe00-\ufe0f\U000e0100-\U000e01ef]+"
)
"""One selector after a character that has variants; more of them, or elsewhere, carry hidden text."""
_JOINERS: Final = re.compile(
    f"([{_EMOJI}\ufe0f]\u200d(?=[{_EMOJI}])|[{_JOINED}][\u200c\u200d](?=[{_JOINED}\\s.,;:!?)\u2019]|\\Z))|[\u200c\u200d]+"
)
_ZERO_WIDTH: Final = re.compile(
    "[\u00ad\u034f\u115f\u1160\u17b4\u17b5\u180e\u200b\u2060-\u2065\u206a-\u206f\u3164\ufeff\uffa0\U0001d173-\U0001d17a]+"
)
_MARKS: Final = re.compile("[\u061c\u200e\u200f]+")

_ANY: Final = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180e\u200b-\u200f\u202a-\u202e"
    "\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff9-\ufffb\U0001d173-\U0001d17a\U000e0000-\U000e01ef]+"
)
"""Every character that may be invisible, those that scripts and emoji need among them."""

KINDS: Final[Mapping[str, tuple[re.Pattern[str], ...]]] = MappingProxyType(
    {
        "terminal sequences": (_ANSI,),
        "control characters": (_CONTROL,),
        "direction marks": (_BIDI,),
        "hidden tags": (_TAGS,),
        "variation selectors": (_SELECTORS,),
        "zero-width characters": (_ZERO_WIDTH, _JOINERS),
    }
)
"""What is taken out, in this order; the order matters, because taking out one kind can bring others together."""

_PIECE: Final = 1_000_000
"""Characters of a long text that are looked at together."""
_DENSE: Final = 0.05
"""Share of invisible characters above which a piece of a long text is stripped of all of them, needed or not."""


def reveal(text: str, removed: Counter[str]) -> str:
    """Take out what nobody sees, and count it by kind; takes time in proportion to the text."""
    text = _RETURN.sub("\n", text) if "\r" in text else text
    if len(text) <= _PIECE:
        return _until_clear(text, removed)
    return "".join(_strip_dense(piece, removed) for piece in _pieces(text))


def _pieces(text: str) -> Iterator[str]:
    """Cut a long text, between words where that is possible, so that nothing that belongs together is cut apart."""
    start = 0
    while start < len(text):
        end = min(start + _PIECE, len(text))
        if end < len(text):
            space = max(text.rfind(" ", end - 1_000, end), text.rfind("\n", end - 1_000, end))
            end = space + 1 if space > start else end
        yield text[start:end]
        start = end


def _strip_dense(piece: str, removed: Counter[str]) -> str:
    """Strip a piece that is full of invisible characters, which looking at each of them would take too long."""
    if not _ANY.search(piece):
        return piece
    stripped = _ANY.sub("", piece)
    count = len(piece) - len(stripped)
    if count <= _DENSE * len(piece):
        return _until_clear(piece, removed)
    removed["zero-width characters"] += count
    return stripped


def _until_clear(text: str, removed: Counter[str]) -> str:
    """Repeat until nothing is left to take out."""
    while _ANY.search(text):
        before = text
        text = _once(text, removed)
        if text == before:
            break
    return text


def _once(text: str, removed: Counter[str]) -> str:
    for kind, patterns in KINDS.items():
        for pattern in patterns:
            text = _take_out(pattern, text, kind, removed)
    if not _RIGHT_TO_LEFT.search(text):
        text = _take_out(_MARKS, text, "direction marks", removed)
    return text


def _take_out(pattern: re.Pattern[str], text: str, kind: str, removed: Counter[str]) -> str:
    """Take out matches, but what a first group holds stays."""
    if not pattern.groups:
        text, count = pattern.subn("", text)
        removed[kind] += count
        return text
    return pattern.sub(partial(_keep_first, kind=kind, removed=removed), text)


def _keep_first(match: re.Match[str], *, kind: str, removed: Counter[str]) -> str:
    kept: str | None = match[1]
    removed[kind] += kept is None
    return kept or ""

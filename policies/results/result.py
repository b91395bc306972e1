"""A result as it came: what it is as JSON, decoded once; whether it can be read; whether it is a page of HTML."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Final

from reinforced_agent.policies.results.verdicts import Bad, Doubt


HEAD: Final = 100_000
"""Characters that are looked at for signs in the text."""
MOST_UNDECLARED: Final = 5_000_000
"""Characters up to which a text is decoded for checks that nobody declared."""
_BEGINS: Final = re.compile(r"\s*[{\[]\s*[\"{\[\]}\d\-tfn]")

_BEGUN: Final = re.compile(r"-?\d*+(?:\.\d*+)?[eE]?[+-]?|tru?|fa(?:ls?)?|nul?")
"""What may have become of a value that was cut."""

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

_PAGE: Final = re.compile(
    r"\s*(?:<\?xml[^>]{0,200}>\s*)?(?:<!--.{0,500}?-->\s*)?<(?:!doctype html|html|head|body)\b",
    re.IGNORECASE | re.DOTALL,
)
_HEADING: Final = re.compile(r"<(?:title|h1|h2)\b[^>]{0,300}>([^<]{0,300})", re.IGNORECASE)
_UNSEEN: Final = re.compile(
    r"<(script|style|svg|head)\b.*?(?:</\1\s*>|\Z)|<!--.*?(?:-->|\Z)|<[^<>]{0,2000}>", re.IGNORECASE | re.DOTALL
)
_PAGE_HEAD: Final = 20_000
_EXCERPT: Final = 300


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


def came(text: str, most: int = _EXCERPT) -> str:
    """Return the beginning of what came, in one line: of a page what a reader sees of it."""
    plain = html.unescape(_UNSEEN.sub(" ", text[:_PAGE_HEAD])) if _is_page(text) else text[: 2 * most]
    seen = " ".join(plain.split())
    return seen if len(seen) <= most else f"{seen[:most]}…"


def page(text: str) -> Bad | None:
    """See that a whole page of HTML came where data was declared: something on the way answered, and not the tool."""
    if not _is_page(text):
        return None
    title = html.unescape(
        " ".join(" ".join(found[1].split()) for found in _HEADING.finditer(text[:_PAGE_HEAD]))
    ).strip()
    seen = came(text)
    return Bad(
        Doubt("page", {"title": title[:200] or seen[:100] or "HTML", **({"came": seen} if seen else {})}), lost=True
    )


def _is_page(text: str) -> bool:
    return "<" in text[:1_000] and _PAGE.match(text[:2_000]) is not None

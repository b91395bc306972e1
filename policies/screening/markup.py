"""Take out what a page hides from its readers: comments, hidden elements, unreadable text."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field
from typing import Final


_TAG: Final = re.compile(
    r"<!--|<!\[CDATA\[|(?P<fence>^[ ]{0,3}(?P<ticks>`{3,20}|~{3,20}))"
    r"|<(?P<name>[a-z][a-z0-9:-]{0,30})(?P<attributes>(?:\s|/)(?:[^<>\"']|\"[^\"]{0,4000}\""
    r"|'[^']{0,4000}'){0,4000}+)?>",
    re.IGNORECASE | re.MULTILINE,
)
_HIDING: Final = re.compile(r"<!--|\bstyle\s*=|\bhidden\b|<(?:template|noembed|noframes)\b", re.IGNORECASE)
"""What a text needs to hold for a look at its tags to be worth the time."""
_ATTRIBUTE: Final = re.compile(r"([a-z][a-z-]{0,30})\s*(?:=\s*(\"[^\"]*\"|'[^']*'|[^\s\"'>]+))?", re.IGNORECASE)

_ZERO: Final = r"0*+(?:\.0++)?(?:px|pt|em|rem|%|vh|vw)?\s*+(?:!important\s*+)?(?:;|$)"
_UNSEEN: Final = re.compile(
    r"(?:^|[;\s])(?:"
    r"display\s*+:\s*+none\b|visibility\s*+:\s*+(?:hidden|collapse)\b|opacity\s*+:\s*+(?:0*+\.0\d*+"
    r"|0++)\s*+(?:!important\s*+)?(?:;|$)"
    rf"|font-size\s*+:\s*+(?:{_ZERO}|[01](?:\.\d+)?px\b)|(?:max-)?(?:height|width)\s*+:\s*+{_ZERO}"
    r"|text-indent\s*+:\s*+-\d{3,}|(?:left|top|right|bottom|margin-left|margin-top)\s*+:\s*+-\d{4,}"
    r"|clip(?:-path)?\s*+:\s*+(?:rect\(\s*+0|inset\(\s*+(?:50|100)%)|transform\s*+:\s*+scale\(\s*+0\s*\)"
    r"|color\s*+:\s*+transparent\b|mso-hide\s*+:\s*+all"
    r")",
    re.IGNORECASE,
)
_COLOUR: Final = r"(#[0-9a-f]{3,8}\b|[a-z]+\b|rgba?\([\d\s,.%/]{3,40}\))"
_INK: Final = re.compile(rf"(?:^|[;\s])color\s*+:\s*+{_COLOUR}", re.IGNORECASE)
_PAPER: Final = re.compile(rf"(?:^|[;\s])background(?:-color)?\s*+:\s*+{_COLOUR}", re.IGNORECASE)
_PAINTED: Final = re.compile(r"background|bgcolor|class\s*=|<style|<link", re.IGNORECASE)
"""What may give the ground another colour than white."""
_WHITE: Final = re.compile(r"#f{3,8}|white|snow|#fefefe|rgba?\(\s*+255[\s,]++255[\s,]++255[^)]{0,40}\)", re.IGNORECASE)
_EMPTY: Final = frozenset({"area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "wbr"})
"""Elements without content."""
_HIDDEN_ELEMENTS: Final = frozenset({"template", "noembed", "noframes"})


def show_only(text: str, removed: Counter[str]) -> str:
    """Take out what is hidden, each with a space in its place, and count it; code in fences stays as it is."""
    if "<" not in text or not _HIDING.search(text):
        return text
    page = _Page(text, removed)
    page.read()
    return "".join(page.kept)


@dataclass(slots=True)
class _Page:
    """A text on the way from its begin to its end."""

    text: str
    removed: Counter[str]
    kept: list[str] = field(default_factory=list)
    unclosed: set[str] = field(default_factory=set)
    """Endings that don't come any more, so that nothing is searched for twice."""
    white: bool = False
    """Whether nothing colours the ground."""

    def read(self) -> None:
        """Go from tag to tag."""
        self.white = _PAINTED.search(self.text) is None
        at = 0
        while match := _TAG.search(self.text, at):
            self.kept.append(self.text[at : match.start()])
            at = self._take(match)
        self.kept.append(self.text[at:])

    def _take(self, match: re.Match[str]) -> int:
        """Keep a tag or take out what it hides, and return where to go on."""
        opened = match[0]
        if match["fence"]:
            return self._keep_until(match, f"\n{match['ticks']}")
        if opened == "<!--":
            return self._drop_until(match, "-->", "comments")
        if match["name"] is None:
            return self._keep_until(match, "]]>")
        name, attributes = match["name"].lower(), _attributes(match["attributes"] or "")
        if name in _HIDDEN_ELEMENTS or self._is_unseen(attributes):
            self.removed["hidden elements"] += 1
            self.kept.append(" ")
            return match.end() if name in _EMPTY else self._end_of(name, match.end())
        self.kept.append(opened)
        return match.end()

    def _keep_until(self, match: re.Match[str], ending: str) -> int:
        """Keep a part that is shown as it is written."""
        end = self._find(ending, match.end())
        end = len(self.text) if end < 0 else end + len(ending)
        self.kept.append(self.text[match.start() : end])
        return end

    def _drop_until(self, match: re.Match[str], ending: str, kind: str) -> int:
        """Drop a part; one that doesn't end hides nothing, but is no comment any more."""
        end = self._find(ending, match.end())
        self.removed[kind] += 1
        self.kept.append(" ")
        return match.end() if end < 0 else end + len(ending)

    def _find(self, ending: str, start: int) -> int:
        if ending in self.unclosed:
            return -1
        found = self.text.find(ending, start)
        if found < 0:
            self.unclosed.add(ending)
        return found

    def _end_of(self, name: str, start: int) -> int:
        """Find the end of an element, with those of its kind inside it; an unclosed one hides up to the next tag."""
        depth, at = 1, start
        borders = re.compile(rf"<(/?){re.escape(name)}(?![a-z0-9:-])[^<>]{{0,4000}}>", re.IGNORECASE)
        while name not in self.unclosed and (border := borders.search(self.text, at)):
            depth += -1 if border[1] else 1
            at = border.end()
            if not depth:
                return at
        self.unclosed.add(name)
        found = self.text.find("<", start)
        return len(self.text) if found < 0 else found

    def _is_unseen(self, attributes: dict[str, str]) -> bool:
        """Tell whether an element is hidden from its readers."""
        style = attributes.get("style", "")
        if "hidden" in attributes and attributes["hidden"].lower() in {"", "hidden", "true"}:
            return True
        return bool(style) and (_UNSEEN.search(style) is not None or self._is_ink_like_paper(style))

    def _is_ink_like_paper(self, style: str) -> bool:
        """Tell whether text has the colour of its ground; without any colour of a ground, that is white."""
        ink, paper = _INK.search(style), _PAPER.search(style)
        if ink is None:
            return False
        if paper is not None:
            same = ink[1].lower() == paper[1].lower()
            return same or bool(_WHITE.fullmatch(ink[1]) and _WHITE.fullmatch(paper[1]))
        return self.white and _WHITE.fullmatch(ink[1]) is not None


def _attributes(written: str) -> dict[str, str]:
    """Read the attributes of a tag."""
    return {match[1].lower(): (match[2] or "").strip("\"'") for match in _ATTRIBUTE.finditer(written)}

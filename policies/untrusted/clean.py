"""Clean an untrusted text: nothing hidden, nothing that opens a turn; right text stays as it is."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from reinforced_agent.policies.untrusted.invisible import reveal


_LITERAL: Final = re.compile(r'(?<!\\)"(?:[^"\\]++|\\.)*+"', re.DOTALL)
LONGEST_CLEANED: Final = 1_000_000
"""Characters of a text that is cleaned as a whole."""
_DEEPEST: Final = 3
"""How deep JSON inside texts of JSON is looked into."""
_SUSPECT: Final = re.compile(r"[^\x20\x21\x23-\x3b\x3d-\x5a\x5d-\x7e\u4e00-\u9fff]|human|assistant|#", re.IGNORECASE)
"""What a text of JSON needs to hold for a closer look."""

_WORDS: Final = (
    "tool_calls?|tool_response|tool_results?|tool_outputs?|function_calls?|function_results?|function_response|tools?"
    "|invoke|parameter|think|thinking|reasoning|system|user|assistant|human|developer|system-reminder|system_prompt"
    "|start_of_turn|end_of_turn|start_of_image|bos|eos|pad|unk|sop|eop|gmask|sep|cls|mask"
    "|unused\\d{1,4}|reserved_\\d{1,4}|fim_prefix|fim_suffix|fim_middle|extra_id_\\d{1,4}"
)
_ANGLE: Final = re.compile(
    r"<([|｜][^<>\s][^<>\r\n]{0,60}?[|｜])>"  # <|im_start|>, <｜User｜>
    r"|<(\|[a-z_]{2,30})>|<([a-z_]{2,30}\|)>"  # <|tool_call>, <channel|>
    rf"|<(/?(?:antml:)?(?:{_WORDS})(?:\s[^<>\r\n]{{0,200}}|=[^<>\r\n]{{1,200}})?/?)>"
    r"|<(function=[^<>\r\n]{1,100})>"
    r"|(?<![\w<])<(/?s)>"
    r"|<<(/?SYS)>>",
    re.IGNORECASE,
)
_SQUARE: Final = re.compile(
    r"\[(/?(?:INST|SYS|SYSTEM_PROMPT|AVAILABLE_TOOLS|TOOL_CALLS|TOOL_RESULTS|TOOL_CONTENT|IMG|gMASK|sMASK|BOS|EOS))\]"
)
_TURN: Final = re.compile(
    r"^([ \t>*_]{0,8}(?:#{1,6}[ \t]{0,4}(?:system|instructions?|user|human|assistant|response|input|tool)"
    r"(?:[ \t](?:message|prompt|instructions?))?|human|assistant|(?:人类|助手|系统|用户))[*_ \t]{0,4}[:：])",
    re.IGNORECASE | re.MULTILINE,
)
_TRIGGERS: Final = re.compile(
    r"<[|｜/a-z<]|[a-z_]\|>|\[/?[A-Zgs]|(?:human|assistant|系统|人类|助手|用户)|#[ \t]*(?:sys|ins|us|hu|as|re|in|to)",
    re.IGNORECASE,
)
"""What a text needs to hold for a closer look to be worth the time."""

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


@dataclass(frozen=True, slots=True)
class Cleaned:
    """A text without what was hidden in it."""

    text: str
    removed: Mapping[str, int] = field(default_factory=dict)
    """How often each kind of thing was taken out or defused."""


def reveal_all(text: str) -> Cleaned:
    """Clean a text of any size: of one that is longer than `LONGEST_CLEANED` only what nobody sees is taken out.

    Whatever part of such a text is shown has to be cleaned when it is shown.
    """
    if len(text) <= LONGEST_CLEANED:
        return clean(text)
    removed: Counter[str] = Counter()
    shown = reveal(text, removed)
    return Cleaned(shown, {kind: count for kind, count in removed.items() if count})


def clean(text: str) -> Cleaned:
    """Clean a text, also the texts inside JSON; takes time in proportion to the text, and never raises."""
    removed: Counter[str] = Counter()
    cleaned = _clean(text, removed, depth=0)
    return Cleaned(cleaned, {kind: count for kind, count in removed.items() if count})


def _clean(text: str, removed: Counter[str], depth: int) -> str:
    if depth < _DEEPEST and _is_json(text):
        return _LITERAL.sub(lambda match: _clean_literal(match[0], removed, depth), text)
    return defuse(show_only(reveal(text, removed), removed), removed)


def _is_json(text: str) -> bool:
    """Tell whether a text is an object or a list in JSON."""
    edges = text[:100].lstrip()[:1] + text[-100:].rstrip()[-1:]
    if edges not in {"{}", "[]"}:
        return False
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True


def _clean_literal(literal: str, removed: Counter[str], depth: int) -> str:
    """Clean a text as it stands in JSON; one that needs no cleaning stays as it was written."""
    inside = literal[1:-1]
    if not _SUSPECT.search(inside):
        return literal
    text = json.loads(literal, strict=False) if "\\" in literal else inside
    cleaned = _clean(text, removed, depth + 1)
    return literal if cleaned == text else json.dumps(cleaned, ensure_ascii=False)


def defuse(text: str, removed: Counter[str]) -> str:
    """Write marks of turns with other brackets, and words that begin a turn as a quotation; count them."""
    if not _TRIGGERS.search(text):
        return text
    text, angles = _ANGLE.subn(_with_other_brackets, text)
    text, squares = _SQUARE.subn(r"‹\1›", text)
    text, turns = _TURN.subn("› \\1", text)
    removed["marks of turns and calls"] += angles + squares + turns
    return text


def _with_other_brackets(match: re.Match[str]) -> str:
    """Keep the words of a mark."""
    return f"‹{next(group for group in match.groups() if group is not None)}›"


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
        name, written = match["name"].lower(), match["attributes"]
        if name in _HIDDEN_ELEMENTS or (written and self._is_unseen(_attributes(written))):
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

"""Clean an untrusted text: nothing hidden, nothing that opens a turn; right text stays as it is."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from reinforced_agent.policies.screening.invisible import reveal
from reinforced_agent.policies.screening.markup import show_only


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

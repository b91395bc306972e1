"""Defuse what chat templates are made of, so that a text can't open a turn or a call; it stays readable."""

from __future__ import annotations

import re
from collections import Counter
from typing import Final


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

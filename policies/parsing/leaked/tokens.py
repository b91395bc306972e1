"""Calls behind control tokens, of Mistral and of Kimi K2.

Mistral writes `[TOOL_CALLS][{…}, …]`, and since v11 `[TOOL_CALLS]name[ARGS]{…}`. Kimi writes
`<|tool_call_begin|>functions.name:0<|tool_call_argument_begin|>{…}<|tool_call_end|>`, often inside
`<|tool_calls_section_begin|>` … `<|tool_calls_section_end|>`; the name is an id of namespace, tool and index.
"""

from __future__ import annotations

import re

from reinforced_agent.policies.parsing.leaked.shape import (
    Broken,
    Found,
    Leaked,
    TextCall,
    calls_at,
    object_at,
    unreadable,
)
from reinforced_agent.policies.text.json import skip_space


_TOKEN = "[TOOL_CALLS]"  # noqa: S105 - a control token, no secret
_NAMED = re.compile(r"([\w.-]{1,128})(?:\[CALL_ID\]\w{1,64})?(?:\[ARGS\])?\s*+(?=\{)")

_SECTION = re.compile(r"<\|tool_calls_section_begin\|>\s*+")
_SECTION_END = re.compile(r"<\|tool_calls_section_end\|>\s*+")
_CALL = re.compile(
    r"<\|tool_call_begin\|>\s*+(?:functions\.)?([\w.-]{1,128})(?::\d{1,6})?\s*+<\|tool_call_argument_begin\|>\s*+"
)
_CALL_END = re.compile(r"<\|tool_call_end\|>\s*+")


def read_mistral(text: str) -> Found:
    """Read a text that starts with the token; each further call may repeat it."""
    if not text.startswith(_TOKEN):
        return None
    calls: list[TextCall] = []
    position = 0
    while position < len(text):
        if text.startswith(_TOKEN, position):
            position += len(_TOKEN)
        found = _after_token(text, skip_space(text, position))
        if isinstance(found, Broken):
            return found
        calls += found[0]
        position = skip_space(text, found[1])
    return Leaked(tuple(calls))


def _after_token(text: str, position: int) -> tuple[tuple[TextCall, ...], int] | Broken:
    if text.startswith(("[{", "[ {", "{"), position):
        return calls_at(text, position)
    named = _NAMED.match(text, position)
    if named is None:
        return unreadable()
    found = object_at(text, named.end(), named[1])
    return found if isinstance(found, Broken) else ((found[0],), found[1])


def read_kimi(text: str) -> Found:
    """Read a text that is one section of calls, or calls without the section around them."""
    section = _SECTION.match(text)
    if section is None and not text.startswith("<|tool_call_begin|>"):
        return None
    found = _calls(text, section.end() if section else 0)
    if isinstance(found, Broken):
        return found
    calls, position = found
    closed = _SECTION_END.match(text, position) if section else None
    if not calls or bool(section) != bool(closed):
        return unreadable()
    end = closed.end() if closed else position
    return Leaked(calls) if end == len(text) else unreadable("leaked_beside_text")


def _calls(text: str, position: int) -> tuple[tuple[TextCall, ...], int] | Broken:
    calls: list[TextCall] = []
    while opened := _CALL.match(text, position):
        found = object_at(text, opened.end(), opened[1])
        if isinstance(found, Broken):
            return found
        closed = _CALL_END.match(text, skip_space(text, found[1]))
        if closed is None:
            return unreadable()
        calls.append(found[0])
        position = closed.end()
    return tuple(calls), position

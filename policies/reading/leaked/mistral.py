"""Calls after Mistral's control token: `[TOOL_CALLS][{…}, …]`, and since v11 `[TOOL_CALLS]name[ARGS]{…}`."""

from __future__ import annotations

import re

from reinforced_agent.policies.reading.leaked.shape import (
    Broken,
    Found,
    Leaked,
    TextCall,
    calls_at,
    object_at,
    unreadable,
)
from reinforced_agent.policies.reading.strict import skip_space


_TOKEN = "[TOOL_CALLS]"  # noqa: S105 - a control token, no secret
_NAMED = re.compile(r"([\w.-]{1,128})(?:\[CALL_ID\]\w{1,64})?(?:\[ARGS\])?\s*+(?=\{)")


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

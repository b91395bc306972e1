"""Calls that a server failed to recognise and passed on as text, one format family a file.

A call is taken from text only where the whole text is well-formed calls to registered tools; anything else that looks
like a call is sent back to the model.
"""

from __future__ import annotations

import re

from reinforced_agent.policies.parsing.leaked.shape import Broken, Found, Leaked, TextCall, unregistered
from reinforced_agent.policies.parsing.leaked.tags import read_invoke, read_tags
from reinforced_agent.policies.parsing.leaked.tokens import read_kimi, read_mistral
from reinforced_agent.policies.parsing.leaked.traces import has_trace, without_quoted
from reinforced_agent.policies.parsing.leaked.unmarked import read_bare_json, read_python_calls
from reinforced_agent.policies.tool_names import NameIndex


_MARKED = (read_tags, read_invoke, read_mistral, read_kimi)

_OPENING = re.compile(
    r"(?:<\|?(?:tool_calls?|function_calls?)\|?>|<function=[^<>\s]{1,128}>|\[TOOL_CALLS\]|<\|python_tag\|>"
    r"|<\|tool_calls?_(?:section_)?begin\|>)"
)
_CLOSING = re.compile(r"</|<\|/|<parameter=|<arg_|<\|tool_call")
_SHORT = 12
"""Characters between an opening and a closing tag that are only named together, as in "… and …"."""
_PROSE = re.compile(
    r"(?:[ \t]++(?P<first>\w++)[^\S\n]*+\S|[ \t]*+(?=[^\x00-\x7f])\w{2}|[ \t]*+[,，、:：(（]\s*+[\w<`])"
)
_SYNTAX = "([{="


def find_calls(text: str, names: NameIndex) -> Found:
    """Read a text as calls in one of the formats that mark them, as bare JSON or as Python."""
    marked = next((found for read in _MARKED if (found := read(text)) is not None), None)
    if isinstance(marked, Broken) and _only_mentions(text, names):
        return None
    return only_registered(marked or read_bare_json(text, names) or read_python_calls(text, names), names)


def only_registered(found: Found, names: NameIndex) -> Found:
    """Turn down calls of which any names a tool that is not registered."""
    if not isinstance(found, Leaked):
        return found
    unknown = next((call.name for call in found.calls if names.resolve(call.name) is None), None)
    return found if unknown is None else unregistered(unknown, names)


def _only_mentions(text: str, names: NameIndex) -> bool:
    """Tell whether a text speaks of the tag it begins with: `<tool_call> is the tag that …`, and nowhere a call."""
    opening = _OPENING.match(text)
    prose = opening and _PROSE.match(text, opening.end())
    if not opening or not prose or prose.group()[-1] in _SYNTAX:
        return False
    if prose["first"] and names.resolve(prose["first"]) is not None:
        return False
    closing = _CLOSING.search(without_quoted(text), opening.end())
    named_together = closing is None or closing.start() - opening.end() <= _SHORT
    return named_together and not text.endswith(">") and not has_trace(text, names)


__all__ = ["Broken", "Found", "Leaked", "TextCall", "find_calls", "only_registered"]

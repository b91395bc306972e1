"""Tell a text that begins with the tag of a format because it speaks of it: `<tool_call> is the tag that …`."""

from __future__ import annotations

import re

from reinforced_agent.policies.reading.leaked.traces import has_trace, without_quoted
from reinforced_agent.policies.routing import NameIndex


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


def only_mentions(text: str, names: NameIndex) -> bool:
    """Tell whether the tag that a text begins with is followed by a sentence and nowhere by a call."""
    opening = _OPENING.match(text)
    prose = opening and _PROSE.match(text, opening.end())
    if not opening or not prose or prose.group()[-1] in _SYNTAX:
        return False
    if prose["first"] and names.resolve(prose["first"]) is not None:
        return False
    closing = _CLOSING.search(without_quoted(text), opening.end())
    named_together = closing is None or closing.start() - opening.end() <= _SHORT
    return named_together and not text.endswith(">") and not has_trace(text, names)

"""Notice call markup in a text that is not nothing but calls, and tell it from text that only speaks of the format.

A trace counts when it goes on as a call would (`<tool_call>` before a bracket, an `Action:` line before its input) and
does not stand in code. A JSON call object counts anywhere but in inline code, and only with the name of a registered
tool.
"""

from __future__ import annotations

import re

from reinforced_agent.policies.routing import NameIndex


_TRACES = re.compile(
    r"<tool_calls?>\s*+[{\[<]"
    r"|<function_calls?>\s*+[{\[<]"
    r"|<\|tool_call\|>\s*+[{\[]"
    r"|<tool_call>\s*+[\w.-]++\s*+<arg_key>"  # GLM
    r"|<function=[^<>\s]{1,128}>\s*+(?:\{|</?[fp])"
    r'|<invoke name="'
    r"|</?\s?[|\uff5c]{1,2}\s?DSML\s?[|\uff5c]"
    r"|\[TOOL_CALLS\]\s*+(?:[\[{]|[\w.-]{1,128}(?:\[|\{))"
    r"|<\|tool_calls?_(?:section_)?begin\|>(?:[\w<]|\s++(?:<|functions\.|[\w.-]{1,128}:\d))"
    r"|<\uff5ctool▁calls?▁begin\uff5c>"  # DeepSeek-V3
    r"|<\|python_tag\|>(?:[\w{\[]|[ \t]++(?:[{\[]|[\w.]{1,128}\()|\s*+\n\s*+[\w{\[])"
    r"|(?:<\|channel\|>|assistant)commentary\s++to=\w"
    r"|^[ \t]*+[Aa]ction:[^\n]{1,200}\n\s*+[Aa]ction [Ii]nput:",
    re.MULTILINE,
)
_MARKS = ("<", "[TOOL_CALLS]", "commentary", "Action:", "action:")
"""One of these is in every trace; looking for them first is ten times faster than the pattern."""
_CODE = re.compile(r"^```[^\n]*+\n(?:(?!```).*+\n)*+(?:```|\Z)|`[^`\n]++`", re.MULTILINE)
_BLOCK = re.compile(r"^```[^\n]*+\n(?:(?!```).*+\n)*+```", re.MULTILINE)
_INLINE_CODE = re.compile(r"(?<!`)`(?!`)[^`\n]++`(?!`)")
_WORD = re.compile(r"\w")
_CALL_OBJECT = re.compile(
    r'\{\s*+"name"\s*+:\s*+"(?P<name>[^"\\]{1,128})"\s*+,\s*+"(?:arguments|parameters)"\s*+:'
    r'(?!\s*+\{\s*+"type"\s*+:\s*+"object")'  # the description of a tool, not a call
)


def has_trace(text: str, names: NameIndex) -> bool:
    """Tell whether a text holds the beginnings of a call."""
    return first_trace(text, names) is not None


def first_trace(text: str, names: NameIndex) -> int | None:
    """Return where the first trace of a call begins, or `None`."""
    markup = _first_markup(text)
    call = _first_call_object(text, names)
    return min((position for position in (markup, call) if position is not None), default=None)


def mentions_call(text: str, names: NameIndex) -> bool:
    """Tell whether a text holds the beginning of a JSON call object of a registered tool."""
    return _first_call_object(text, names) is not None


def without_quoted(text: str) -> str:
    """Blank the code that a text only mentions or explains, unless the text is nothing else."""
    if "`" not in text:
        return text
    plain = _INLINE_CODE.sub(_blank, text)
    return _without_explained(plain) if _WORD.search(plain) else text


def _without_explained(text: str) -> str:
    """Blank the code blocks that words stand before and behind: an explanation shows what is in them."""
    outside = _BLOCK.sub(_blank, text)
    words = [found.start() for found in _WORD.finditer(outside)]
    if not words:
        return text
    return _BLOCK.sub(lambda code: _blank(code) if words[0] < code.start() < words[-1] else code.group(), text)


def _blank(code: re.Match[str]) -> str:
    return " " * len(code.group())


def _first_markup(text: str) -> int | None:
    """Find markup outside code; the code is looked for only where there is markup at all."""
    found = _TRACES.search(text) if any(mark in text for mark in _MARKS) else None
    if found is None or "`" not in text:
        return found.start() if found else None
    plain = _CODE.sub(lambda code: " " * len(code.group()), text)
    outside = _TRACES.search(plain)
    return outside.start() if outside else None


def _first_call_object(text: str, names: NameIndex) -> int | None:
    if '"name"' not in text:
        return None
    calls = (found.start() for found in _CALL_OBJECT.finditer(without_quoted(text)) if names.resolve(found["name"]))
    return next(calls, None)

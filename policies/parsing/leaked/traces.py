"""Notice call markup in a text that is not nothing but calls, and tell it from text that only speaks of the format.

A trace counts when it goes on as a call would (`<tool_call>` before a bracket, an `Action:` line before its input) and
does not stand in code. A JSON call object counts anywhere but in inline code, and only with the name of a registered
tool.

JSON may be a call in all but form, under keys that other frameworks use: `{"action": …, "action_input": …}`
(LangChain), `{"type": "tool_use", "name": …, "input": …}` (Anthropic), `{"tool_name": …, "parameters": …}` (Cohere),
Python dicts. None of them is executed: they are asked for again.
"""

from __future__ import annotations

import re

from reinforced_agent.policies.parsing.arguments import diagnose
from reinforced_agent.policies.parsing.leaked.shape import Broken, Found, cut_off, unreadable
from reinforced_agent.policies.parsing.repair import parse_python
from reinforced_agent.policies.tool_names import NameIndex
from reinforced_agent.policies.verdicts import ErrorKind
from reinforced_agent.tools.call import JSON


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

_NAMES = ("name", "tool", "tool_name", "function", "action")
_GIVEN = ("arguments", "parameters", "args", "input", "action_input", "tool_input")
_WRAPPERS = ("function", "function_call", "tool_call", "tool_calls", "action", "calls")
_PLAIN_DATA = frozenset({"input", "parameters"})
"""Keys under which a text, beside keys of other meaning, may as well be data."""
_BESIDE = frozenset({"type", "id", "index", "thought", "thoughts", "reasoning", "reason", *_NAMES, *_GIVEN})
_DEEPEST = 3
_MOST = 20
"""Items of a list that are looked at."""

_NAME_KEY = rf"(?:{'|'.join(_NAMES)})"
_CUT_CALL = re.compile(
    r"(?:```\w*+\s*+)?+[\[\s]*+\{\s*+"
    r'(?:"\w{1,32}"\s*+:\s*+"[^"\\]{0,128}"\s*+,\s*+){0,3}?(?:"function"\s*+:\s*+\{\s*+)?'
    rf'"{_NAME_KEY}"\s*+:\s*+"(?P<name>[^"\\]{{1,128}})"\s*+'
    r'(?:\Z|,\s*+(?:\Z|"(?P<key>\w{0,32}+)(?P<goes_on>"\s*+(?:\Z|:))?))'
)
_PYTHON_NAME = re.compile(rf"'{_NAME_KEY}'\s*+:")


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


def describes_tool(value: JSON) -> bool:
    """Recognise the description of a tool, whose parameters are a schema."""
    fields = value[0] if isinstance(value, list) and value else value
    if not isinstance(fields, dict):
        return False
    inner = fields.get("function")
    schema = (inner if isinstance(inner, dict) else fields).get("parameters")
    if not isinstance(schema, dict) or schema.get("type") != "object":
        return False
    return len(schema) == 1 or isinstance(schema.get("properties"), dict)


def resembles_call(value: JSON, names: NameIndex, depth: int = 1) -> bool:
    """Tell whether a value is or wraps a registered name together with arguments."""
    if isinstance(value, list):
        return depth <= _DEEPEST and any(resembles_call(item, names, depth + 1) for item in value[:_MOST])
    if not isinstance(value, dict) or describes_tool(value):
        return False
    given = any(_are_arguments(value, key) for key in _GIVEN)
    described = "description" in value and isinstance(value.get("parameters"), dict)
    if given and not described and any(_registered(value.get(key), names) for key in _NAMES):
        return True
    return depth <= _DEEPEST and any(resembles_call(value.get(key), names, depth + 1) for key in _WRAPPERS)


def _are_arguments(fields: dict[str, JSON], key: str) -> bool:
    value = fields.get(key)
    return isinstance(value, dict) or (isinstance(value, str) and (key not in _PLAIN_DATA or fields.keys() <= _BESIDE))


def read_resembling(text: str, names: NameIndex) -> Found:
    """Read a text that is no JSON: a Python dict that is a call, or a JSON call that was cut off in its head."""
    opened = _CUT_CALL.match(text)
    if opened and _registered(opened["name"], names) and _leads_to_arguments(opened):
        return cut_off() if diagnose(text).kind is ErrorKind.TRUNCATED else None
    if not _PYTHON_NAME.search(text):
        return None
    parsed = parse_python(f'{{"calls": {text}}}')
    if parsed is None:
        return None
    if parsed.problems:
        return Broken(parsed.problems)
    return unreadable() if resembles_call(parsed.value, names) else None


def _leads_to_arguments(opened: re.Match[str]) -> bool:
    """Tell whether the key behind the name is one of arguments, or the beginning of one where the text ends."""
    key = opened["key"] or ""
    if opened.end() == len(opened.string) and not opened["goes_on"]:
        return any(known.startswith(key) for known in _GIVEN)
    return key in _GIVEN


def _registered(name: JSON, names: NameIndex) -> bool:
    return isinstance(name, str) and names.resolve(name) is not None

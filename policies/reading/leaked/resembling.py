"""JSON that is a call in all but form: a registered tool and its arguments, under keys that other frameworks use.

`{"action": …, "action_input": …}` (LangChain), `{"type": "tool_use", "name": …, "input": …}` (Anthropic),
`{"tool_name": …, "parameters": …}` (Cohere), Python dicts. None of them is executed: they are asked for again.
"""

from __future__ import annotations

import re

from reinforced_agent.policies.reading.diagnosis import diagnose
from reinforced_agent.policies.reading.leaked.shape import Broken, Found, cut_off, unreadable
from reinforced_agent.policies.reading.python_literal import parse_python
from reinforced_agent.policies.routing import NameIndex
from reinforced_agent.policies.verdicts import ErrorKind
from reinforced_agent.tools.call import JSON


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

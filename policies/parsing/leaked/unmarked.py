"""Calls written as JSON or as Python, and nothing around them or only a code fence.

Llama 3 templates ask for `{"name": …, "parameters": …}`, after `<|python_tag|>` or not, and several separated by
semicolons; other models imitate OpenAI's objects. An answer may be JSON too, so only registered names count.

Calls in Python, `[get_weather(city="Oslo")]` (Llama 4, Gemma) or `print(default_api.f(…))` (Gemini), are asked for
again and never run: what their values mean would be for a Python interpreter to say. Code among other text, or fenced
as Python, is an answer.
"""

from __future__ import annotations

import re
from json import JSONDecodeError

from reinforced_agent.policies.parsing.leaked.shape import (
    Broken,
    Found,
    Leaked,
    TextCall,
    as_calls,
    calls_at,
    cut_off,
    unparsed,
    unreadable,
)
from reinforced_agent.policies.parsing.leaked.traces import (
    describes_tool,
    mentions_call,
    read_resembling,
    resembles_call,
)
from reinforced_agent.policies.parsing.repair import strip_outer, unfence
from reinforced_agent.policies.text.json import parse_at, skip_space
from reinforced_agent.policies.tool_names import NameIndex
from reinforced_agent.tools.call import JSON


_PYTHON_TAG = "<|python_tag|>"
_NEXT = ("{", "[", ";", ",", "Observation")

_LABEL = re.compile(r"```(\w*+)")
_SHOWN = frozenset({"python", "py", "javascript"})
"""Fences around code that is shown to people."""
_RUN = "tool_code"
"""The fence around code that Gemini wants to be run."""
_API = "default_api."
_CALL = re.compile(r"(?P<print>print\()?(?P<name>[\w.:-]{1,128})\(")
_ARGUMENTS = re.compile(r"""\s*+(?:(?P<none>\))|[^\W\d]\w*+\s*+=(?!=)|["'\[{\d-])""")
_TOKEN = re.compile(r"""(?P<quote>['"])(?:(?!(?P=quote))[^\\]|\\.)*+(?P<closed>(?P=quote))?+|[()\[\]{}]""", re.DOTALL)
_BETWEEN = re.compile(r"[\s,;]*+")
_ANYWHERE = re.compile(r"(?<![\w.:-])(?P<name>[\w.:-]{1,128})\(")


def read_bare_json(text: str, names: NameIndex) -> Found:
    """Read a text that is one or more JSON call objects; any other JSON is an answer, so `None`."""
    body = text.removeprefix(_PYTHON_TAG).lstrip()
    tagged = text.startswith(_PYTHON_TAG)
    if not tagged:
        inner = unfence(text)
        body = text if inner is None else strip_outer(inner)
    if not body.startswith(("{", "[")):
        return read_resembling(body, names) if body.startswith("```") else None  # a fence that was cut off
    try:
        first = parse_at(body, lenient=True)
    except JSONDecodeError:
        return unparsed(body) if tagged or mentions_call(body, names) else read_resembling(body, names)
    if first.problems:
        return Broken(first.problems) if tagged or mentions_call(body, names) else None
    if _names_only(first.value, names):
        return unreadable()
    if tagged or (_is_call(first.value, body, names) and not describes_tool(first.value)):
        return _read_sequence(body)
    rest = skip_space(body, first.end)
    goes_on = rest < len(body) and not body.startswith(_NEXT, rest)
    return unreadable() if not goes_on and resembles_call(first.value, names) else None


def _names_only(value: JSON, names: NameIndex) -> bool:
    """Recognise a call that has lost its arguments: as an answer, the bare name of a tool would make no sense."""
    if not isinstance(value, dict) or value.keys() != {"name"}:
        return False
    name = value["name"]
    return isinstance(name, str) and names.resolve(name) is not None


def _is_call(value: JSON, body: str, names: NameIndex) -> bool:
    found = as_calls(value)
    if isinstance(found, Leaked):
        return any(names.resolve(call.name) for call in found.calls)
    return found is not None and mentions_call(body, names)


def _read_sequence(body: str) -> Found:
    calls: list[TextCall] = []
    position = 0
    while position < len(body):
        if body[position] not in "{[":
            return unreadable("leaked_beside_text")
        found = calls_at(body, position)
        if isinstance(found, Broken):
            return found
        calls += found[0]
        position = skip_space(body, found[1])
        if body.startswith(";", position):
            position = skip_space(body, position + 1)
    return Leaked(tuple(calls))


def read_python_calls(text: str, names: NameIndex) -> Found:
    """Read a text that is nothing but calls of registered tools in the syntax of Python."""
    if "(" not in text:
        return None
    inner = unfence(text)
    body = text if inner is None else strip_outer(inner)
    listed = body.startswith("[")
    label = _LABEL.match(text)
    kind = label[1].lower() if label else ""
    if kind == _RUN:
        return unreadable() if any(names.resolve(call["name"]) for call in _ANYWHERE.finditer(body)) else None
    first = _CALL.match(body, _skip(body, int(listed)))
    if first is None or names.resolve(first["name"]) is None:
        return None
    if kind in _SHOWN and not (listed or first["name"].startswith(_API)):
        return None
    return _calls(body, first.start(), listed=listed)


def _calls(body: str, position: int, *, listed: bool) -> Broken | None:
    """Walk over the calls to the end of the text; anything else on the way makes it ordinary text."""
    bare = given = 0
    while call := _CALL.match(body, position):
        arguments = _ARGUMENTS.match(body, call.end())
        if arguments is None:
            return None
        end = _closing(body, call.end(), 2 if call["print"] else 1)
        if end is None:
            return cut_off()
        bare, given = bare + bool(arguments["none"]), given + (not arguments["none"])
        position = _skip(body, end)
    if position == len(body):
        if listed:
            return cut_off()
        return unreadable() if given or bare == 1 else None  # several names with empty brackets are an enumeration
    return unreadable() if listed and body[position:] == "]" else None


def _closing(text: str, position: int, depth: int) -> int | None:
    """Return the position behind the bracket that closes so many open ones; `None` when the text ends before it."""
    for token in _TOKEN.finditer(text, position):
        found = token.group()
        if found in "([{":
            depth += 1
        elif found in ")]}":
            depth -= 1
            if depth == 0:
                return token.end()
        elif token["closed"] is None:
            return None
    return None


def _skip(text: str, position: int) -> int:
    match = _BETWEEN.match(text, position)
    return match.end() if match else position

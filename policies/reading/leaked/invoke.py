"""Calls as invoke and parameter tags: DeepSeek's DSML with bars of every kind, and the plain XML it resembles.

`<|DSML|tool_calls><|DSML|invoke name="f"><|DSML|parameter name="k" string="true">v</|DSML|parameter>…`: with
`string="true"` the value is the text itself, with `"false"` it is JSON (DeepSeek-V3.2, encoding notes). The bars arrive
full-width (U+FF5C), as ASCII, single or doubled.
"""

from __future__ import annotations

import re
from json import JSONDecodeError
from typing import NamedTuple

from reinforced_agent.policies.reading.leaked.shape import Broken, Found, Leaked, TextCall, unreadable
from reinforced_agent.policies.reading.repairs import Repair
from reinforced_agent.policies.reading.strict import parse, skip_space
from reinforced_agent.tools.call import JSON


PREFIX = r"(?:[|\uff5c]{1,2}DSML[|\uff5c]{1,2}|antml:)?"
"""What stands before the name of a tag: a marked name, or nothing in plain XML."""

_OUTER_START = re.compile(rf"<{PREFIX}(?:tool_calls|function_calls)>\s*+")
_OUTER_END = re.compile(rf"</{PREFIX}(?:tool_calls|function_calls)>\s*+")
_INVOKE_START = re.compile(rf'<{PREFIX}invoke name="([^"<>]{{1,128}})">\s*+')
_INVOKE_END = re.compile(rf"</{PREFIX}invoke>\s*+")
_PARAMETER_START = re.compile(rf'<{PREFIX}parameter name="([^"<>]{{1,128}})"(?: string="(true|false)")?>')
_PARAMETER_END = re.compile(rf"</{PREFIX}parameter>\s*+")
_ANY_START = re.compile(rf"</?{PREFIX}(?:invoke|parameter|tool_calls|function_calls)\b")


class _Value(NamedTuple):
    """The value of one parameter."""

    value: JSON
    typed: bool


def read_invoke(text: str) -> Found:
    """Read a text that is one block of invoke tags, with or without the tag around them."""
    outer = _OUTER_START.match(text)
    position = outer.end() if outer else 0
    if outer is None and not _INVOKE_START.match(text):
        return None
    calls: list[TextCall] = []
    while opened := _INVOKE_START.match(text, position):
        found = _invoke(text, opened)
        if isinstance(found, Broken):
            return found
        calls.append(found[0])
        position = found[1]
    closed = _OUTER_END.match(text, position) if outer else None
    end = closed.end() if closed else position
    if not calls or bool(outer) != bool(closed):
        return unreadable()
    return Leaked(tuple(calls)) if end == len(text) else unreadable("leaked_beside_text")


def _invoke(text: str, opened: re.Match[str]) -> tuple[TextCall, int] | Broken:
    values: dict[str, JSON] = {}
    untyped = False
    position = opened.end()
    while parameter := _PARAMETER_START.match(text, position):
        end = _PARAMETER_END.search(text, parameter.end())
        if end is None or parameter[1] in values:
            return unreadable()
        found = _value(text[parameter.end() : end.start()], parameter[2])
        if isinstance(found, Broken):
            return found
        values[parameter[1]] = found.value
        untyped = untyped or not found.typed
        position = end.end()
    closed = _INVOKE_END.match(text, skip_space(text, position))
    if closed is None:
        return unreadable()
    repairs = (Repair.UNTYPED_VALUES.value,) if untyped else ()
    return TextCall(opened[1], values, repairs if values else (Repair.NO_ARGUMENTS.value,)), closed.end()


def _value(written: str, is_string: str | None) -> _Value | Broken:
    if _ANY_START.search(written):  # two parameters or one that quotes the format: nobody can tell
        return unreadable()
    if is_string != "false":
        return _Value(written, typed=is_string == "true")
    try:
        parsed = parse(written)
    except JSONDecodeError:
        return unreadable()
    return Broken(parsed.problems) if parsed.problems else _Value(parsed.value, typed=True)

"""Calls in tags that hold JSON or another tag, such as `<tool_call>{…}</tool_call>`, and calls in `<invoke>` tags.

Hermes and Qwen write `<tool_call>`; Phi-4 and Granite `<|tool_call|>`; Llama 3.1 `<function=name>{…}</function>`;
Qwen3-Coder `<function=name><parameter=key>value</parameter></function>`, inside `<tool_call>` or alone. The JSON is
read from its first bracket on, so a closing tag inside a string of it is no closing tag.

DeepSeek's DSML writes `<|DSML|invoke name="f"><|DSML|parameter name="k" string="true">v</|DSML|parameter>…`, with
bars that arrive full-width (U+FF5C), as ASCII, single or doubled; with `string="true"` the value is the text itself,
with `"false"` it is JSON (DeepSeek-V3.2, encoding notes). Plain XML resembles it.
"""

from __future__ import annotations

import re
from json import JSONDecodeError
from typing import NamedTuple

from reinforced_agent.policies.parsing.leaked.shape import (
    Broken,
    Found,
    Leaked,
    TextCall,
    calls_at,
    object_at,
    unreadable,
)
from reinforced_agent.policies.parsing.output import Repair
from reinforced_agent.policies.text.json import parse, skip_space
from reinforced_agent.tools.call import JSON


_TAGS = {
    "<tool_call>": "</tool_call>",
    "<tool_calls>": "</tool_calls>",
    "<function_call>": "</function_call>",
    "<|tool_call|>": "<|/tool_call|>",
}
_BARE_ENDING = frozenset({"<|tool_call|>"})  # Granite never closes it
_FUNCTION = re.compile(r"<function=([^<>\s]{1,128})>\s*+")
_FUNCTION_END = "</function>"
_PARAMETER = re.compile(r"<parameter=([^<>\n]{1,128})>")
_PARAMETER_END = "</parameter>"
_NESTED = ("<parameter=", "<function=", _FUNCTION_END)

_Block = tuple[tuple[TextCall, ...], int] | Broken

_PREFIX = r"(?:[|\uff5c]{1,2}DSML[|\uff5c]{1,2}|antml:)?"
"""What stands before the name of a tag: a marked name, or nothing in plain XML."""

_OUTER_START = re.compile(rf"<{_PREFIX}(?:tool_calls|function_calls)>\s*+")
_OUTER_END = re.compile(rf"</{_PREFIX}(?:tool_calls|function_calls)>\s*+")
_INVOKE_START = re.compile(rf'<{_PREFIX}invoke name="([^"<>]{{1,128}})">\s*+')
_INVOKE_END = re.compile(rf"</{_PREFIX}invoke>\s*+")
_PARAMETER_START = re.compile(rf'<{_PREFIX}parameter name="([^"<>]{{1,128}})"(?: string="(true|false)")?>')
_INVOKED_END = re.compile(rf"</{_PREFIX}parameter>\s*+")
_ANY_START = re.compile(rf"</?{_PREFIX}(?:invoke|parameter|tool_calls|function_calls)\b")


def read_tags(text: str) -> Found:
    """Read a text that is one tagged call after the other."""
    if not text.startswith(("<function=", *_TAGS)):
        return None
    calls: list[TextCall] = []
    position = 0
    while position < len(text):
        block = _block(text, position)
        if isinstance(block, Broken):
            return block
        calls += block[0]
        position = skip_space(text, block[1])
    return Leaked(tuple(calls))


def _block(text: str, position: int) -> _Block:
    if text.startswith("<function=", position):
        return _function(text, position)
    opening = next((tag for tag in _TAGS if text.startswith(tag, position)), None)
    if opening is None:
        return unreadable("leaked_beside_text")
    return _tagged(text, skip_space(text, position + len(opening)), opening)


def _tagged(text: str, position: int, opening: str) -> _Block:
    inside = _function if text.startswith("<function=", position) else calls_at
    found = inside(text, position)
    if isinstance(found, Broken):
        return found
    calls, position = found[0], skip_space(text, found[1])
    closing = _TAGS[opening]
    if text.startswith(closing, position):
        return calls, position + len(closing)
    if opening in _BARE_ENDING and position == len(text):
        return calls, position
    return unreadable()


def _function(text: str, position: int) -> _Block:
    opened = _FUNCTION.match(text, position)
    if opened is None:
        return unreadable()
    read = object_at if text.startswith("{", opened.end()) else _parameters
    found = read(text, opened.end(), opened[1])
    if isinstance(found, Broken):
        return found
    call, position = found[0], skip_space(text, found[1])
    if not text.startswith(_FUNCTION_END, position):
        return unreadable()
    return (call,), position + len(_FUNCTION_END)


def _parameters(text: str, position: int, name: str) -> tuple[TextCall, int] | Broken:
    """Read parameters up to the first thing that is none; their values are text, types are the schema's business."""
    values: dict[str, str] = {}
    while opened := _PARAMETER.match(text, position):
        end = text.find(_PARAMETER_END, opened.end())
        value = text[opened.end() : end]
        # A value that holds the format's own tags could be two parameters or one.
        if end < 0 or opened[1] in values or any(tag in value for tag in _NESTED):
            return unreadable()
        # The template puts one line break before and after a value.
        values[opened[1]] = value.removeprefix("\n").removesuffix("\n")
        position = skip_space(text, end + len(_PARAMETER_END))
    repair = Repair.UNTYPED_VALUES if values else Repair.NO_ARGUMENTS
    return TextCall(name, {**values}, (repair.value,)), position


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
        end = _INVOKED_END.search(text, parameter.end())
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

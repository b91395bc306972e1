r"""Calls written as JSON and nothing around it, or only a code fence.

Llama 3 templates ask for `{"name": …, "parameters": …}`, after `<|python_tag|>` or not, and several separated by
semicolons; other models imitate OpenAI's objects. An answer may be JSON too, so only registered names count.
"""

from __future__ import annotations

from json import JSONDecodeError

from reinforced_agent.policies.reading.leaked.resembling import describes_tool, read_resembling, resembles_call
from reinforced_agent.policies.reading.leaked.shape import (
    Broken,
    Found,
    Leaked,
    TextCall,
    as_calls,
    calls_at,
    unparsed,
    unreadable,
)
from reinforced_agent.policies.reading.leaked.traces import mentions_call
from reinforced_agent.policies.reading.mending import strip_outer, unfence
from reinforced_agent.policies.reading.strict import parse_at, skip_space
from reinforced_agent.policies.routing import NameIndex
from reinforced_agent.tools.call import JSON


_PYTHON_TAG = "<|python_tag|>"
_NEXT = ("{", "[", ";", ",", "Observation")


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

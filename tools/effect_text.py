"""Say in words what a call will do, for the person who decides about it."""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Iterator, Mapping
from string import Formatter
from typing import Final

from reinforced_agent.tools.call import JSON
from reinforced_agent.tools.functions import ToolDefinitionError
from reinforced_agent.tools.spec import Arguments, ToolSpec


_SAMPLES: Mapping[str, JSON] = {"string": "", "integer": 1, "number": 1.0, "boolean": True}
"""A value of each plain type, to try a format with."""

_MOST_OF_A_VALUE: Final = 200
"""Characters of one value; whoever wants to know more looks at the arguments, which are shown beside the words."""
_MOST_OF_ALL: Final = 2_000
"""Characters of words that a host's function wrote, or of a description."""
_BREAKS: Final = re.compile(r"[\t\n\r\f\v]+")

INDIRECT = frozenset({"$ref", "allOf", "anyOf", "oneOf", "patternProperties"})
"""Keywords of a schema whose arguments are not all listed under `properties`."""


def describe_effect(spec: ToolSpec, arguments: Arguments) -> str:
    """Say on one line what a call with these arguments will do; never raises.

    Uses `spec.effect`; where there is none, or it fails on these arguments, the first line of the description. An
    argument that was left out counts as the default of its schema. Texts among the arguments stand in quotes, and long
    ones are cut one by one, so that no value can pass for words of ours, nor hide those that come after it.

    What can't be seen is still in it: whoever shows it makes that visible.
    """
    try:
        words = _effect(spec, arguments)
    except Exception:  # noqa: BLE001  # words of hosts may fail in any way, and the question must be asked
        words = ""
    return words or _one_line(spec.description.strip().partition("\n")[0]) or spec.name


def require_sound_effect(spec: ToolSpec) -> None:
    """Refuse an effect that can never be told, when the toolset is built.

    Raises:
        ToolDefinitionError: On a template with a placeholder that is no argument, or that does more than to name one
            and its format, and on an effect that is neither text nor callable.

    """
    if callable(spec.effect):
        return
    try:
        fields = list(_fields(spec.effect))
    except (TypeError, ValueError) as error:
        msg = f"The effect of the tool {spec.name!r} is no template: {error}. Use text with `{{name}}` in it."
        raise ToolDefinitionError(msg) from error
    for _, name, form in fields:
        if name is not None:
            _require_placeholder(spec, name, form)


def _require_placeholder(spec: ToolSpec, name: str, form: str) -> None:
    """Refuse a placeholder that is no argument, or whose format can't write its type."""
    properties = spec.parameters.get("properties", {})
    if name not in properties:
        if INDIRECT & spec.parameters.keys():
            return
        allowed = ", ".join(f"`{argument}`" for argument in properties) or "none"
        msg = f"The effect of the tool {spec.name!r} names `{name}`, which is no argument; allowed: {allowed}."
        raise ToolDefinitionError(msg)
    schema = properties[name]
    kind = schema.get("type") if isinstance(schema, Mapping) else None
    if not isinstance(kind, str) or kind not in _SAMPLES:
        return
    try:
        _write(_SAMPLES[kind], form)
    except ValueError as error:
        msg = f"The effect of the tool {spec.name!r} can't write `{name}` ({kind}) as `{form}`: {error}."
        raise ToolDefinitionError(msg) from error


def _effect(spec: ToolSpec, arguments: Arguments) -> str:
    """Write the declared effect."""
    if callable(spec.effect):
        # A copy: whoever words a call must not change it.
        words: object = spec.effect(copy.deepcopy(dict(arguments)))
        return _one_line(_with_quotes(words, arguments)) if isinstance(words, str) else ""
    written = "".join(
        literal if name is None else literal + _write(_value(spec, arguments, name), form)
        for literal, name, form in _fields(spec.effect)
    )
    return _joined(written)


def _with_quotes(words: str, arguments: Arguments) -> str:
    """Put the texts among the arguments into quotes where they stand in words that a host made of them."""
    values = sorted(set(_texts(list(arguments.values()))), key=len, reverse=True)
    if not values:
        return words
    return re.sub("|".join(map(_place_of, values)), lambda found: _quoted(found[0]), words)


def _place_of(value: str) -> str:
    """Write where a value stands in words: as a whole word, and not in quotes already unless it could end them."""
    if '"' in value:
        return re.escape(value)
    before, after = (r'[\w"]' if edge.isascii() and edge.isalnum() else '"' for edge in (value[0], value[-1]))
    return f"(?<!{before}){re.escape(value)}(?!{after})"


def _texts(value: JSON) -> Iterator[str]:
    """Yield the texts in a value; single letters say nothing, and stand in many words."""
    if isinstance(value, str) and len(value.strip()) > 1:
        yield value
    elif isinstance(value, list | dict):
        for inner in value.values() if isinstance(value, dict) else value:
            yield from _texts(inner)


def _fields(template: str) -> Iterator[tuple[str, str | None, str]]:
    """Take a template apart: text before a placeholder, its name, its format.

    Raises:
        ValueError: On a placeholder that looks into a value, converts it, or nests another one.

    """
    for literal, name, form, conversion in Formatter().parse(template):
        if name is not None and (not name or set(name) & set(".[]{}") or conversion or "{" in (form or "")):
            msg = f"`{{{name}}}` must be the plain name of an argument, with a format at most"
            raise ValueError(msg)
        yield literal, name, form or ""


def _value(spec: ToolSpec, arguments: Arguments, name: str) -> JSON:
    """Return an argument, or the default of one that was left out.

    Raises:
        KeyError: When there is neither.

    """
    if name in arguments:
        return arguments[name]
    default: JSON = spec.parameters["properties"][name]["default"]
    return default


def _write(value: JSON, form: str) -> str:
    """Write one value; texts and numbers take a format, everything else is JSON."""
    if isinstance(value, str):
        return _quoted(format(value, form))
    if isinstance(value, int | float) and not isinstance(value, bool):
        return format(value, form)
    return _cut(format(json.dumps(value, ensure_ascii=False), form), _MOST_OF_A_VALUE)


def _quoted(text: str) -> str:
    """Write a text in quotes, on one line; where it is cut, that stands behind them."""
    if len(text) <= _MOST_OF_A_VALUE:
        return json.dumps(text, ensure_ascii=False)
    return f"{json.dumps(text[:_MOST_OF_A_VALUE], ensure_ascii=False)} … ({len(text)} characters)"


def _one_line(text: str) -> str:
    """Put words on one line, and cut what is too long."""
    return _cut(_joined(text), _MOST_OF_ALL)


def _joined(text: str) -> str:
    """Put lines behind each other; within quotes there are none."""
    return " ".join(part for line in _BREAKS.split(text) if (part := line.strip(" ")))


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[:most]} … ({len(text)} characters)"

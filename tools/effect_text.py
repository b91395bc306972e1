"""Say in words what a call will do, for the person who decides about it."""

from __future__ import annotations

import copy
import json
import unicodedata
from collections.abc import Iterator, Mapping
from string import Formatter

from reinforced_agent.tools.call import JSON
from reinforced_agent.tools.functions import ToolDefinitionError
from reinforced_agent.tools.spec import Arguments, ToolSpec


_SAMPLES: Mapping[str, JSON] = {"string": "", "integer": 1, "number": 1.0, "boolean": True}
"""A value of each plain type, to try a format with."""

_MOST_CHARACTERS = 600
"""Length of the words; whoever wants to know more looks at the arguments, which are shown beside them."""

_UNSEEN = frozenset({"Cc", "Cf", "Cs"})
"""Categories of characters that don't show: control, format, half of a pair."""

INDIRECT = frozenset({"$ref", "allOf", "anyOf", "oneOf", "patternProperties"})
"""Keywords of a schema whose arguments are not all listed under `properties`."""


def describe_effect(spec: ToolSpec, arguments: Arguments) -> str:
    """Say on one line what a call with these arguments will do; never raises.

    Uses `spec.effect`; where there is none, or it fails on these arguments, the first line of the description. An
    argument that was left out counts as the default of its schema. Control characters and invisible ones are dropped,
    so that no value can pass for words of ours.
    """
    try:
        words = _one_line(_effect(spec, arguments))
    except Exception:  # noqa: BLE001  # words of hosts may fail in any way, and the question must be asked
        words = ""
    return words or _one_line(spec.description.strip().partition("\n")[0]) or spec.name


def in_plain_sight(text: str) -> str:
    """Write characters that don't show, or turn the direction of others, as escapes, so that a person sees them."""
    return "".join(f"\\u{ord(one):04x}" if unicodedata.category(one) in _UNSEEN else one for one in text)


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
        return words if isinstance(words, str) else ""
    return "".join(
        literal if name is None else literal + _write(_value(spec, arguments, name), form)
        for literal, name, form in _fields(spec.effect)
    )


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
    if isinstance(value, str | int | float) and not isinstance(value, bool):
        return format(value, form)
    return format(json.dumps(value, ensure_ascii=False), form)


def _one_line(text: str) -> str:
    """Put a text on one line, drop what can't be seen, and cut what is too long."""
    spaced = (" " if character.isspace() else character for character in text)
    seen = (character for character in spaced if unicodedata.category(character) not in _UNSEEN)
    line = " ".join("".join(seen).split())
    return line if len(line) <= _MOST_CHARACTERS else line[: _MOST_CHARACTERS - 1] + "…"

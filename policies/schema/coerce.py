"""Loss-free coercion: values that fail the schema as they are, but can only have been meant in one way."""

from __future__ import annotations

import re
from collections.abc import Iterable
from decimal import Decimal
from typing import Final, NamedTuple

from reinforced_agent.policies.schema.compiled import CompiledTool
from reinforced_agent.policies.schema.dialect import Node
from reinforced_agent.policies.schema.fields import WRAPPERS
from reinforced_agent.policies.schema.formats import term_of
from reinforced_agent.policies.schema.soundness import find_flaw, has_integral_float
from reinforced_agent.policies.schema.view import View
from reinforced_agent.policies.text.folds import fold_key, fold_value
from reinforced_agent.policies.text.json import kind_of, parse
from reinforced_agent.policies.text.json_faults import is_wide
from reinforced_agent.tools.call import EXACT, JSON, canonical_json


class Fitted(NamedTuple):
    """A value and the names of the repairs that made it fit."""

    value: JSON
    repairs: tuple[str, ...] = ()


class _Context(NamedTuple):
    """What is known from outside about the value at hand."""

    keep_text: bool = False
    """A text may stand here as it is, so it must not be read as anything else."""
    decoded: bool = False
    """It was already taken out of a text once."""
    element: bool = False
    """It is an element of a list."""


_WHOLE = re.compile(r"0|-?[1-9][0-9]{0,30}")
_DECIMAL = re.compile(r"-?(?:0|[1-9][0-9]{0,30})\.[0-9]{1,30}")
_LONGEST_KEY = 200
"""Characters of a field's name that is held against the patterns of a schema, which others may have written."""
_ELEMENT = re.compile(r"(?![\[{])(?=.*[^\W_])(?=.*[^a-zA-Z_-])[\w@.:/+#%=?&~-]+", re.ASCII)
_ADDRESS_SIGNS: Final = ("@", "://")


def coerce(tool: CompiledTool, arguments: dict[str, JSON]) -> Fitted:
    """Bring sound arguments closer to the schema of a tool, without loss and without a guess.

    What fits stays as it is; what could be meant in two ways stays as it is and fails later. Inputs aren't changed.
    """
    inner, repairs = _unwrapped(tool, arguments)
    value, more = _Coercion(tool).fit(tool.schema, inner, _Context(decoded="json_from_text" in repairs))
    return Fitted(value, tuple(dict.fromkeys(repairs + more)))


def _unwrapped(tool: CompiledTool, arguments: dict[str, JSON]) -> Fitted:
    """Take the arguments out of one object that a model put around them, also where they are a text in it."""
    if len(arguments) != 1:
        return Fitted(arguments)
    [(key, inner)] = arguments.items()
    seen = tool.view(tool.schema)
    if key not in WRAPPERS or key in seen.names or not seen.closed:
        return Fitted(arguments)
    decoded = decode(inner) if isinstance(inner, str) else inner
    if not isinstance(decoded, dict):
        return Fitted(arguments)
    return Fitted(decoded, ("unwrapped",) if decoded is inner else ("unwrapped", "json_from_text"))


class _Coercion:
    """One pass over the arguments of one call."""

    def __init__(self, tool: CompiledTool) -> None:
        self._tool = tool

    def fit(self, node: Node, value: JSON, context: _Context) -> Fitted:
        """Fit a value to a node of the schema as far as that is certain."""
        if self._tool.is_valid(value, node) and not has_integral_float(value):
            return Fitted(value)
        seen = self._tool.view(node)
        if isinstance(value, str) and seen.free_text:
            if term_of(seen.format) != "string" and self._tool.is_valid(value.strip(), node):
                return Fitted(value.strip(), ("space_stripped",))  # a date or an address never has space around it
            context = context._replace(keep_text=True)
        fitted = self._scalar(seen, value, context)
        if "json_from_text" in fitted.repairs:
            context = context._replace(decoded=True)
        for step in (self._object, self._list, self._alternatives):
            value, repairs = step(seen, fitted.value, context)
            fitted = Fitted(value, fitted.repairs + repairs)
        return fitted

    def _scalar(self, seen: View, value: JSON, context: _Context) -> Fitted:
        match value:
            case str():
                return self._text(seen, value, context)
            case float() if value.is_integer() and "integer" in seen.kinds and "number" not in seen.kinds:
                # Beyond that size the decoder may have rounded: what was written is not known any more.
                return Fitted(int(value), ("integer_from_fraction",)) if abs(value) < EXACT else Fitted(value)
            case bool():
                pass
            case int() if seen.free_text and not seen.kinds & {"integer", "number"} and abs(value) < EXACT:
                return Fitted(str(value), ("text_from_integer",))
        return self._in_list(seen, value, context)

    def _text(self, seen: View, text: str, context: _Context) -> Fitted:
        folded = _fold_option(seen, text)
        if folded is not None:
            return Fitted(folded, ("value_fold",))
        if context.keep_text:
            return Fitted(text)
        if seen.kinds & {"object", "array"} and not context.decoded:
            decoded = decode(text)
            if kind_of(decoded) in seen.kinds & {"object", "array"}:
                return Fitted(decoded, ("json_from_text",))
        found = _plain_scalar(seen.kinds, text.strip())
        if found is not None and text != text.strip():
            return Fitted(found.value, ("space_stripped", *found.repairs))
        return found if found is not None else self._in_list(seen, text, context)

    def _in_list(self, seen: View, value: JSON, context: _Context) -> Fitted:
        """Put a single value into a list of one, where it is certainly one element.

        Never inside a list: `[1, 2]` where rows are declared may be one row as well as several.
        """
        if (
            context.element
            or "array" not in seen.kinds
            or not seen.items
            or seen.prefix
            or isinstance(value, dict | list | None)
        ):
            return Fitted(value)
        if kind_of(value) in seen.kinds or not all(self._tool.is_valid(value, node) for node in seen.items):
            return Fitted(value)
        if isinstance(value, str) and not _is_one_element(value):
            return Fitted(value)
        return Fitted(value) if True in seen.items else Fitted([value], ("wrapped_in_list",))

    def _object(self, seen: View, value: JSON, context: _Context) -> Fitted:
        if not isinstance(value, dict) or "object" not in seen.kinds:
            return Fitted(value)
        renamed = _fold_keys(seen, value)
        repairs: tuple[str, ...] = ("key_fold",) if renamed.keys() != value.keys() else ()
        context = context._replace(element=False)
        out: dict[str, JSON] = {}
        for key, item in renamed.items():
            if self._stands_for_nothing(seen, key, item):
                repairs += ("default_dropped",) if item is not None else ("null_dropped",)
                continue
            out[key], more = self._through(_nodes_of(seen, key), item, context)
            repairs += more
        return Fitted(out, repairs)

    def _stands_for_nothing(self, seen: View, key: str, item: JSON) -> bool:
        """Tell whether a field means the same as leaving it out: null or the default, where neither is allowed."""
        nodes = seen.properties.get(key)
        if nodes is None or key in seen.required or all(self._tool.is_valid(item, node) for node in nodes):
            return False
        defaults = [default for node in nodes for default in self._tool.view(node).default]
        if defaults:
            # A null where leaving out means something else could be meant either way.
            return any(kind_of(item) == kind_of(default) and item == default for default in defaults)
        # In a tool that deletes or pays, a null may be a lost filter: dropping it would widen what is done.
        return item is None and not self._tool.is_destructive

    def _list(self, seen: View, value: JSON, context: _Context) -> Fitted:
        if not isinstance(value, list) or "array" not in seen.kinds:
            return Fitted(value)
        context = context._replace(element=True)
        pairs = [self._through(seen.prefix[i : i + 1] or seen.items, item, context) for i, item in enumerate(value)]
        return Fitted([item for item, _ in pairs], tuple(name for _, names in pairs for name in names))

    def _through(self, nodes: Iterable[Node], value: JSON, context: _Context) -> Fitted:
        """Fit a value to all of several nodes, one after the other."""
        fitted = Fitted(value)
        for node in nodes:
            changed, repairs = self.fit(node, fitted.value, context._replace(keep_text=False))
            fitted = Fitted(changed, fitted.repairs + repairs)
        return fitted

    def _alternatives(self, seen: View, value: JSON, context: _Context) -> Fitted:
        fitted = Fitted(value)
        for group in seen.alternatives:
            changed, repairs = self._one_of(group, fitted.value, context)
            fitted = Fitted(changed, fitted.repairs + repairs)
        return fitted

    def _one_of(self, group: tuple[Node, ...], value: JSON, context: _Context) -> Fitted:
        """Take what one alternative makes of a value, unless another one makes something else of it."""
        tried = [(node, self.fit(node, value, context)) for node in group]
        fitting = [fitted for node, fitted in tried if self._tool.is_valid(fitted.value, node)]
        if fitting:
            distinct = {canonical_json(fitted.value) for fitted in fitting}
            return fitting[0] if len(distinct) == 1 else Fitted(value)
        serious = [fitted for node, fitted in tried if self._tool.view(node).kinds != {"null"}]
        return serious[0] if len(serious) == 1 else Fitted(value)


def decode(text: str) -> JSON:
    """Decode a text that is strict JSON of an object or a list without faults; anything else stays the text it is."""
    if not text.strip(" \t\r\n").startswith(("{", "[")):
        return text
    try:
        parsed = parse(text)
    except ValueError:
        return text
    return text if parsed.problems or find_flaw(parsed.value) is not None else parsed.value


def _plain_scalar(kinds: frozenset[str], text: str) -> Fitted | None:
    if "integer" in kinds and _WHOLE.fullmatch(text) and not is_wide(text):
        return Fitted(int(text), ("number_from_text",))
    if "number" in kinds and _DECIMAL.fullmatch(text) and Decimal(repr(float(text))) == Decimal(text):
        return Fitted(float(text), ("number_from_text",))
    if "boolean" in kinds and text.isascii() and text.lower() in {"true", "false"}:
        return Fitted(text.lower() == "true", ("boolean_from_text",))
    return None


def _fold_option(seen: View, text: str) -> str | None:
    """Find the one listed value that a text differs from only in case, outer space and word separators."""
    if text in seen.options:
        return None
    folded = fold_value(text)
    found = {option for option in seen.options if isinstance(option, str) and fold_value(option) == folded}
    return found.pop() if len(found) == 1 else None


def _fold_keys(seen: View, value: dict[str, JSON]) -> dict[str, JSON]:
    """Rename the unknown fields that can only mean one declared field that isn't there yet."""
    unknown = [key for key in value if is_unknown(seen, key)]
    if not unknown:
        return value
    targets: dict[str, list[str]] = {}
    for name in seen.names:
        targets.setdefault(fold_key(name), []).append(name)
    claims = [fold_key(key) for key in unknown]
    renames = {
        key: targets[fold][0]
        for key, fold in zip(unknown, claims, strict=True)
        if fold and len(targets.get(fold, ())) == 1 and claims.count(fold) == 1 and targets[fold][0] not in value
    }
    return {renames.get(key, key): item for key, item in value.items()}


def is_unknown(seen: View, key: str) -> bool:
    """Tell whether a closed object has no place for a field."""
    return seen.closed and key not in seen.names and not any(_matches(pattern, key) for pattern in seen.patterns)


def _matches(pattern: str, key: str) -> bool:
    if len(key) > _LONGEST_KEY:
        return True  # the schema itself says later what is right
    try:
        return re.search(pattern, key) is not None
    except re.error:
        return True


def _nodes_of(seen: View, key: str) -> tuple[Node, ...]:
    named = tuple(seen.properties.get(key, ()))
    matching = tuple(node for pattern, node in seen.patterns.items() if _matches(pattern, key))
    return named + matching or (() if key in seen.names else seen.extra)


def _is_one_element(text: str) -> bool:
    """Tell whether a text is certainly one element, as an address, a path or an id is.

    A word isn't, nor are several joined by `_` or `-`: it may be the first of several, or stand for many ("all").
    Where a list was declared, a single word is more often a sign of something forgotten than a slip of form.
    """
    return bool(_ELEMENT.fullmatch(text)) and all(text.count(sign) < 2 for sign in _ADDRESS_SIGNS)  # noqa: PLR2004

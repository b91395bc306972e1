"""Fields that hold several things: any iterable is taken for a tuple, and what doesn't belong there is refused at once.

Annotations don't hold at run time: a list in the place of a tuple of exceptions would fail after the tool has run, and
a text would count as its letters.
"""

from __future__ import annotations

import reprlib
import types
import typing
from collections.abc import Callable, Iterable, Iterator, Mapping
from enum import StrEnum
from functools import cache
from typing import Any, Final, TypeVar


Declared = TypeVar("Declared")

_GATHERED: Final = (tuple, frozenset)
_UNIONS: Final = (typing.Union, types.UnionType)
_WORDS: Final[Mapping[Any, str]] = {
    Any: "anything",
    types.NoneType: "`None`",
    str: "texts",
    int: "whole numbers",
    float: "numbers",
    Callable: "functions",
}


def typed_containers(declared: type[Declared]) -> type[Declared]:
    """Make a frozen dataclass, decorated below `@dataclass`, check its tuples, frozen sets and mappings first of all.

    Making one raises TypeError on a container, a key or an element that the annotation doesn't allow; any other
    iterable than a text or a mapping becomes the tuple or the frozen set that is declared.
    """
    own: Callable[[Any], None] | None = getattr(declared, "__post_init__", None)

    def settle(self: Any) -> None:
        kind: type = type(self)
        for name, hint in _containers(kind).items():
            # Most are left empty, and rules make such objects for every call.
            if (value := getattr(self, name)) or type(value) is not tuple:
                object.__setattr__(self, name, settled(value, hint, f"{kind.__name__}.{name}"))
        if own is not None:
            own(self)

    declared.__post_init__ = settle  # type: ignore[attr-defined]
    return declared


@cache
def _containers(declared: type) -> dict[str, Any]:
    """Return the fields that hold several things, with their types."""
    hints = next(found for one in declared.__mro__ if (found := _hints(one)) is not None)
    return {name: hint for name, hint in hints.items() if any(map(_is_container, _members(hint)))}


def _hints(declared: type) -> dict[str, Any] | None:
    """Return the types of the fields; `None` where a host's own class names one that can't be seen from its module."""
    try:
        return typing.get_type_hints(declared)
    except (NameError, AttributeError):
        return None


def _members(hint: Any) -> tuple[Any, ...]:
    return typing.get_args(hint) if typing.get_origin(hint) in _UNIONS else (hint,)


def _is_container(hint: Any) -> bool:
    return typing.get_origin(hint) in {*_GATHERED, Mapping}


def settled(value: Any, hint: Any, place: str) -> Any:
    """Return a value in the form that a type declares, which is, or allows, a tuple, a frozen set or a mapping.

    Args:
        value: What was given.
        hint: The type.
        place: Names the value in the error.

    Raises:
        TypeError: When the value has another form, or holds what it can't hold.

    """
    members = _members(hint)
    if any(_fits(value, member) for member in members if not _is_container(member)):
        return value
    container = next(member for member in members if _is_container(member))
    form, parts = typing.get_origin(container), typing.get_args(container)
    if form is Mapping and isinstance(value, Mapping):
        return _mapping(value, parts[0], parts[1], place)
    if form is not Mapping and isinstance(value, Iterable) and not isinstance(value, str | bytes | Mapping):
        return form(_elements(value, parts[0], place))
    alone = f", such as `({_named(value)},)`" if form is tuple and _fits(value, parts[0]) else ""
    msg = f"{place} is {_named(value)}: write {_words(hint)}{alone}."
    raise TypeError(msg)


def _elements(value: Iterable[Any], element: Any, place: str) -> Iterator[Any]:
    for item in value:
        if not _fits(item, element):
            msg = f"{place} holds {_named(item)}: it can hold {_words(element)} only."
            raise TypeError(msg)
        yield item


def _mapping(value: Mapping[Any, Any], key: Any, element: Any, place: str) -> Mapping[Any, Any]:
    for name, item in value.items():
        nested = _is_container(element)
        if not _fits(name, key) or not (nested or _fits(item, element)):
            msg = f"{place} holds {_named(name)}: {_named(item)}, but maps {_words(key)} to {_words(element)}."
            raise TypeError(msg)
    if not _is_container(element):
        return value
    return {name: settled(item, element, f"{place}[{name!r}]") for name, item in value.items()}


def _fits(value: Any, hint: Any) -> bool:
    """Tell whether a value is of a type, as far as that can be seen from outside."""
    form = typing.get_origin(hint) or hint
    if form is Any:
        return True
    if form in _UNIONS:
        return any(_fits(value, member) for member in typing.get_args(hint))
    if form is type:
        return isinstance(value, type) and issubclass(value, typing.get_args(hint)[0])
    if form is float:
        return isinstance(value, int | float)
    # Words stand for the members of an enumeration; the class that has the field says which there are.
    return isinstance(value, str if issubclass(form, StrEnum) else form)


def _words(hint: Any) -> str:
    """Say what a type allows."""
    form, parts = typing.get_origin(hint) or hint, typing.get_args(hint)
    if form in _UNIONS:
        return " or ".join(map(_words, parts))
    if form is type:
        return f"subclasses of `{parts[0].__name__}`"
    if form in _GATHERED:
        return "a tuple or a list" + ("" if parts[0] is Any else f" of {_words(parts[0])}")
    if form is Mapping:
        return f"a mapping of {_words(parts[0])} to {_words(parts[1])}"
    return _WORDS.get(form) or f"`{form.__name__}`"


def _named(value: Any) -> str:
    """Write a value as a host would, as far as it is short."""
    return getattr(value, "__name__", None) or reprlib.repr(value)

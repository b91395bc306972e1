"""See that each option of a graph is of a kind that it can be, when the graph is built and not in its first run."""

from __future__ import annotations

import dataclasses
import reprlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import wraps
from types import NoneType, UnionType
from typing import Any, Final, Literal, ParamSpec, TypeVar, Union, get_args, get_origin, get_type_hints

from langchain_core.language_models import BaseChatModel

from reinforced_agent.models.binding import parts
from reinforced_agent.policies.redaction import masked


P = ParamSpec("P")
T = TypeVar("T")

_PLAIN: Final = (str, bytes, int, float, list, tuple, dict, set)
"""Kinds of values that are shown where they don't fit; of everything else, the name of its kind is told."""


def with_checked_options(build: Callable[P, T]) -> Callable[P, T]:
    """Have a function refuse options that are of another kind than their annotations name.

    Raises:
        TypeError: From the function that is returned: naming the option, what was given and what it may be.

    """
    hints = get_type_hints(build)

    @wraps(build)
    def checked(*args: P.args, **options: P.kwargs) -> T:
        for name, value in options.items():
            if name in hints:
                _require(name, value, hints[name])
        return build(*args, **options)

    return checked


def _require(name: str, value: Any, hint: Any) -> None:
    if _fits(value, hint):
        return
    allowed = _listed(list(dict.fromkeys(_words(hint))))
    msg = f"The option `{name}` can't be {_given(value)}: give {allowed}{_instead(name, value, hint)}."
    raise TypeError(msg)


def _fits(value: Any, hint: Any) -> bool:
    """Tell whether a value is of the kind that an annotation names."""
    origin = get_origin(hint)
    if origin in {Union, UnionType}:
        return any(_fits(value, one) for one in get_args(hint))
    if origin is Literal:
        return isinstance(value, str)  # which words there are is told where they are read
    if origin is Callable:
        return callable(value)
    if _is_list(origin):
        listed = isinstance(value, origin) and not isinstance(value, str | bytes | Mapping)
        # What may be gone through only once is left to whoever needs it.
        return listed and (origin is not Sequence or all(_fits(one, get_args(hint)[0]) for one in value))
    if hint is BaseChatModel:
        return isinstance(parts(value)[0], BaseChatModel)
    return hint is Any or isinstance(value, origin or hint)


def _is_list(origin: Any) -> bool:
    return isinstance(origin, type) and issubclass(origin, Iterable)


def _words(hint: Any) -> list[str]:
    """Say what a value may be."""
    origin = get_origin(hint)
    if origin in {Union, UnionType}:
        return [word for one in get_args(hint) for word in _words(one)]
    if origin is Literal:
        return [repr(word) for word in get_args(hint)]
    if _is_list(origin):
        return ["a list of callables" if get_origin(get_args(hint)[0]) is Callable else "a list"]
    return {str: ["a text"], bool: ["True", "False"], NoneType: ["None"]}.get(hint, [f"`{_name(origin or hint)}`"])


def _listed(words: list[str]) -> str:
    return " or ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)


def _given(value: object) -> str:
    """Name the kind of a value, and the value where it is a plain one."""
    kind = _name(type(value))
    if value is None:
        return "None"
    return f"{reprlib.repr(masked(value))} (`{kind}`)" if isinstance(value, _PLAIN) else f"a `{kind}`"


def _name(kind: Any) -> str:
    return str(getattr(kind, "__name__", kind))


def _instead(name: str, value: object, hint: Any) -> str:
    """Write what was probably meant; empty where that isn't known."""
    if isinstance(value, Mapping) and (kind := next(filter(dataclasses.is_dataclass, get_args(hint)), None)):
        known = {one.name for one in dataclasses.fields(kind)}
        written = ", ".join(f"{key}={reprlib.repr(masked(one))}" for key, one in value.items() if key in known)
        return f", such as {name}={_name(kind)}({written})"
    if not _words(hint)[-1].startswith("a list"):
        return ""
    if isinstance(value, Mapping):
        return ": what `.values()` of it gives"
    return f", such as {name}=[it]" if callable(value) else ""

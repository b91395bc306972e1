"""Hand the idempotency key of a call to the tool, past the model: it is no argument."""

from __future__ import annotations

import functools
import inspect
import types
import typing
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Annotated, Any, TypeAlias


class KeyMarker:
    """Marks the annotation of a parameter that takes the key."""

    __slots__ = ()


IdempotencyKey: TypeAlias = Annotated[str, KeyMarker()]
"""Type of a parameter that gets the idempotency key of the call: `def pay(amount: int, key: IdempotencyKey) -> str`.

To everything else it is a `str`. The model neither sees nor sends the parameter.
"""

_key: ContextVar[str] = ContextVar("reinforced_agent_idempotency_key", default="")


def idempotency_key() -> str:
    """Return the key of the call that runs, the same one whenever this call is run again; for code inside a tool.

    Raises:
        LookupError: Outside a call, or in a call that was started without a key.

    """
    key = _key.get()
    if not key:
        msg = "There is no idempotency key here: ask for it inside a tool that an agent runs, or use `keyed(...)`."
        raise LookupError(msg)
    return key


def set_key(key: str) -> None:
    """Set the key for the rest of the present context, which must belong to the call alone; empty for none."""
    _key.set(key)


@contextmanager
def keyed(key: str) -> Iterator[None]:
    """Run a block as part of the call with this key; the empty key is none, also inside a call that has one.

    Lets a test call a tool as the agent does.
    """
    token = _key.set(key)
    try:
        yield
    finally:
        _key.reset(token)


def key_parameters(hints: Mapping[str, Any]) -> frozenset[str]:
    """Name the parameters that take the key; expects type hints with their extras."""
    return frozenset(name for name, hint in hints.items() if name != "return" and takes_key(hint))


def takes_key(annotation: Any) -> bool:
    """Tell whether a value of this type is the key, or optionally the key."""
    if typing.get_origin(annotation) is Annotated:
        return any(isinstance(extra, KeyMarker) for extra in annotation.__metadata__)
    if typing.get_origin(annotation) in {typing.Union, types.UnionType}:
        members = [member for member in typing.get_args(annotation) if member is not types.NoneType]
        return bool(members) and all(takes_key(member) for member in members)
    return False


def mentions_key(annotation: Any) -> bool:
    """Tell whether the key stands anywhere in a type."""
    return takes_key(annotation) or any(mentions_key(part) for part in typing.get_args(annotation))


def supply_key(function: Callable[..., Any], names: frozenset[str]) -> Callable[..., Any]:
    """Return the function with these parameters filled in at every call; sync stays sync, async stays async."""
    if not names:
        return function
    defaults = {
        name: parameter.default
        for name, parameter in inspect.signature(function).parameters.items()
        if name in names and parameter.default is not parameter.empty
    }

    def call(*args: Any, **kwargs: Any) -> Any:
        return function(*args, **kwargs, **_keys(names, defaults))

    async def acall(*args: Any, **kwargs: Any) -> Any:
        return await call(*args, **kwargs)

    return functools.wraps(function)(acall if inspect.iscoroutinefunction(inspect.unwrap(function)) else call)


def _keys(names: frozenset[str], defaults: Mapping[str, Any]) -> dict[str, Any]:
    """Return what each parameter gets; a default stands in only where no call has a key."""
    key = _key.get()
    return {name: defaults[name] if not key and name in defaults else key or idempotency_key() for name in names}

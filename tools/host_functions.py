"""Call what a host declares beside its tools with arguments of its own, so that nothing it does to them lasts."""

from __future__ import annotations

import copy
import inspect
import re
from collections.abc import Callable, Mapping
from typing import Any, Final

from reinforced_agent.tools.call import JSON


_ADDRESS: Final = re.compile(r" at 0x[0-9a-fA-F]+")
"""What only an object without a text of its own says about itself."""


def takes_two(function: Callable[..., Any]) -> bool:
    """Return whether a function of the host can be called with two arguments."""
    try:
        inspect.signature(function).bind(None, None)
    except (TypeError, ValueError):
        return False
    return True


def made_of(function: Callable[[Mapping[str, JSON]], Any], arguments: Mapping[str, JSON]) -> Any:
    """Return what a function of the host makes of the arguments of a call; the call keeps them as they were checked."""
    return function(copy.deepcopy(dict(arguments)))


def key_made_of(function: Callable[..., Any], arguments: Mapping[str, JSON], *others: object) -> str | None:
    """Return the key that a function of the host gives a call; `None` where it gives none, or breaks."""
    try:
        made = function(copy.deepcopy(dict(arguments)), *others)
        key = None if made is None else str(made)
    except Exception:  # noqa: BLE001  # the function is the host's code
        return None
    # The place of an object in memory names nothing: it is another one for the same call.
    return None if key is None or (not isinstance(made, str) and _ADDRESS.search(key)) else key


def require_plain(function: object, name: str) -> None:
    """Refuse what can't be called, or would have to be awaited.

    Raises:
        TypeError: When it is neither a function nor anything else that can be called and returns at once.

    """
    if not callable(function):
        msg = f"{name} is {function!r}: write a function of the arguments."
        raise TypeError(msg)
    if inspect.iscoroutinefunction(function):
        msg = f"{name} is the async function {function!r}, which nobody awaits: write a plain one."
        raise TypeError(msg)

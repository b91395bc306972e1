"""What a tool declares about its breaker: how many failures open it, for how long, and what counts as one."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias, get_args

from reinforced_agent.tools.call import JSON
from reinforced_agent.tools.containers import typed_containers
from reinforced_agent.tools.host_functions import require_plain
from reinforced_agent.tools.people import Person


KeyName: TypeAlias = Literal["auto", "tool", "host", "tenant"]
"""What calls of a tool may depend on, by name."""
KeyFunction: TypeAlias = Callable[[Mapping[str, JSON]], str | None] | Callable[[Mapping[str, JSON], Person], str | None]
"""Names what a call depends on, of its arguments, or of these and the person who asked."""


@dataclass(frozen=True, slots=True, kw_only=True)
@typed_containers
class Breaker:
    """When a tool that keeps failing is left alone for a while.

    Time-outs, lost connections, busy and broken servers count, once a call however often it was tried; mistakes in the
    arguments, refusals and cancelled calls don't.
    """

    failures: int | None = 5
    """Failures within the window that open it; `None` = it never opens."""
    window: float = 60.0
    """Seconds that a call counts."""
    share: float = 0.5
    """Part of the calls in the window that must have failed, from 0 to 1, unless the newest `failures` all did: a busy
    tool that fails now and then stays in use."""
    cooldown: float = 30.0
    """Seconds it stays open; then a single call goes out as a probe, and decides. A server that asks to be left alone
    for longer (`Retry-After`) is, up to an hour."""
    key: KeyFunction | KeyName | None = "auto"
    """What a call depends on: each key has a breaker of its own, and an open one stops only the calls with that key.

    `host`: the hosts of the URLs among its arguments. `tenant`: the tenant of the person who asked. `tool` or `None`:
    the tool alone. `auto`: `host` for a tool with a parameter for a URL, a host or a domain, else `tool`. A function
    makes the key of the arguments, or of the arguments and the `Requester`; `None` from it, or an exception, leaves the
    call without a breaker."""
    slow: float | None = None
    """Seconds from which a call that works counts as a failure; `None` = off."""
    bad_results: bool = False
    """Whether a result counts as a failure that was judged unusable, or that is nothing but an error."""
    errors: tuple[type[BaseException], ...] = ()
    """Exceptions that count beside those that may pass by themselves; `(Exception,)` for everything the tool raises."""

    def __post_init__(self) -> None:
        """Refuse what could never work.

        Raises:
            ValueError: On a bound that is out of range.
            TypeError: When `key` is no known name and can't be called, or is async.

        """
        for name in ("failures", "window", "cooldown", "slow"):
            value = getattr(self, name)
            # Written so that what is no number at all is refused as well.
            if value is not None and not value > 0:
                msg = f"Breaker.{name} is {value!r}, but must be above zero; `failures=None` switches a breaker off."
                raise ValueError(msg)
        if not 0 <= self.share <= 1:
            msg = f"Breaker.share is {self.share!r}, but must lie between 0 and 1, such as 0.5 for half of the calls."
            raise ValueError(msg)
        if isinstance(self.key, str):
            if self.key not in get_args(KeyName):
                msg = f"Breaker.key is {self.key!r}, but must be one of {', '.join(get_args(KeyName))}, or a function."
                raise TypeError(msg)
        elif self.key is not None:
            require_plain(self.key, "Breaker.key")

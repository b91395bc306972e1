"""What a server has made of masks so far: what it refused is not sent again, and each thing is said once."""

from __future__ import annotations

import hashlib
import json
import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final


_logger = logging.getLogger(__name__)
_REFUSED: Final = frozenset({400, 404, 415, 422, 500, 501})
"""Answers by which servers refuse what they don't know or can't compile; some call the latter an error of their own."""
_MOST_SHOWN: Final = 300
"""Characters of a server's reason in the log."""


def may_refuse(error: Exception) -> bool:
    """Tell whether an error may be about the mask; it was if the same request goes through without."""
    return getattr(error, "status_code", None) in _REFUSED


@dataclass(slots=True)
class Memory:
    """What one server refused."""

    everything: bool = False
    """Whether it takes no masks at all."""
    toolsets: set[str] = field(default_factory=set)
    """Fingerprints of the offered tools for which it refused them."""
    tools: set[str] = field(default_factory=set)
    """Tools whose strict parameters it refused."""
    accepted: bool = False
    """Whether it ever took one."""
    told: set[str] = field(default_factory=set)
    """What was logged."""

    def declines(self, tools: Sequence[Mapping[str, Any]]) -> bool:
        """Tell whether nothing is to be masked with these tools."""
        return self.everything or (bool(self.toolsets) and fingerprint(tools) in self.toolsets)

    def learn(self, tools: Sequence[Mapping[str, Any]], strict: Mapping[str, Any], error: Exception, way: str) -> None:
        """Note a refusal, after the same request went through without a mask.

        A tool that the reason names goes without `strict`. Else a server that never took a mask is taken to know none,
        and another one to be unable to compile that of these tools.
        """
        if self.declines(tools):
            return  # several requests were under way at once
        named = {name for name in strict if f"'{name}'" in str(error) or f'"{name}"' in str(error)}
        if named:
            self.tools |= named
            what = f"the strict parameters of {', '.join(sorted(named))}: from now on they go without"
        elif self.accepted:
            self.toolsets.add(fingerprint(tools))
            what = f"the mask of these tools ({way}): with them it is asked without"
        else:
            self.everything = True
            what = f"to mask replies ({way}): from now on it is asked without"
        _logger.warning("The server refuses %s. Its reason: %s", what, str(error)[:_MOST_SHOWN])

    def took(self, way: str, *, heeded: bool) -> None:
        """Note that a server took a mask, and whether the reply keeps to it."""
        self.accepted = True
        if not heeded and way not in self.told:
            self.told.add(way)
            _logger.warning(
                "The server took a mask (%s), but its reply does not keep to it: it may not know this way. Replies are "
                "read and checked as ever.",
                way,
            )


def fingerprint(tools: Sequence[Mapping[str, Any]]) -> str:
    """Tell sets of tools apart."""
    return hashlib.sha256(json.dumps(list(tools), sort_keys=True, default=str).encode()).hexdigest()

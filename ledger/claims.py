"""What may be asked of the book of effects, and what it answers."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

from reinforced_agent.ledger.approvals import Binding, Unusable
from reinforced_agent.ledger.namespaces import within
from reinforced_agent.ledger.pauses import Paused
from reinforced_agent.tools.call import canonical_json


Settlement: TypeAlias = Literal["committed", "failed", "unknown"]
"""How a dispatched call ended: it took effect; it certainly didn't; nobody can tell."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Effect:
    """A call that is about to be dispatched."""

    binding: Binding
    occurrence: int = 0
    """How many equal calls of the same turn were dispatched before, where repeating them is meant."""
    repeatable: bool = False
    """Whether dispatching it twice does no more than once: reads and idempotent writes."""

    held: bool = False
    """Whether a person has to have approved it; without a permit it is not granted then."""
    namespace: str = ""
    """That of the ledger."""
    requester: str = ""
    """What stands for whoever asked. It is part of the key where no thread is named: turns of several people may have
    the same id."""

    @property
    def key(self) -> str:
        """The idempotency key: 64 hex digits, the same for every attempt at the same effect."""
        parts = [self.binding.thread, self.binding.turn, self.binding.tool, self.binding.digest, self.occurrence]
        if self.requester and not self.binding.thread:
            parts.append(self.requester)
        written = canonical_json(parts).encode("utf-8", "surrogatepass")  # type: ignore[arg-type]
        return within(self.namespace, hashlib.sha256(written).hexdigest())


@dataclass(frozen=True, slots=True)
class Permit:
    """A person's approval of a call."""

    token: str
    by: Mapping[str, Any]
    """Who decided, as plain data."""


@dataclass(frozen=True, slots=True)
class Granted:
    """The call may be dispatched, by this claim alone."""

    attempt: int
    """Counted from 1; again from 1 where an effect that was claimed before has been pruned."""
    fence: str = field(default="", compare=False, repr=False)
    """Fencing token: no other claim has the same, so that an outcome that comes late never meets a later claim."""


@dataclass(frozen=True, slots=True)
class Known:
    """The effect was dispatched before; this is what is known about it."""

    status: Settlement
    outcome: Mapping[str, Any]
    """What was put down with the outcome; empty when nobody was left to do so."""
    attempt: int
    fence: str = field(default="", compare=False, repr=False)
    """Fencing token of that attempt."""


@dataclass(frozen=True, slots=True)
class Running:
    """The effect is being dispatched elsewhere, by somebody who is alive."""

    since: float
    """Seconds since 1970."""


@dataclass(frozen=True, slots=True)
class Denied:
    """The approval is not good for this effect; nothing was dispatched."""

    reason: Unusable


Claim: TypeAlias = Granted | Known | Running | Denied | Paused

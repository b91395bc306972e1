"""One breaker as a process keeps it: what it is of, where it stands, what it did, and its lines in the log."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from typing import assert_never

from reinforced_agent.graph.records.logs import masking_logger
from reinforced_agent.policies.breaker import BreakerState, Closed, Open, Probing
from reinforced_agent.policies.redaction import masked
from reinforced_agent.tools.breaker import Breaker
from reinforced_agent.tools.host_functions import key_made_of
from reinforced_agent.tools.spec import Arguments


_logger = masking_logger("reinforced_agent.breakers")
_LONGEST_KEY = 150
"""Characters of a key that stand in a name."""


@dataclass(slots=True)
class Kept:
    """One breaker, and what it did so far."""

    tool: str
    key: str | None
    rule: Breaker
    state: BreakerState = field(default_factory=Closed)
    opened: int = 0
    stopped: int = 0
    probes: int = 0

    @property
    def name(self) -> str:
        """Name it, as in a snapshot."""
        return self.tool if self.key is None else f"{self.tool}:{self.key}"


def key_of(rule: Breaker, arguments: Arguments) -> str | None:
    """Ask the host what a call depends on; a long key is shortened, and stays one of its own."""
    key = None if rule.key is None else key_made_of(rule.key, arguments)
    if key is None or len(key) <= _LONGEST_KEY:
        return key
    return f"{key[:_LONGEST_KEY]}…{hashlib.sha256(key.encode('utf-8', 'surrogatepass')).hexdigest()[:16]}"


def log_change(kept: Kept, before: BreakerState, after: BreakerState) -> None:
    """Write a line on each change of kind."""
    if type(before) is type(after):
        return
    name = masked(kept.name)
    match after:
        case Open(since=since, until=until) if until > since:
            _logger.warning("The breaker of %s opened: it is left alone for %g seconds.", name, until - since)
        case Open():
            _logger.info("The probe of %s told nothing; the next call is one.", name)
        case Probing():
            _logger.info("The breaker of %s lets one call out as a probe.", name)
        case Closed():
            _logger.warning("The breaker of %s closed: it may be called again.", name)
        case _:
            assert_never(after)

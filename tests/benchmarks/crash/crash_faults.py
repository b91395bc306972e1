"""Books of effects that do their work badly, to see that the crash test notices."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from benchmarks.crash.borders import WatchedEffects
from reinforced_agent.ledger.effects import Claim, Effect, Granted, Permit, Settlement


class Forgetful(WatchedEffects):
    """Grants every claim, as if it had never heard of the effect."""

    def claim(self, effect: Effect, permit: Permit | None = None) -> Claim:
        """Claim, and forget what was there before."""
        claim = super().claim(effect, permit)
        return claim if isinstance(claim, Granted) else Granted(1)


class Boastful(WatchedEffects):
    """Writes every outcome down as soon as the claim is granted, before anything was done."""

    def claim(self, effect: Effect, permit: Permit | None = None) -> Claim:
        """Claim, and settle."""
        claim = super().claim(effect, permit)
        if isinstance(claim, Granted):
            super().settle(effect.key, claim.fence, "committed", {"status": "done", "result": "paid"})
        return claim

    def settle(self, key: str, fence: str, status: Settlement, outcome: Mapping[str, Any]) -> bool:
        """Say that it is settled."""
        del key, fence, status, outcome
        return True

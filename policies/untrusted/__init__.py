"""Untrusted content: cleaned of what is hidden in it, and looked at for text that reads like orders to the model."""

from __future__ import annotations

from reinforced_agent.policies.untrusted.clean import clean, reveal_all
from reinforced_agent.policies.untrusted.patterns import Screening, screen


__all__ = ["Screening", "clean", "reveal_all", "screen"]

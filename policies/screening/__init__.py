"""Text of strangers: cleaned, screened for orders to the model, and kept apart from what the user wants."""

from __future__ import annotations

from reinforced_agent.policies.screening.cleaning import Cleaned, clean, reveal_all
from reinforced_agent.policies.screening.orders import Finding, screen
from reinforced_agent.policies.screening.patterns import Pattern
from reinforced_agent.policies.screening.policy import STANDARD_PATTERNS, Screening


__all__ = ["STANDARD_PATTERNS", "Cleaned", "Finding", "Pattern", "Screening", "clean", "reveal_all", "screen"]

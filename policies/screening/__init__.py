"""Untrusted content: cleaned of what is hidden in it, and looked at for text that reads like orders to the model."""

from __future__ import annotations

from reinforced_agent.policies.screening.cleaning import Cleaned, clean, reveal_all
from reinforced_agent.policies.screening.orders import Classifier, Finding, Screening, screen


__all__ = ["Classifier", "Cleaned", "Finding", "Screening", "clean", "reveal_all", "screen"]

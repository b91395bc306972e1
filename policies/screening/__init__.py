"""Untrusted content: cleaned of what is hidden in it, and looked at for text that reads like orders to the model."""

from __future__ import annotations

from reinforced_agent.policies.screening.cleaning import Cleaned, clean, reveal_all
from reinforced_agent.policies.screening.orders import Finding, screen
from reinforced_agent.policies.screening.policy import Classifier, Screening


__all__ = ["Classifier", "Cleaned", "Finding", "Screening", "clean", "reveal_all", "screen"]

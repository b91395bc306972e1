"""Judge what a tool returned before the model sees it."""

from __future__ import annotations

from reinforced_agent.policies.results.judge import Expected, is_unfinished, judge_result
from reinforced_agent.policies.results.verdicts import Bad, Doubt, Fine, Sanity, Suspicious


__all__ = ["Bad", "Doubt", "Expected", "Fine", "Sanity", "Suspicious", "is_unfinished", "judge_result"]

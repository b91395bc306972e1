"""How one graph has replies masked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from reinforced_agent.policies.guiding import (
    Mask,
)
from reinforced_agent.policies.guiding.strategy import Way


@dataclass(frozen=True, slots=True)
class Guide:
    """How one graph has replies masked."""

    way: Way
    masks: Mapping[str, Mask]
    """By tool, what its arguments may be."""

"""What provenance alone reaches, without the look for orders: attacks held against benign runs disturbed, by rule."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, Final

from reinforced_agent.policies.origins import EVERY_VALUE, TaintRule


RULES: Final[Mapping[str, TaintRule]] = MappingProxyType(
    {
        "any value": EVERY_VALUE,
        "any value, unless the user pointed to its source": TaintRule(fields="all"),
        "destinations": TaintRule(unless_pointed_to=False),
        "destinations, unless the user pointed to their source": TaintRule(),
    }
)
"""From the strictest to the mildest; the last is the default."""


def curve(measure: Callable[[TaintRule], Mapping[str, Mapping[str, int]]]) -> list[dict[str, Any]]:
    """Measure every rule; `measure` replays the runs with a rule and the look for orders switched off."""
    return [{"rule": name, **measure(rule)} for name, rule in RULES.items()]

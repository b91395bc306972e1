"""What provenance alone reaches, without the look for orders: attacks held against benign runs disturbed, by rule."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import product
from types import MappingProxyType
from typing import Any, Final, Literal

from reinforced_agent.policies.origins import TaintRule
from reinforced_agent.policies.provenance import SHORTEST_TEXT


_FIELDS: Final[Mapping[str, Literal["all", "destinations"]]] = {"any value": "all", "destinations": "destinations"}
_LENGTHS: Final = (SHORTEST_TEXT, 10)
"""Characters of the shortest value that counts."""


def _rules() -> Iterator[tuple[str, TaintRule]]:
    """Name and build every rule, from the strictest to the mildest."""
    for (name, fields), pointed, shortest in product(_FIELDS.items(), (False, True), _LENGTHS):
        long = f" of {shortest} characters and more" if shortest > SHORTEST_TEXT else ""
        unless = ", unless the user pointed to the source" if pointed else ""
        yield name + long + unless, TaintRule(fields=fields, unless_pointed_to=pointed, shortest=shortest)
    yield "destinations, unless the user pointed to the source; reads never", TaintRule(leaks=False)


RULES: Final[Mapping[str, TaintRule]] = MappingProxyType(dict(_rules()))
"""By name; the default rule is among them."""
DEFAULT: Final = next(name for name, rule in RULES.items() if rule == TaintRule())
"""Name of the rule that is built in."""


def curve(measure: Callable[[TaintRule], Mapping[str, Mapping[str, int]]]) -> list[dict[str, Any]]:
    """Measure every rule; `measure` replays the runs with a rule and the look for orders switched off."""
    return [{"rule": name, **measure(rule)} for name, rule in RULES.items()]

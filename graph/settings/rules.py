"""Take in the rules a host gives: callables, rule sets, or the path of a rules file."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import TypeAlias

from reinforced_agent.policies.rules.gathering import HouseRules, gather
from reinforced_agent.policies.rules.reader import load_rules
from reinforced_agent.policies.rules.sets import RuleSet
from reinforced_agent.policies.situation import Layer
from reinforced_agent.tools.toolset import Toolset


Policies: TypeAlias = str | os.PathLike[str] | RuleSet | Iterable[Layer | RuleSet | os.PathLike[str]]
"""What `build_agent` takes as `policies`."""


def house_rules(policies: Policies, toolset: Toolset) -> HouseRules:
    """Read and check the rules.

    Raises:
        RuleError: When a rule, or a file of rules, is wrong or doesn't fit the tools; the message names every mistake.
        ToolSchemaError: When a rule names a field of a tool whose schema can't be used.

    """
    specs = tuple(toolset.values())
    given = (policies,) if isinstance(policies, str | os.PathLike | RuleSet) else tuple(policies)
    return gather(
        [load_rules(Path(item), specs) if isinstance(item, str | os.PathLike) else item for item in given], specs
    )

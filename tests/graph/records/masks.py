"""Compare what is masked without regard to the value that was hidden."""

from __future__ import annotations

import re
from typing import Any

from reinforced_agent.policies.redaction import MASK


_ANY_MASK = re.compile(r"\[hidden:[a-z\-]+:[0-9a-f]{8}\]")


def alike(value: Any) -> Any:
    """Write all masks alike, whatever they stand for."""
    if isinstance(value, dict):
        return {alike(name): alike(one) for name, one in value.items()}
    if isinstance(value, list | tuple):
        return type(value)(map(alike, value))
    return _ANY_MASK.sub(MASK, value) if isinstance(value, str) else value

"""The people whom the code of a tool can ask about: who wants what it does, and who approved it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from reinforced_agent.tools.containers import typed_containers


@dataclass(frozen=True, slots=True)
@typed_containers
class Person:
    """A person as the host's context named them."""

    user_id: str = ""
    """Empty where it isn't known."""
    tenant: str = ""
    """The customer the person belongs to; empty where it isn't known."""
    roles: tuple[str, ...] = ()
    locale: str = ""
    """Language such as `en` or `zh-CN`; empty for a person who approved."""
    facts: Mapping[str, Any] = field(default_factory=dict, hash=False)
    """Session facts that the host vouched for, a copy for this call; empty for a person who approved."""


Requester: TypeAlias = Person
"""Type of a parameter that gets the person who asked: `def orders(page: int, who: Requester) -> list[str]`.

The model neither sees nor sends the parameter. It is the same person whoever approves the call or goes on with the run.
"""

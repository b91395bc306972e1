"""What the graph tells the model beside the chat, anew before every proposal."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, TypeAlias

from reinforced_agent.graph.asking import tell_open_question
from reinforced_agent.graph.bindings import Bindings
from reinforced_agent.graph.breaking import tell_breakers
from reinforced_agent.graph.budgets import time_is_short
from reinforced_agent.graph.plan_progress import plan_notice
from reinforced_agent.graph.state import State
from reinforced_agent.graph.strangers import tell_fence
from reinforced_agent.graph.told_facts import tell_facts


Notice: TypeAlias = Callable[[State, Bindings], str]
"""Writes one paragraph in the language of the turn; empty where there is nothing to tell."""

NOTICES: Final[tuple[Notice, ...]] = (
    tell_facts,
    tell_open_question,
    plan_notice,
    time_is_short,
    tell_breakers,
    tell_fence,
)
"""In the order in which they are told."""


def notices_for(state: State, bound: Bindings) -> list[str]:
    """Write what the model has to know now."""
    return [text for notice in NOTICES if (text := notice(state, bound))]

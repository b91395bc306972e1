"""What the graph tells the model beside the chat, anew before every proposal."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, TypeAlias

from reinforced_agent.graph.budget.budget import time_is_short
from reinforced_agent.graph.clarification import tell_open_question
from reinforced_agent.graph.deps import Bindings
from reinforced_agent.graph.execution.breakers import tell_breakers
from reinforced_agent.graph.planning.progress import plan_notice
from reinforced_agent.graph.prompt.session_facts import tell_facts
from reinforced_agent.graph.prompt.untrusted import tell_fence
from reinforced_agent.graph.state import State


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

"""Let a second model look at the calls that could do harm; it may only ask for a second thought."""

from __future__ import annotations

import asyncio

from langchain_core.runnables import RunnableConfig
from langgraph.errors import GraphBubbleUp

from reinforced_agent.graph.checks.reviewer import TAG, Request, request_about, take_in, unheard
from reinforced_agent.graph.deps import Bindings
from reinforced_agent.graph.queries.effects import Place, thread_of
from reinforced_agent.graph.state import State, Update
from reinforced_agent.models.streaming import nostream
from reinforced_agent.models.waiting import aask_within, ask_within


def review(state: State, config: RunnableConfig, *, bound: Bindings) -> Update:
    """Ask the reviewing model once about the newest proposal, if it has to be asked.

    Raises:
        LedgerError: When the ledger can't be asked what has happened already.

    """
    request = request_about(Place(state, thread_of(config), bound))
    if not isinstance(request, Request):
        return request
    started = bound.stopwatch()
    try:
        message = ask_within(request.seconds, request.reviewing.speaker, request.messages, _named(config))
    except GraphBubbleUp:
        raise
    except Exception as error:  # noqa: BLE001  # a reviewer that breaks is one without an opinion
        return unheard(request, error, bound.stopwatch() - started)
    return take_in(request, message, bound.stopwatch() - started)


async def areview(state: State, config: RunnableConfig, *, bound: Bindings) -> Update:
    """Ask the reviewing model once, in an event loop.

    Raises:
        LedgerError: When the ledger can't be asked what has happened already.

    """
    request = await asyncio.to_thread(request_about, Place(state, thread_of(config), bound))
    if not isinstance(request, Request):
        return request
    started = bound.stopwatch()
    try:
        message = await aask_within(request.seconds, request.reviewing.speaker, request.messages, _named(config))
    except GraphBubbleUp:
        raise
    except Exception as error:  # noqa: BLE001  # a reviewer that breaks is one without an opinion
        return unheard(request, error, bound.stopwatch() - started)
    return take_in(request, message, bound.stopwatch() - started)


def _named(config: RunnableConfig) -> RunnableConfig:
    """Name its request, and keep its tokens from those who listen to the assistant's."""
    return {**nostream(config, TAG), "run_name": "reviewer"}

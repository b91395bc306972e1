"""How much the model is shown: by which tokens, where whole results are kept, and how much of the chat fits."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any

from langchain_core.language_models import BaseChatModel

from reinforced_agent.graph.settings.context import ContextPolicy
from reinforced_agent.ledger import Ledger
from reinforced_agent.ledger.result_store import ResultStore
from reinforced_agent.models.counting import counter_of
from reinforced_agent.policies.text.tokens import Count, approximate
from reinforced_agent.tools.toolset import Toolset, offer


READER = "read_result"
"""Name of the built-in tool, unless the host gives it another."""

_SHARE = 4
"""The part of a small window that one result may take."""


@dataclass(slots=True)
class LearntWindow:
    """What a model turned out to take in, in tokens as they are counted here; `None` until it refused something.

    It is kept for the life of the agent, and only ever gets smaller.
    """

    messages: int | None = None
    """Most tokens of the messages that it is shown."""
    window: int | None = None
    """Tokens that it takes in altogether."""

    def narrow(self, messages: int, window: int) -> None:
        """Take in a refusal."""
        self.messages = messages if self.messages is None else min(self.messages, messages)
        self.window = window if self.window is None else min(self.window, window)


@dataclass(frozen=True, kw_only=True)
class ResultPolicy:
    """What happens to results that are longer than `Limits.result_tokens`."""

    reader: str | None = READER
    """Name of the tool by which the model reads on; it is offered once a result was shortened. `None` = no such tool,
    and then nothing is kept."""
    store: ResultStore | None = None
    """Where whole results are kept; `None` takes the ledger's database, or memory where the ledger is in memory."""
    summarizer: BaseChatModel | None = None
    """A model that puts a long result into words; its summary stands before the preview, and counts as no source."""
    summary_tokens: int = 400
    """Most tokens of a summary; a longer one is cut."""

    def __post_init__(self) -> None:
        """Refuse a bound that nothing fits.

        Raises:
            ValueError: When the summary may have no token.

        """
        if self.summary_tokens <= 0:
            msg = f"ResultPolicy.summary_tokens is {self.summary_tokens!r}, but must be above zero."
            raise ValueError(msg)


@dataclass(frozen=True, kw_only=True)
class Summaries:
    """What a long conversation leaves out is put into words, once for many turns."""

    model: BaseChatModel | None = None
    """Who does it; `None` takes the model of the agent."""
    tokens: int = 400
    """Most tokens of a summary; a longer one is cut."""

    def __post_init__(self) -> None:
        """Refuse a bound that nothing fits.

        Raises:
            ValueError: When the summary may have no token.

        """
        if self.tokens <= 0:
            msg = f"Summaries.tokens is {self.tokens!r}, but must be above zero."
            raise ValueError(msg)


@dataclass(frozen=True, kw_only=True)
class Sizes:
    """The parts of a built graph that have to do with size."""

    count: Count = approximate
    """Counts tokens."""
    window: int | None = None
    """Tokens that the model takes in; `None` where it doesn't say."""
    policy: ResultPolicy = field(default_factory=ResultPolicy)
    store: ResultStore | None = None
    """Where whole results are kept; `None` = nowhere."""
    context: ContextPolicy = field(default_factory=ContextPolicy)
    context_tokens: int | None = None
    """Most tokens of the messages that the model is to be shown; `None` = all."""
    learnt: LearntWindow = field(default_factory=LearntWindow)
    """What its refusals taught."""
    tools: int = 0
    """Tokens of the descriptions of all tools."""
    summaries: Summaries | None = None
    """How what is not shown any more is summarised; `None` leaves it out."""

    @property
    def budget(self) -> int | None:
        """Most tokens of the messages that the model is shown, with what its refusals taught; `None` = all."""
        return min((one for one in (self.context_tokens, self.learnt.messages) if one is not None), default=None)

    def result_tokens(self, limit: int | None) -> int | None:
        """Return the budget of one result: the limit, but no more than a part of a small window."""
        windows = [one for one in (self.window, self.learnt.window) if one is not None]
        if not windows or limit is None:
            return limit
        return max(min(limit, *(one // _SHARE for one in windows)), 1)


def sizes_for(
    model: BaseChatModel,
    policy: ResultPolicy,
    context: ContextPolicy,
    toolset: Toolset,
    ledger: Ledger,
    *,
    summaries: Summaries | None = None,
) -> Sizes:
    """Bind what has to do with size to a model and to where results are kept."""
    count, window = counter_of(model, approximate), window_of(model)
    tokens, tools = context.tokens, count(json.dumps(offer(toolset.values()), ensure_ascii=False))
    if tokens is None and window is not None:
        tokens = tokens_within(window, tools)
    return Sizes(
        count=count,
        window=window,
        policy=policy,
        store=None if policy.reader is None else policy.store or ledger.results,
        context=context,
        context_tokens=tokens,
        summaries=summaries,
        tools=tools,
    )


def tokens_within(window: int, tools: int, output: int = 0) -> int:
    """Return how many tokens of messages to send to a model that takes in so many.

    The answer needs room as well, and a provider counts a little differently.

    Args:
        window: What it takes in.
        tools: Tokens of the tools, which are sent with the messages.
        output: Tokens that are kept free for the reply, where that is known.

    """
    room = max(min(window * 4 // 5, window - output), 1)
    return max(room - tools, min(window // _SHARE, room))


def window_of(model: Any) -> int | None:
    """Return how many tokens a model takes in, if its profile says so; a model inside another one is asked, too."""
    profile = getattr(model, "profile", None) or {}
    found = profile.get("max_input_tokens") if isinstance(profile, dict) else None
    if isinstance(found, int) and found > 0:
        return found
    inner = getattr(model, "inner", None)
    return window_of(inner) if inner is not None else None

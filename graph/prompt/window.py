"""Show a model as much of a long conversation as it takes in; the state keeps the rest."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any, Final

from langchain_core.messages import AIMessage, AnyMessage, HumanMessage, RemoveMessage, SystemMessage, ToolMessage

from reinforced_agent.graph.deps import Bindings
from reinforced_agent.graph.prompt.messages import thoughts_of, view
from reinforced_agent.graph.prompt.summary_message import opening_of, rest_of
from reinforced_agent.graph.queries.sources import kept_of
from reinforced_agent.graph.settings.context import results_to_leave_out, turns_to_show
from reinforced_agent.graph.state import State
from reinforced_agent.models.counting import Calibrated
from reinforced_agent.policies.messages.sizes import size_text
from reinforced_agent.policies.text.tokens import LONGEST_TOKEN, Count, head, tail
from reinforced_agent.tools.returned import content_for_model


_FRAME: Final = 6
"""Tokens around a message."""
_UNSEEN: Final = 1_000
"""Tokens of a picture, a sound or a file, roughly."""
_LEAST: Final = 64
"""Tokens that a result keeps when even the newest ones have to be cut."""


def in_context(state: State, notices: Sequence[str], bound: Bindings) -> list[AnyMessage]:
    """Return what the model is shown, within its budget.

    The system prompt, the present turn and the newest failure are always shown.
    """
    budget = bound.sizes.budget
    state, summary, summarised = rest_of(state)
    told = [*notices, summary] if summary else notices
    if budget is None:
        return view(state, bound.prompt, told)
    newest, gone = _newest(state, budget)
    messages = view(newest, bound.prompt, told)
    if not gone and _certainly_fits(messages, budget):
        return messages
    return _Trimmer(state, bound, budget).trim(messages, gone, summarised)


def learn(shown: Sequence[AnyMessage], reported: int, bound: Bindings) -> None:
    """Let the estimate of tokens learn from what the provider counted for a request, where a budget rests on it."""
    sizes = bound.sizes
    if isinstance(sizes.count, Calibrated) and sizes.budget is not None and reported:
        sizes.count.learn(cost_of(shown, sizes.count) + sizes.tools, reported)


def turns_that_fit(state: State, bound: Bindings, budget: int) -> int:
    """Return where the newest turns begin that fit a budget in full, beside the prompt and the present turn."""
    messages, count = state.get("messages", []), bound.sizes.count
    at = _present_in(messages, state["turn"].get("id", ""))
    left = budget - count(bound.prompt) - _FRAME - cost_of(messages[at:], count)
    for turn in reversed(list(_turns(messages[opening_of(messages) : at]))):
        left -= cost_of(turn, count)
        if left < 0:
            break
        at -= len(turn)
    return at


def cost_of(messages: Sequence[AnyMessage], count: Count) -> int:
    """Count the tokens of messages, with what stands around each."""
    return sum(_FRAME + tokens_of(message, count) for message in messages)


def _newest(state: State, budget: int) -> tuple[State, int]:
    """Leave out what is too old to fit in any case, so that a long history costs no more than what is shown of it.

    Returns:
        The state with whole turns left out, and how many messages these had.

    """
    messages = state.get("messages", [])
    at = _present_in(messages, state["turn"].get("id", ""))
    while at > 0 and budget >= 0:
        at -= 1
        budget -= _at_least(messages[at])
    while at > 0 and not isinstance(messages[at], HumanMessage):
        at -= 1
    opening = opening_of(messages)
    if at <= opening:
        return state, 0
    return {**state, "messages": [*messages[:opening], *messages[at:]]}, at - opening


def _at_least(message: AnyMessage) -> int:
    """Return how many tokens a message takes at least, as it is or with its result left out."""
    if isinstance(message, ToolMessage) or not isinstance(message.content, str):
        return _FRAME
    return _FRAME + len(message.content) // LONGEST_TOKEN


def _present_in(messages: Sequence[AnyMessage], turn: str) -> int:
    """Find where the present turn begins."""
    spoken = [at for at in reversed(range(len(messages))) if isinstance(messages[at], HumanMessage)]
    own = (at for at in spoken if messages[at].id == turn)
    return next(own, spoken[0] if spoken else len(messages))


class _Trimmer:
    """Trims one view."""

    def __init__(self, state: State, bound: Bindings, budget: int) -> None:
        """Take the language and the turn from the state."""
        self._count = bound.sizes.count
        self._budget = budget
        self._keep_last = bound.sizes.context.keep_last
        self._reader = bound.sizes.policy.reader
        self._locale = state["turn"].get("locale", "en")
        self._turn = state["turn"].get("id", "")

    def trim(self, messages: Sequence[AnyMessage], gone: int = 0, summarised: int = 0) -> list[AnyMessage]:
        """Leave out old turns, then old results, then parts of the newest ones.

        Args:
            messages: What would be shown.
            gone: How many messages before them were left out already.
            summarised: How many before those are summarised.

        """
        begin = opening_of(messages)
        now = max(_present_in(messages, self._turn), begin)
        system, earlier, present = list(messages[:begin]), list(messages[begin:now]), list(messages[now:])
        notice = self._notice(summarised + gone + len(earlier))
        fixed = self._tokens([*system, notice])
        present = self._fit_present(present, self._budget - fixed)
        left = self._budget - fixed - self._tokens(present)
        turns = list(_turns(earlier))
        costs = ((self._tokens(turn), self._tokens(self._bare(turn))) for turn in reversed(turns))
        shown = turns_to_show(costs, left, self._keep_last)
        kept = turns[len(turns) - len(shown) :]
        told = [
            message
            for turn, whole in zip(kept, reversed(shown), strict=True)
            for message in (turn if whole else self._bare(turn))
        ]
        if gone := gone + len(earlier) - sum(map(len, kept)):
            system = self._told(system, summarised + gone)
        return [*system, *told, *present]

    def _tokens(self, messages: Sequence[AnyMessage]) -> int:
        """Count messages."""
        return cost_of(messages, self._count)

    def _notice(self, count: int) -> SystemMessage:
        """Say that messages were left out."""
        return SystemMessage(size_text("left_out", self._locale, count=count))

    def _told(self, system: list[AnyMessage], gone: int) -> list[AnyMessage]:
        """Put the notice into the first system message: several providers take only one of these."""
        notice = self._notice(gone)
        if not system:
            return [notice]
        first = system[0]
        return [SystemMessage(f"{first.text}\n\n{notice.text}", id=first.id), *system[1:]]

    def _bare(self, messages: Sequence[AnyMessage]) -> list[AnyMessage]:
        """Leave the results out, and say how to read those that are kept."""
        return [self._stub(one) if isinstance(one, ToolMessage) else one for one in messages]

    def _stub(self, message: ToolMessage) -> ToolMessage:
        """Leave a result out, unless it is no longer than what is said in its place."""
        kept = kept_of(message)
        more = size_text("stub_more", self._locale, reader=self._reader, **kept) if kept and self._reader else ""
        words = size_text("stub", self._locale, more=more)
        short = isinstance(message.content, str) and len(words) >= len(message.text)
        return message if short else message.model_copy(update={"content": words})

    def _fit_present(self, messages: list[AnyMessage], left: int) -> list[AnyMessage]:
        """Make the present turn fit: its older results are left out, and the newest are cut at last."""
        over = self._tokens(messages) - left
        if over <= 0:
            return messages
        newest = next((at for at in reversed(range(len(messages))) if isinstance(messages[at], AIMessage)), 0)
        older = [at for at in range(newest) if isinstance(messages[at], ToolMessage)]
        stubs = {at: self._bare([messages[at]])[0] for at in older}
        savings = [self._tokens([messages[at]]) - self._tokens([stubs[at]]) for at in older]
        gone = set(older[: results_to_leave_out(savings, over)])
        fitted = [stubs[at] if at in gone else one for at, one in enumerate(messages)]
        return self._cut_newest(fitted, newest, left)

    def _cut_newest(self, messages: list[AnyMessage], newest: int, left: int) -> list[AnyMessage]:
        """Cut the newest results to equal shares of what is left for them."""
        results = [at for at in range(newest, len(messages)) if isinstance(messages[at], ToolMessage)]
        if not results or self._tokens(messages) <= left:
            return messages
        others = [one for at, one in enumerate(messages) if at not in results]
        share = max((left - self._tokens(others)) // len(results) - _FRAME, _LEAST)
        return [self._cut(one, share) if at in results else one for at, one in enumerate(messages)]

    def _cut(self, message: AnyMessage, share: int) -> AnyMessage:
        """Keep head and tail of a result."""
        if self._count(message.text) <= share:
            return message
        mark = size_text("stub_cut", self._locale)
        room = max(share - self._count(mark), 1)
        start, end = head(message.text, room * 3 // 4, self._count), tail(message.text, room // 4, self._count)
        blocks = [] if isinstance(message.content, str) else [one for one in message.content if isinstance(one, dict)]
        return message.model_copy(update={"content": content_for_model(f"{start}\n{mark}\n{end}", blocks)})


def tokens_of(message: AnyMessage, count: Count) -> int:
    """Count what a provider is sent of a message: its text, its thoughts, its calls, and roughly what is no text."""
    unseen = 0
    if not isinstance(message.content, str):
        parts = [part for part in message.content if isinstance(part, dict)]
        unseen = sum(part.get("type") in _MEDIA for part in parts)
    told = (*_calls(message), *thoughts_of(message))
    return count(message.text) + sum(map(count, told)) + unseen * _UNSEEN


_MEDIA: Final = frozenset({"image", "image_url", "input_image", "audio", "input_audio", "video", "file", "document"})


def _calls(message: AnyMessage) -> list[str]:
    """Write the calls of a message."""
    if not isinstance(message, AIMessage):
        return []
    return [
        f"{call['name']} {json.dumps(call['args'], ensure_ascii=False, default=str)}"
        for call in [*message.tool_calls, *message.invalid_tool_calls]
    ]


def _certainly_fits(messages: Sequence[AnyMessage], budget: int) -> bool:
    """Tell whether nothing has to be counted: no tokenizer makes more tokens than a text has bytes."""
    left = budget
    for message in messages:
        if not isinstance(message.content, str):
            return False
        size = len(message.content) if message.content.isascii() else len(message.content.encode("utf-8", "replace"))
        left -= size + _FRAME + sum(len(call) for call in _calls(message))
        left -= sum(len(thought.encode("utf-8", "replace")) for thought in thoughts_of(message))
        if left < 0:
            return False
    return True


def pruned(told: list[Any], messages: Sequence[AnyMessage], keep: int | None) -> list[Any]:
    """Let go of turns that the state doesn't keep any more; whole turns, so that calls and results stay together.

    Args:
        told: The messages that are going to be written already.
        messages: The history before.
        keep: How many turns are kept; `None` for all.

    """
    if keep is None:
        return told
    after = [one for one in told if not isinstance(one, RemoveMessage)] or messages
    gone = [one for turn in list(_turns(after))[:-keep] for one in turn if not isinstance(one, SystemMessage)]
    if not told:
        return [RemoveMessage(str(one.id)) for one in gone]
    ids = {one.id for one in gone}
    return [one for one in told if one.id not in ids]


def _turns(messages: Sequence[AnyMessage]) -> Iterator[list[AnyMessage]]:
    """Part a history into turns, each from a message of the user to the next one."""
    turn: list[AnyMessage] = []
    for message in messages:
        if isinstance(message, HumanMessage) and turn:
            yield turn
            turn = []
        turn.append(message)
    if turn:
        yield turn

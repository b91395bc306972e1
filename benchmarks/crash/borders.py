"""Watch the borders from outside: a ledger and checkpointers that tell when something was written down."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from importlib import import_module
from typing import Any

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import ChannelVersions, Checkpoint, CheckpointMetadata, CheckpointTuple
from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver

from benchmarks.crash.story import PAYMENTS, reference_of
from reinforced_agent.evaluation.crash.marks import Border, Marks
from reinforced_agent.ledger import Effects, Ledger
from reinforced_agent.ledger.effects import Claim, Effect, Granted, Permit, Settlement
from reinforced_agent.policies.status import UNSETTLED


class WatchedEffects(Effects):
    """A book of effects that tells when a claim is asked for, when it was answered, and when an outcome is settled."""

    def __init__(self, effects: Effects, marks: Marks) -> None:
        """Watch a book that is open."""
        vars(self).update(vars(effects))
        self.marks = marks

    def claim(self, effect: Effect, permit: Permit | None = None) -> Claim:
        """Claim."""
        border = Border.RECALLED if self.find([effect.key]) else Border.ENTERED
        return self._answered(border, effect, lambda: super(WatchedEffects, self).claim(effect, permit))

    def reopen(self, effect: Effect, fence: str) -> Claim:
        """Claim anew."""
        return self._answered(Border.ENTERED, effect, lambda: super(WatchedEffects, self).reopen(effect, fence))

    def settle(self, key: str, fence: str, status: Settlement, outcome: Mapping[str, Any]) -> bool:
        """Settle."""
        settled = super().settle(key, fence, status, outcome)
        self.marks.passed(Border.SETTLED, note=key)
        self.marks.pause()
        return settled

    def _answered(self, border: Border, effect: Effect, ask: Callable[[], Claim]) -> Claim:
        """Ask, and tell before and after."""
        reference = reference_of(effect.binding.call_id)
        self.marks.passed(border, reference, effect.key)
        self.marks.pause()
        claim = ask()
        self.marks.passed(Border.CLAIMED if isinstance(claim, Granted) else Border.ANSWERED, reference)
        self.marks.pause()
        return claim


class WatchedLedger(Ledger):
    """A ledger whose book of effects is watched."""

    def __init__(self, url: str, marks: Marks, effects: str) -> None:
        """Open a ledger.

        Args:
            url: Its address.
            marks: Told what is passed.
            effects: `module:class` of what watches, a `WatchedEffects`.

        """
        super().__init__(url)
        module, _, name = effects.partition(":")
        self._watched = getattr(import_module(module), name)(super().effects, marks)

    @property
    def effects(self) -> Effects:
        """Claims and outcomes, watched."""
        watched: Effects = self._watched
        return watched


class _Watched:
    """What the checkpointers have in common: they tell once of each payment that its outcome was stored."""

    marks: Marks
    lag: float = 0.0
    """Seconds that the storing of a state takes longer, as over a network."""

    def _begin(self, calls: object) -> set[str]:
        """Return the payments whose outcome is about to be stored for the first time."""
        seen: set[str] = vars(self).setdefault("seen", set())
        new = outcomes_in(calls) - seen
        seen |= new
        return new

    def _end(self, new: Iterable[str]) -> None:
        """Tell that they were stored."""
        for reference in new:
            self.marks.passed(Border.STORED, reference)


class Watched(_Watched):
    """A checkpointer that is watched; stands before the class it watches."""

    def put(
        self,
        config: RunnableConfig,
        checkpoint: Checkpoint,
        metadata: CheckpointMetadata,
        new_versions: ChannelVersions,
    ) -> RunnableConfig:
        """Store the state of a thread."""
        new = self._begin(checkpoint["channel_values"].get("calls"))
        time.sleep(self.lag)
        stored: RunnableConfig = super().put(config, checkpoint, metadata, new_versions)  # type: ignore[misc]
        self._end(new)
        return stored

    def put_writes(
        self, config: RunnableConfig, writes: Sequence[tuple[str, Any]], task_id: str, task_path: str = ""
    ) -> None:
        """Store what one node did."""
        new = self._begin(dict(writes).get("calls"))
        if new:
            self.marks.pause()
        super().put_writes(config, writes, task_id, task_path)  # type: ignore[misc]
        self._end(new)


class AWatched(_Watched):
    """The same for a checkpointer in an event loop."""

    async def aput(
        self,
        config: RunnableConfig,
        checkpoint: Checkpoint,
        metadata: CheckpointMetadata,
        new_versions: ChannelVersions,
    ) -> RunnableConfig:
        """Store the state of a thread."""
        new = self._begin(checkpoint["channel_values"].get("calls"))
        await asyncio.sleep(self.lag)
        stored: RunnableConfig = await super().aput(config, checkpoint, metadata, new_versions)  # type: ignore[misc]
        self._end(new)
        return stored

    async def aput_writes(
        self, config: RunnableConfig, writes: Sequence[tuple[str, Any]], task_id: str, task_path: str = ""
    ) -> None:
        """Store what one node did."""
        new = self._begin(dict(writes).get("calls"))
        if new:
            await asyncio.to_thread(self.marks.pause)
        await super().aput_writes(config, writes, task_id, task_path)  # type: ignore[misc]
        self._end(new)


class WatchedSqliteSaver(Watched, SqliteSaver):
    """A watched file."""


class AWatchedSqliteSaver(AWatched, AsyncSqliteSaver):
    """A watched file, in an event loop."""


def outcomes_in(calls: object) -> set[str]:
    """Return the payments that have an outcome in call records."""
    if not isinstance(calls, Mapping):
        return set()
    ended = (call_id for call_id, record in calls.items() if record.get("status", "proposed") not in UNSETTLED)
    return {reference_of(call_id) for call_id in ended} & PAYMENTS.keys()


def outcomes_stored(stored: CheckpointTuple | None) -> set[str]:
    """Return the payments whose outcome a thread holds, in its state or in what its last nodes did."""
    if stored is None:
        return set()
    done = [value for _, channel, value in stored.pending_writes or () if channel == "calls"]
    state = stored.checkpoint["channel_values"].get("calls")
    return set().union(*(outcomes_in(calls) for calls in (state, *done)))

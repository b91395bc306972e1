"""The last good results of tools that say they may be told again, kept in the process and for whom they were made."""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TypeAlias

from reinforced_agent.graph.call_record import CallRecord
from reinforced_agent.graph.state import State
from reinforced_agent.policies.status import Status
from reinforced_agent.tools.fallbacks import LastGood
from reinforced_agent.tools.spec import Risk, ToolSpec
from reinforced_agent.tools.toolset import Toolset


MOST_KEPT = 1_000
"""Results kept; beyond that, the one that is oldest goes."""

_Place: TypeAlias = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Found:
    """A good result of earlier."""

    result: str
    age: float
    """Seconds."""


class GoodResults:
    """Results by tool, arguments and person; safe to use from any thread."""

    def __init__(self, *, most: int = MOST_KEPT, clock: Callable[[], float] = time.monotonic) -> None:
        """Keep nothing yet.

        Args:
            most: Results kept.
            clock: Seconds from any fixed point.

        """
        self._most, self._clock = most, clock
        self._lock = threading.Lock()
        self._kept: OrderedDict[_Place, tuple[float, str]] = OrderedDict()

    def keep(self, records: Iterable[CallRecord], state: State, thread: str, toolset: Toolset) -> None:
        """Keep what calls brought that just ran.

        What is in doubt isn't good. What a person had to agree to isn't kept, so that it is never told without their
        agreement.
        """
        for record in records:
            spec = toolset[record["tool"]]
            if spec.risk is not Risk.READ or record["status"] != Status.DONE:
                continue
            if record.get("held") or record.get("doubts") or "original_digest" in record:
                continue
            for place in {_place(record, entry, state, thread) for entry in _entries(spec)} - {None}:
                self._put(place, record["result"])

    def find(self, record: CallRecord, entry: LastGood, state: State, thread: str) -> Found | None:
        """Return the newest good result that may stand for a call and is not too old."""
        place = _place(record, entry, state, thread)
        with self._lock:
            kept = self._kept.get(place) if place is not None else None
        if kept is None:
            return None
        age = self._clock() - kept[0]
        return Found(kept[1], age) if age <= entry.max_age else None

    def _put(self, place: _Place | None, result: str) -> None:
        """Put a result in the place of an older one."""
        if place is None:
            return
        with self._lock:
            self._kept[place] = (self._clock(), result)
            self._kept.move_to_end(place)
            while len(self._kept) > self._most:
                self._kept.popitem(last=False)


def _entries(spec: ToolSpec) -> list[LastGood]:
    """Return the entries of a chain that tell earlier results."""
    return [entry for entry in spec.fallbacks if isinstance(entry, LastGood)]


def _place(record: CallRecord, entry: LastGood, state: State, thread: str) -> _Place | None:
    """Return where the result of a call is kept: never across persons, unless it is for everybody."""
    key = _key(record, entry)
    return None if key is None else (record["tool"], *key, *_scope(entry, state, thread))


def _key(record: CallRecord, entry: LastGood) -> _Place | None:
    """Tell calls apart by what the host says, or by their arguments."""
    if entry.key is None:
        return ("digest", record.get("digest", record["id"]))
    try:
        made = entry.key(record["arguments"])
        return None if made is None else ("key", str(made))
    except Exception:  # noqa: BLE001  # the function is the host's code
        return None


def _scope(entry: LastGood, state: State, thread: str) -> _Place:
    """Return whose results these are; those of somebody who isn't known stay in the thread, or in the turn."""
    if entry.shared:
        return ("shared",)
    person = state["turn"]["requester"]
    if person["user_id"]:
        return ("user", person["tenant"], person["user_id"])
    return ("thread", person["tenant"], thread) if thread else ("turn", state["turn"]["id"])

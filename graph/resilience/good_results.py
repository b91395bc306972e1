"""The last good results of tools that say they may be told again, kept in the process and for whom they were made."""

from __future__ import annotations

import hashlib
import json
import sys
import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from reinforced_agent.graph.call_record import CallRecord, Foreign, NotedDoubt
from reinforced_agent.graph.context import known_as
from reinforced_agent.graph.state import State
from reinforced_agent.tools.fallbacks import LastGood
from reinforced_agent.tools.host_functions import key_made_of
from reinforced_agent.tools.names import canonical_name
from reinforced_agent.tools.spec import ToolSpec


MOST_KEPT = 1_000
"""Results kept; beyond that, the one that is oldest goes."""
MOST_BYTES = 64_000_000
"""Memory that all results may take together."""

_Place: TypeAlias = tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class GoodResult:
    """A result as it was before it was made to fit, with all that was said about it."""

    text: str
    foreign: Foreign | None = None
    """What was found when text of strangers came in; `None` where it held none."""
    doubts: tuple[NotedDoubt, ...] = ()
    """What is not as it should be about it."""
    summary: str = ""
    """What a model made of it, where it was long."""


@dataclass(frozen=True, slots=True)
class Found:
    """A good result of earlier."""

    result: GoodResult
    age: float
    """Seconds."""


class GoodResults:
    """Results by tool, arguments and person; safe to use from any thread."""

    def __init__(
        self,
        *,
        most: int = MOST_KEPT,
        most_bytes: int = MOST_BYTES,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """Keep nothing yet.

        Args:
            most: Results kept.
            most_bytes: Memory that all results may take together; one that alone takes more is not kept.
            clock: Seconds from any fixed point.

        """
        self._most, self._most_bytes, self._clock = most, most_bytes, clock
        self._lock = threading.Lock()
        self._kept: OrderedDict[_Place, tuple[float, GoodResult]] = OrderedDict()
        self._bytes = 0

    def keep(self, record: CallRecord, result: GoodResult, spec: ToolSpec, state: State, thread: str) -> None:
        """Keep what a call brought, for every entry of its tool's chain that may tell it again."""
        places = {_place(record, number, spec, state, thread) for number in entries_of(spec)} - {None}
        for place in places:
            self._put(place, result)

    def find(self, record: CallRecord, number: int, spec: ToolSpec, state: State, thread: str) -> Found | None:
        """Return the newest good result that may stand for a call and is not too old.

        Args:
            record: The call.
            number: Which entry of the tool's chain asks, counted from 0.
            spec: The tool.
            state: The conversation.
            thread: Its id; empty where nothing keeps it.

        """
        entry, place = spec.fallbacks[number], _place(record, number, spec, state, thread)
        with self._lock:
            kept = self._kept.get(place) if place is not None else None
        if kept is None or not isinstance(entry, LastGood):
            return None
        # A clock that went back must not make a result older or younger than it is told to be.
        age = max(0.0, self._clock() - kept[0])
        return Found(kept[1], age) if age <= entry.max_age else None

    def _put(self, place: _Place | None, result: GoodResult) -> None:
        """Put a result in the place of an older one."""
        size = sys.getsizeof(result.text)
        if place is None or size > self._most_bytes:
            return
        with self._lock:
            self._drop(place)
            self._kept[place] = (self._clock(), result)
            self._bytes += size
            while len(self._kept) > self._most or self._bytes > self._most_bytes:
                self._drop(next(iter(self._kept)))

    def _drop(self, place: _Place) -> None:
        """Let a result go; the lock is held."""
        if (found := self._kept.pop(place, None)) is not None:
            self._bytes -= sys.getsizeof(found[1].text)


def entries_of(spec: ToolSpec) -> list[int]:
    """Return which entries of a chain tell earlier results."""
    return [number for number, entry in enumerate(spec.fallbacks) if isinstance(entry, LastGood)]


def _place(record: CallRecord, number: int, spec: ToolSpec, state: State, thread: str) -> _Place | None:
    """Return where the result of a call is kept: never across persons, unless it is for everybody."""
    entry = spec.fallbacks[number]
    if not isinstance(entry, LastGood) or (key := _key(record, entry)) is None:
        return None
    return (spec.name, _fingerprint(spec), str(number), *key, *_scope(entry, state, thread))


def _fingerprint(spec: ToolSpec) -> str:
    """Tell tools of one name apart: several graphs may share what is kept."""
    return _hashed([spec.description, dict(spec.parameters)])


def _hashed(value: object) -> str:
    """Name a value by what it is, without keeping it."""
    written = json.dumps(value, sort_keys=True, default=str)
    return hashlib.sha256(written.encode("utf-8", "surrogatepass")).hexdigest()


def _key(record: CallRecord, entry: LastGood) -> _Place | None:
    """Tell calls apart by what the host says, or by their arguments."""
    if entry.key is None:
        return ("digest", record.get("digest", record["id"]))
    made = key_made_of(entry.key, record["arguments"])
    return None if made is None else ("key", made)


def _scope(entry: LastGood, state: State, thread: str) -> _Place:
    """Return whose results these are; those of somebody who isn't known stay in the thread, or in the turn.

    Somebody may work for one customer and then for another, or lose a role: their roles and what the host says about
    the session must be the same, too.
    """
    if entry.shared:
        return ("shared",)
    person, facts = state["turn"]["requester"], state.get("facts", {})
    session = _hashed({name: fact["value"] for name, fact in facts.items() if fact["from"] == "host"})
    who, tenant, roles = known_as(person), canonical_name(person["tenant"]), _hashed(sorted(set(person["roles"])))
    if who:
        return ("user", who, roles, session)
    return ("thread", tenant, thread, roles, session) if thread else ("turn", state["turn"]["id"], roles, tenant)

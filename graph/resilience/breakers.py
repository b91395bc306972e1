"""The breakers of a process: one for each tool, or for each key of a tool, shared by runs and, if wanted, by graphs."""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar

from reinforced_agent.graph.records.logs import masking_logger
from reinforced_agent.graph.resilience.breaker_entry import Kept, key_of, kind_of_key, log_change
from reinforced_agent.policies.breaker import (
    BreakerState,
    Closed,
    Event,
    Open,
    Permit,
    Shut,
    as_plain,
    ask,
    failures_in,
    from_plain,
    report,
    standing,
)
from reinforced_agent.tools.breaker import Breaker
from reinforced_agent.tools.call import JSON
from reinforced_agent.tools.people import Person
from reinforced_agent.tools.spec import Arguments, ToolSpec


_logger = masking_logger("reinforced_agent.breakers")
_MOST_KEPT = 1_000
"""Breakers kept; beyond that the oldest are forgotten, those that are closed first."""
_MOST_OF_A_TOOL = 250
"""Breakers kept of one tool, so that its keys push none of another tool out."""
_NOBODY = Person()

_MANY = 10
"""Graphs of the same tools without shared breakers that look as if one was built for every request."""
_MOST_COUNTED = 1_000

Answer = TypeVar("Answer")


_built: Counter[tuple[str, ...]] = Counter()
_building = threading.Lock()


@dataclass(frozen=True, slots=True)
class Ticket:
    """Permission for one call; what comes of it has to be reported."""

    name: str
    rule: Breaker
    permit: Permit


class BreakerStore(Protocol):
    """Where processes may share their breakers, such as a table or a key-value server of the host."""

    def change(self, name: str, decide: Callable[[Mapping[str, JSON] | None], Mapping[str, JSON]]) -> None:
        """Read what is kept under a name (`None`: nothing), and write what `decide` makes of it, as one atomic step.

        `decide` may be called again, when somebody else was faster.
        """


class Breakers:
    """All breakers of a process; safe to use from any thread and any event loop."""

    def __init__(
        self,
        *,
        default: Breaker | None = None,
        store: BreakerStore | None = None,
        clock: Callable[[], float] | None = None,
    ) -> None:
        """Begin with every breaker closed.

        Args:
            default: What holds for tools that declare no `breaker`; without it, `Breaker()`.
            store: Where several processes share what they know; without it, each process has its own. One that fails is
                logged, and the process goes by what it knows itself.
            clock: Seconds from a point that is the same for all who share; without it, `time.monotonic`, and with a
                store `time.time`.

        """
        self._default = default or Breaker()
        self._store = store
        self._clock = clock or (time.monotonic if store is None else time.time)
        self._lock = threading.Lock()
        self._kept: dict[str, Kept] = {}
        self._troubled: set[str] = set()

    @property
    def are_shared(self) -> bool:
        """Whether asking may wait for something outside the process."""
        return self._store is not None

    def ask(self, spec: ToolSpec, arguments: Arguments, who: Person = _NOBODY, *, lease: float) -> Ticket | Shut | None:
        """Ask whether a call may go out now; `None` for one that no breaker watches.

        Args:
            spec: The tool.
            arguments: Canonical arguments.
            who: Who asked for the call, as far as it is known.
            lease: Seconds after which the call counts as lost, should nothing be reported.

        """
        kept = self._find(spec, arguments, who)
        if kept is None:
            return None
        name, rule = kept.name, kept.rule

        def decide(state: BreakerState) -> tuple[BreakerState, Permit | Shut]:
            return ask(state, self._clock(), lease=lease)

        answer = self._change(kept, decide)
        with self._lock:
            kept.probes += isinstance(answer, Permit) and answer.probe
        return answer if isinstance(answer, Shut) else Ticket(name, rule, answer)

    def peek(self, spec: ToolSpec, arguments: Arguments, who: Person = _NOBODY) -> Shut | None:
        """Tell whether a call would be stopped now, as far as this process knows; no probe is given out."""
        if not self._troubled:
            return None
        kept = self._find(spec, arguments, who)
        answer = ask(kept.state, self._clock(), lease=0.0)[1] if kept is not None else None
        return answer if isinstance(answer, Shut) else None

    def count_stopped(self, spec: ToolSpec, arguments: Arguments, who: Person = _NOBODY) -> None:
        """Count a call that doesn't go out."""
        kept = self._kept.get(self.name_of(spec, arguments, who) or "")
        if kept is not None:
            with self._lock:
                kept.stopped += 1

    def report(self, ticket: Ticket, event: Event) -> None:
        """Take in what came of a call that was permitted."""
        kept = self._kept.get(ticket.name)
        if kept is None:
            return

        def decide(state: BreakerState) -> tuple[BreakerState, None]:
            return report(state, ticket.rule, ticket.permit, event, self._clock()), None

        self._change(kept, decide)

    def allows_retry(self, ticket: Ticket) -> bool:
        """Tell whether a permitted call may be tried once more: a probe is one try, and others may have opened it."""
        kept = self._kept.get(ticket.name)
        return not ticket.permit.probe and (kept is None or isinstance(kept.state, Closed))

    def down(self, specs: Iterable[ToolSpec]) -> dict[str, float]:
        """Return the tools that are stopped whatever their arguments, each with the seconds until a next try."""
        if not self._troubled:
            return {}
        stopped = {
            spec.name: self.peek(spec, {}) for spec in specs if not self.has_keys(spec) and spec.name in self._kept
        }
        return {name: shut.seconds for name, shut in stopped.items() if shut is not None}

    def rule_of(self, spec: ToolSpec) -> Breaker:
        """Return what holds for a tool."""
        return spec.breaker or self._default

    def has_keys(self, spec: ToolSpec) -> bool:
        """Return whether calls of a tool have breakers by what they depend on."""
        return kind_of_key(self.rule_of(spec), spec) != "tool"

    def standing_of(self, name: str) -> str:
        """Return where a breaker stands, by its name in `snapshot`; one that isn't known is closed."""
        kept = self._kept.get(name)
        return "closed" if kept is None else standing(kept.state, self._clock())

    def troubled(self) -> list[tuple[str, str]]:
        """Return the breakers that are not closed, each as its name and its tool."""
        if not self._troubled:
            return []
        with self._lock:
            return [(name, self._kept[name].tool) for name in sorted(self._troubled)]

    def name_of(self, spec: ToolSpec, arguments: Arguments, who: Person = _NOBODY) -> str | None:
        """Name the breaker of a call, as in `snapshot`; `None` where there is none."""
        rule = self.rule_of(spec)
        if rule.failures is None:
            return None
        key = key_of(rule, spec, arguments, who)
        # A call of which nobody knows the host or the tenant depends on the tool alone.
        if key == "" and kind_of_key(rule, spec) != "function":
            return spec.name
        return None if key is None else f"{spec.name}:{key}"

    def snapshot(self) -> dict[str, dict[str, Any]]:
        """Return where every breaker stands and what it did in this process, by name, as plain data.

        `state` is `closed`, `open` or `half_open`; `failures` those of the window; `returns_in` the seconds until the
        next call may go out; `opened`, `stopped` and `probes` count since the process began.
        """
        now = self._clock()
        with self._lock:
            kept_now = list(self._kept.items())
        return {
            name: {
                "tool": kept.tool,
                "key": kept.key,
                "state": standing(kept.state, now),
                "failures": failures_in(kept.state, kept.rule, now),
                "returns_in": 0.0 if isinstance(kept.state, Closed) else max(0.0, kept.state.until - now),
                "opened": kept.opened,
                "stopped": kept.stopped,
                "probes": kept.probes,
            }
            for name, kept in kept_now
        }

    def reset(self, name: str | None = None) -> None:
        """Close a breaker by hand, by its name in `snapshot`, or all of them."""
        for kept in [kept for own, kept in list(self._kept.items()) if name in {None, own}]:
            self._change(kept, lambda state: (Closed(epoch=state.epoch + 1), None))

    def _find(self, spec: ToolSpec, arguments: Arguments, who: Person) -> Kept | None:
        """Return the breaker of a call."""
        name = self.name_of(spec, arguments, who)
        if name is None:
            return None
        kept = self._kept.get(name)
        if kept is not None:
            return kept
        key = None if name == spec.name else name[len(spec.name) + 1 :]
        with self._lock:
            own = [] if key is None else [one for one, kept in self._kept.items() if kept.tool == spec.name]
            if len(own) >= _MOST_OF_A_TOOL:
                self._forget(own)
            elif len(self._kept) >= _MOST_KEPT:
                self._forget(list(self._kept))
            return self._kept.setdefault(name, Kept(spec.name, key, self.rule_of(spec)))

    def _forget(self, names: list[str]) -> None:
        """Let go of a tenth of some breakers: the oldest, those that are closed first; the lock is held."""
        for name in sorted(names, key=lambda name: name in self._troubled)[: len(names) // 10]:
            del self._kept[name]
            self._troubled.discard(name)

    def _change(self, kept: Kept, decide: Callable[[BreakerState], tuple[BreakerState, Answer]]) -> Answer:
        """Put a new state in the place of the old one in one step, and log a change of kind."""
        if self._store is not None:
            try:
                return self._change_shared(kept, decide, self._store)
            except Exception:
                _logger.exception("The store of the breakers failed; this process goes by what it knows itself.")
        with self._lock:
            before = kept.state
            after, answer = decide(before)
            self._put(kept, after)
        log_change(kept, before, after)
        return answer

    def _change_shared(
        self,
        kept: Kept,
        decide: Callable[[BreakerState], tuple[BreakerState, Answer]],
        store: BreakerStore,
    ) -> Answer:
        """Do the same where several processes share the state."""
        made: list[tuple[BreakerState, BreakerState, Answer]] = []

        def step(data: Mapping[str, JSON] | None) -> Mapping[str, JSON]:
            before = Closed() if data is None else from_plain(data)
            after, answer = decide(before)
            made.append((before, after, answer))
            return as_plain(after)

        store.change(kept.name, step)
        before, after, answer = made[-1]
        with self._lock:
            self._put(kept, after)
        log_change(kept, before, after)
        return answer

    def _put(self, kept: Kept, after: BreakerState) -> None:
        """Keep a state, and count what it means; the lock is held."""
        before, kept.state = kept.state, after
        kept.opened += isinstance(after, Open) and isinstance(before, Closed)
        name = kept.name
        if isinstance(after, Closed):
            self._troubled.discard(name)
        elif self._kept.get(name) is kept:
            self._troubled.add(name)


def breakers_of_one_graph(tools: Iterable[str]) -> Breakers:
    """Make the breakers of a graph that is given none; say so once where such graphs are built over and over."""
    names = tuple(sorted(tools))
    with _building:
        if len(_built) >= _MOST_COUNTED:
            _built.clear()
        _built[names] += 1
        is_time = bool(names) and _built[names] == _MANY
    if is_time:
        _logger.warning(
            "%d agents with the tools %s were built without `breakers=`. Each has breakers of its own, so one that is "
            "built for every request never opens any: build the agent once, or give all of them the same `Breakers()`.",
            _MANY,
            ", ".join(names),
        )
    return Breakers()

"""Decide whether a tool that kept failing may be called: closed, open, and a single probe in between.

Nothing here knows a clock or a lock: whoever holds a state asks, and puts the new one in its place in one step.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal, TypeAlias, assert_never

from reinforced_agent.tools.breaker import Breaker
from reinforced_agent.tools.call import JSON


LAYER = "breaker"
"""Name under which it stands in records."""
PAUSE = "pause"
"""Name under which the word of an operator, who has paused a tool, stands there."""
UNAVAILABLE = frozenset({LAYER, PAUSE})
"""Names under which stands that a tool is not available, which is no objection to the call."""
_LONGEST_ASKED = 3_600.0
"""Seconds that a server may ask to be left alone."""
_MOST_SEEN = 100
"""Calls that are remembered, at least; the newest ones stand for a window that saw more."""


@dataclass(frozen=True, slots=True)
class Closed:
    """Calls go out."""

    seen: tuple[tuple[float, bool], ...] = ()
    """When calls ended within the window, oldest first, and whether they failed."""
    epoch: int = 0
    """Counts the changes of kind, so that what comes late is told apart."""


@dataclass(frozen=True, slots=True)
class Open:
    """No call goes out before its time; the first one after it is the probe."""

    since: float
    until: float
    epoch: int


@dataclass(frozen=True, slots=True)
class Probing:
    """One call is out to see whether the tool works again; the others wait for it."""

    since: float
    until: float
    """When the probe counts as lost, and another one may go out."""
    epoch: int


BreakerState: TypeAlias = Closed | Open | Probing


@dataclass(frozen=True, slots=True)
class Permit:
    """A call may go out; what comes of it has to be reported with this."""

    epoch: int
    probe: bool


@dataclass(frozen=True, slots=True)
class Shut:
    """The call must not go out."""

    seconds: float
    """Until it is worth trying again."""


Permission: TypeAlias = Permit | Shut


@dataclass(frozen=True, slots=True)
class Worked:
    """The tool did its work."""

    seconds: float


@dataclass(frozen=True, slots=True)
class Failed:
    """The tool, or the way to it, failed."""

    asked: float = 0.0
    """Seconds that the server asks to be left alone."""


@dataclass(frozen=True, slots=True)
class Dropped:
    """The call says nothing about the tool: it was cancelled, or was wrong itself."""


Event: TypeAlias = Worked | Failed | Dropped
Standing: TypeAlias = Literal["closed", "open", "half_open"]


def ask(state: BreakerState, now: float, *, lease: float) -> tuple[BreakerState, Permission]:
    """Decide on a call; a probe that is not reported within its lease counts as lost.

    Args:
        state: The present state.
        now: Seconds from any fixed point, the same for all who share the state.
        lease: Seconds that the call may take.

    """
    match state:
        case Closed(epoch=epoch):
            return state, Permit(epoch, probe=False)
        case Open(since=since, until=until) | Probing(since=since, until=until):
            if since <= now < until:
                return state, Shut(until - now)
            # A clock that went back, such as after a restart of the computer, must not keep a tool shut.
            epoch = state.epoch + 1
            return Probing(now, now + lease, epoch), Permit(epoch, probe=True)
        case _:
            assert_never(state)


def report(state: BreakerState, rule: Breaker, permit: Permit, event: Event, now: float) -> BreakerState:
    """Take in what came of a permitted call; one that was permitted before the last change says nothing any more."""
    if permit.epoch != state.epoch:
        return state
    failed = _counts_as_failed(event, rule)
    match state:
        case Closed():
            return state if failed is None else _count(state, rule, event, now, failed=failed)
        case Open():
            return state
        case Probing():
            if failed is None:
                # The probe told nothing, so the next call is one.
                return Open(state.since, now, state.epoch + 1)
            return _opened(state, rule, event, now) if failed else Closed(epoch=state.epoch + 1)
        case _:
            assert_never(state)


def standing(state: BreakerState, now: float) -> Standing:
    """Name the state; one whose time is over, or whose probe is out, is half open."""
    match state:
        case Closed():
            return "closed"
        case Open(since=since, until=until):
            return "open" if since <= now < until else "half_open"
        case Probing():
            return "half_open"
        case _:
            assert_never(state)


def failures_in(state: BreakerState, rule: Breaker, now: float) -> int:
    """Count the failures that count now."""
    return sum(failed for at, failed in state.seen if at > now - rule.window) if isinstance(state, Closed) else 0


def _counts_as_failed(event: Event, rule: Breaker) -> bool | None:
    """Tell whether an event counts as a failure, as a success, or not at all."""
    match event:
        case Worked(seconds=seconds):
            return rule.slow is not None and seconds >= rule.slow
        case Failed():
            return True
        case Dropped():
            return None
        case _:
            assert_never(event)


def _count(state: Closed, rule: Breaker, event: Event, now: float, *, failed: bool) -> BreakerState:
    """Count one more call, and open when that makes too many failures."""
    most = max(_MOST_SEEN, 2 * (rule.failures or 0))
    seen = (*(item for item in state.seen if item[0] > now - rule.window), (now, failed))[-most:]
    if failed and _is_too_much([item[1] for item in seen], rule):
        return _opened(state, rule, event, now)
    return replace(state, seen=seen)


def _is_too_much(failed: list[bool], rule: Breaker) -> bool:
    """Tell whether calls failed so often that the tool must be left alone."""
    if rule.failures is None or sum(failed) < rule.failures:
        return False
    return all(failed[-rule.failures :]) or sum(failed) >= rule.share * len(failed)


def _opened(state: BreakerState, rule: Breaker, event: Event, now: float) -> Open:
    """Open for the cool-down, or for as long as the server asks."""
    asked = min(event.asked, _LONGEST_ASKED) if isinstance(event, Failed) else 0.0
    return Open(now, now + max(rule.cooldown, asked), state.epoch + 1)


def as_plain(state: BreakerState) -> dict[str, JSON]:
    """Write a state as plain data."""
    match state:
        case Closed(seen=seen, epoch=epoch):
            return {"kind": "closed", "seen": [[at, failed] for at, failed in seen], "epoch": epoch}
        case Open(since=since, until=until, epoch=epoch):
            return {"kind": "open", "since": since, "until": until, "epoch": epoch}
        case Probing(since=since, until=until, epoch=epoch):
            return {"kind": "probing", "since": since, "until": until, "epoch": epoch}
        case _:
            assert_never(state)


def from_plain(data: Mapping[str, Any]) -> BreakerState:
    """Read a state.

    Raises:
        ValueError: On data of another form.

    """
    try:
        epoch = int(data["epoch"])
        if data["kind"] == "closed":
            return Closed(tuple((float(at), bool(failed)) for at, failed in data["seen"]), epoch)
        kinds: Mapping[str, type[Open | Probing]] = {"open": Open, "probing": Probing}
        return kinds[data["kind"]](float(data["since"]), float(data["until"]), epoch)
    except (KeyError, TypeError, ValueError) as error:
        msg = f"{dict(data)!r} is no state of a breaker."
        raise ValueError(msg) from error

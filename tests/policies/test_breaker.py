"""When a breaker opens, when it lets a probe out, and what may never happen, decided without clock or lock."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import pytest
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from reinforced_agent.policies.breaker import (
    BreakerState,
    Closed,
    Dropped,
    Event,
    Failed,
    Open,
    Permit,
    Probing,
    Shut,
    Worked,
    as_plain,
    ask,
    from_plain,
    report,
    standing,
)
from reinforced_agent.tools.breaker import Breaker


W, F, D, SLOW = Worked(0.1), Failed(), Dropped(), Worked(9.0)


def after(rule: Breaker, *events: tuple[float, Event]) -> BreakerState:
    """Return the state after calls that began and ended at these times."""
    state: BreakerState = Closed()
    for now, event in events:
        state, answer = ask(state, now, lease=10)
        if isinstance(answer, Permit):
            state = report(state, rule, answer, event, now)
    return state


@pytest.mark.parametrize(
    ("rule", "events", "expected"),
    [
        pytest.param(Breaker(), [F] * 4, "closed", id="one-too-few"),
        pytest.param(Breaker(), [F] * 5, "open", id="five-in-a-row"),
        pytest.param(Breaker(), [W] * 90 + [F] * 5, "open", id="an-outage-after-much-success"),
        pytest.param(Breaker(), [W, F] * 5, "open", id="exactly-half"),
        pytest.param(Breaker(), [F, W, F, F, W, F, F], "open", id="not-in-a-row-but-most-of-them"),
        pytest.param(Breaker(), [F, W, W, W] * 20, "closed", id="a-busy-tool-that-fails-now-and-then"),
        pytest.param(Breaker(share=0.2), [F, W, W, W] * 20, "open", id="unless-a-smaller-share-is-named"),
        pytest.param(Breaker(), [D] * 50, "closed", id="cancelled-calls"),
        pytest.param(Breaker(), [F, F, D, D, F, F, D], "closed", id="cancelled-calls-between-failures"),
        pytest.param(Breaker(), [SLOW] * 9, "closed", id="slow-calls-where-nobody-minds"),
        pytest.param(Breaker(slow=5), [SLOW] * 5, "open", id="slow-calls"),
        pytest.param(Breaker(failures=1), [F], "open", id="the-first-failure"),
    ],
)
def test_enough_failures_open(rule: Breaker, events: list[Event], expected: str) -> None:
    """It opens when the newest calls all failed, or at least the given share of those in the window."""
    events_at = [(float(at) / 10, event) for at, event in enumerate(events)]
    assert standing(after(rule, *events_at), len(events) / 10) == expected


def test_failures_leave_the_window() -> None:
    """Failures that are older than the window don't count any more."""
    rule = Breaker(failures=3, window=60)
    assert isinstance(after(rule, (0, F), (30, F), (61, F)), Closed)
    assert isinstance(after(rule, (0, F), (30, F), (59, F)), Open)


def opened(rule: Breaker, asked: float = 0.0) -> BreakerState:
    """Return a breaker that opened at 100 seconds."""
    return after(rule, *[(100.0, Failed(asked))] * (rule.failures or 0))


@pytest.mark.parametrize(
    ("asked", "seconds"),
    [(0.0, 30.0), (5.0, 30.0), (120.0, 120.0), (1e9, 3_600.0)],
    ids=["nothing", "less", "more", "for-ever"],
)
def test_it_stays_open_for_the_cool_down_or_as_long_as_the_server_asks(asked: float, seconds: float) -> None:
    """A server's wish counts where it is longer, up to an hour."""
    state = opened(Breaker(), asked)
    assert ask(state, 100.0, lease=1)[1] == Shut(seconds)
    assert ask(state, 100.0 + seconds - 0.5, lease=1)[1] == Shut(0.5)
    assert isinstance(ask(state, 100.0 + seconds, lease=1)[1], Permit)


@pytest.mark.parametrize(
    ("event", "expected"),
    [(W, "closed"), (F, "open"), (SLOW, "open"), (D, "half_open")],
    ids=["worked", "failed", "slow", "cancelled"],
)
def test_the_probe_decides(event: Event, expected: str) -> None:
    """A probe that works closes it, one that fails opens it again, one that says nothing frees its place."""
    rule = Breaker(slow=5)
    state, answer = ask(opened(rule), 130.0, lease=10)
    assert isinstance(answer, Permit)
    assert answer.probe
    assert isinstance(ask(state, 131.0, lease=10)[1], Shut)
    state = report(state, rule, answer, event, 132.0)
    assert standing(state, 132.0) == expected
    if event is D:
        assert isinstance(ask(state, 132.0, lease=10)[1], Permit)


def test_a_probe_of_which_nothing_is_heard_is_given_up() -> None:
    """After its lease another one goes out, and the lost one says nothing any more."""
    rule = Breaker()
    state, lost = ask(opened(rule), 130.0, lease=10)
    assert isinstance(ask(state, 139.9, lease=10)[1], Shut)
    state, second = ask(state, 140.0, lease=10)
    assert isinstance(lost, Permit)
    assert isinstance(second, Permit)
    assert report(state, rule, lost, W, 141.0) == state
    assert isinstance(report(state, rule, second, W, 141.0), Closed)


def test_calls_from_before_it_opened_say_nothing_about_after() -> None:
    """What was under way when it opened counts neither for the probe nor for the time after."""
    rule = Breaker(failures=2)
    old = ask(Closed(), 100.0, lease=10)[1]
    assert isinstance(old, Permit)
    state: BreakerState = opened(rule)
    assert report(state, rule, old, W, 101.0) == state
    state, probe = ask(state, 130.0, lease=10)
    assert isinstance(probe, Permit)
    assert report(state, rule, old, W, 131.0) == state
    state = report(state, rule, probe, W, 131.0)
    assert report(state, rule, old, F, 132.0) == state == Closed(epoch=state.epoch)


def test_a_clock_that_went_back_opens_the_door() -> None:
    """A time before the one it opened at, such as after a restart, doesn't keep a tool shut for ever."""
    assert isinstance(ask(opened(Breaker()), 3.0, lease=1)[1], Permit)


@pytest.mark.parametrize(
    "state",
    [Closed(((1.5, True), (2.0, False)), 4), Open(1.0, 31.0, 5), Probing(31.0, 40.0, 6)],
    ids=["closed", "open", "probing"],
)
def test_states_survive_as_plain_data(state: BreakerState) -> None:
    """What is written for other processes is read back as it was."""
    assert from_plain(as_plain(state)) == state


@pytest.mark.parametrize(
    "data",
    [
        {},
        {"kind": "ajar", "epoch": 1, "since": 0, "until": 1},
        {"kind": "open", "epoch": 1},
        {"kind": "closed", "epoch": "x"},
    ],
    ids=["empty", "unknown", "partial", "wrong"],
)
def test_other_data_is_refused(data: dict[str, Any]) -> None:
    """Data of another form is named, not guessed at."""
    with pytest.raises(ValueError, match="no state of a breaker"):
        from_plain(data)


@pytest.mark.parametrize(
    ("declared", "error"),
    [
        ({"failures": 0}, ValueError),
        ({"window": 0}, ValueError),
        ({"cooldown": -1}, ValueError),
        ({"window": float("nan")}, ValueError),
        ({"slow": 0.0}, ValueError),
        ({"share": 1.5}, ValueError),
        ({"errors": (3,)}, TypeError),
        ({"key": "hosts"}, TypeError),
    ],
    ids=["failures", "window", "cooldown", "no-number", "slow", "share", "errors", "key"],
)
def test_a_rule_that_can_not_work_is_refused(declared: dict[str, Any], error: type[Exception]) -> None:
    """A bound that is out of range is named when the tool is declared."""
    name = next(iter(declared))
    with pytest.raises(error, match=name):
        Breaker(**declared)


@dataclass
class _Out:
    """A call that is under way."""

    permit: Permit
    lost_at: float
    failed: list[float] = field(default_factory=list)


class Machine(RuleBasedStateMachine):
    """Calls that begin and end in any order, at any time."""

    def __init__(self) -> None:
        """Begin closed."""
        super().__init__()
        self.rule = Breaker(failures=3, window=20.0, cooldown=10.0)
        self.state: BreakerState = Closed()
        self.now = 0.0
        self.out: list[_Out] = []
        self.failures: list[float] = []

    @rule(seconds=st.floats(0.0, 15.0))
    def wait(self, seconds: float) -> None:
        """Let time pass."""
        self.now += seconds

    @rule()
    def begin(self) -> None:
        """Ask for a call."""
        self.state, answer = ask(self.state, self.now, lease=5.0)
        if isinstance(answer, Permit):
            self.out.append(_Out(answer, self.now + 5.0))
        else:
            assert not isinstance(self.state, Closed)
            assert 0 < answer.seconds < 10.01

    @precondition(lambda self: self.out)
    @rule(data=st.data(), event=st.sampled_from([W, F, D]))
    def end(self, data: st.DataObject, event: Event) -> None:
        """Let one of the calls end; now and then it is told twice."""
        out = data.draw(st.sampled_from(self.out))
        if data.draw(st.booleans()):
            self.out.remove(out)
        before = self.state
        if event is F:
            self.failures.append(self.now)
        self.state = report(before, self.rule, out.permit, event, self.now)
        if isinstance(before, Closed) and isinstance(self.state, Open):
            assert event is F
            assert sum(at > self.now - 20.0 for at in self.failures) >= 3
        if event is D:
            assert isinstance(self.state, Closed) == isinstance(before, Closed)
        if isinstance(self.state, Closed) and not isinstance(before, Closed):
            assert event is W
            assert out.permit.probe

    @invariant()
    def never_more_than_one_probe(self) -> None:
        """Of the probes that are out and not lost, only one can still decide."""
        live = [o for o in self.out if o.permit.probe and o.permit.epoch == self.state.epoch]
        assert len({o.permit.epoch for o in live}) == len(live) <= 1
        assert not live or isinstance(self.state, Probing)

    @invariant()
    def it_is_never_shut_for_ever(self) -> None:
        """After the longest time a call goes out again."""
        assert isinstance(ask(self.state, self.now + 10.01, lease=1)[1], Permit)


TestMachine = Machine.TestCase

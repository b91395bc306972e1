"""What breakers did in a service: which tools were left alone, how often, and what the model got instead.

A call that an open breaker stops is not judged by that: nothing was wrong with it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from reinforced_agent.evaluation.metrics.shares import Number, share
from reinforced_agent.evaluation.report.conversion import Turn, is_stopped, name_of
from reinforced_agent.evaluation.report.outcomes import RESULTS, fate_of
from reinforced_agent.evaluation.report.sections import Grid, Section
from reinforced_agent.evaluation.report.words import count, interval, percent, shown, when
from reinforced_agent.graph.records.record import RecordedCall
from reinforced_agent.policies.status import Status


@dataclass(frozen=True, slots=True, kw_only=True)
class BreakerNumbers:
    """What the breakers of one tool did."""

    stopped: Number
    """Share of the calls that were to go out and were stopped; calls that stand in for others are among them."""
    served: int
    """How many of the stopped ones got a result from something else."""
    failed: int
    """Calls that went out, and failed or told nothing."""
    turns: int
    """Turns in which a call was stopped."""
    first: str
    """When the first of these ended, ISO 8601."""
    last: str

    def as_json(self) -> dict[str, Any]:
        """Return the numbers as plain data."""
        return {
            "stopped": self.stopped.as_json(),
            "served": self.served,
            "failed": self.failed,
            "turns": self.turns,
            "first": self.first,
            "last": self.last,
        }


def breakers_of(turns: Sequence[Turn]) -> dict[str, BreakerNumbers]:
    """Measure the breakers of every tool of which a call was stopped, the most often stopped first."""
    calls = [call for turn in turns for record in turn.records for call in record.calls]
    tools = dict.fromkeys(name_of(call) for call in calls if is_stopped(call))
    found = {tool: _measured(tool, [call for call in calls if name_of(call) == tool], turns) for tool in tools}
    return dict(sorted(found.items(), key=lambda item: -item[1].turns))


def _measured(tool: str, calls: Sequence[RecordedCall], turns: Sequence[Turn]) -> BreakerNumbers:
    """Measure the breakers of one tool."""
    stopped = [call for call in calls if is_stopped(call)]
    went_out = [call for call in calls if call.attempts and not is_stopped(call)]
    times = sorted(
        record.at
        for turn in turns
        for record in turn.records[-1:]
        if any(is_stopped(call) and name_of(call) == tool for one in turn.records for call in one.calls)
    )
    return BreakerNumbers(
        stopped=share(len(stopped), len(stopped) + len(went_out), of="calls that were to go out"),
        served=sum(fate_of(call) in RESULTS for call in stopped),
        failed=sum(call.status in {Status.FAILED, Status.UNKNOWN} or bool(call.error) for call in went_out),
        turns=len(times),
        first=times[0],
        last=times[-1],
    )


def breakers_section(breakers: Mapping[str, BreakerNumbers]) -> Section:
    """Show which tools were left alone."""
    if not breakers:
        return Section(title="Breakers", about="No call was stopped by an open breaker.")
    about = (
        "Calls that were not sent because their tool kept failing, by tool. Nothing was wrong with these calls, so "
        "they count as objections nowhere. Failed: calls that did go out, and failed or whose outcome is unknown."
    )
    rows = [
        (
            shown(tool),
            when(one.first, one.last),
            percent(one.stopped.value),
            interval(one.stopped),
            count(one.stopped.n),
            count(one.served),
            count(one.failed),
            count(one.turns),
        )
        for tool, one in breakers.items()
    ]
    columns = ("tool", "turns ended", "stopped", "95 % interval", "calls", "served otherwise", "failed", "turns")
    return Section(title="Breakers", about=about, grids=[Grid(columns, rows, words=2)])

"""Several proposals of one tool call or more, the likeliest first: the k best of the masked model.

The first is what the model writes anyway. Every other one departs from a known one at a single place, in the tool or in
one value, and goes on as the model would from there; the place whose probability is the highest comes next (Lawler
1972, "A Procedure for Computing the K Best Solutions to Discrete Optimization Problems").
"""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from heapq import heapify, heappop, heappush
from itertools import count, islice

from reinforced_agent.models.local.filled import Alternative, Filled, Steering


TRIES = 3
"""Departures that are tried for each proposal that is wanted; some end in a call that is known already."""
BEHIND = 15.0
"""Nats that a proposal may lie behind the likeliest one; what is less likely is noise."""

Fill = Callable[[Steering], Filled]
"""Writes the arguments of one tool."""


@dataclass(frozen=True)
class Start:
    """What is settled of a call before it is written."""

    tool: str
    tool_log_p: float
    """Natural log of the probability of the tool."""
    steering: Steering = field(default_factory=Steering)
    known: Mapping[str, float] = field(default_factory=dict)
    """Natural log of the probability of the values that stand already."""


@dataclass(frozen=True)
class Draft:
    """A call that might be proposed."""

    start: Start
    filled: Filled

    @property
    def log_p(self) -> dict[str, float]:
        """Natural log of the probability of each value that was chosen."""
        return {**self.start.known, **self.filled.log_p}

    @property
    def total(self) -> float:
        """Natural log of the probability of the call: of its tool and its values."""
        return self.start.tool_log_p + sum(self.log_p.values())

    @property
    def key(self) -> str:
        """The same for calls that say the same."""
        return f"{self.start.tool} {json.dumps(self.filled.arguments, sort_keys=True)}"

    def departures(self) -> Iterator[tuple[float, Start]]:
        """Yield calls that differ from one place on, each with an upper bound of its log-probability."""
        settled = self.start.tool_log_p + sum(self.start.known.values())
        for other in self.filled.alternatives:
            yield settled + other.log_p, self._departing(other)

    def _departing(self, other: Alternative) -> Start:
        """Return what makes the same call up to a value, and another one from there on."""
        before = self.filled.order[: self.filled.order.index(other.field)]
        fixed = {name: self.filled.arguments[name] for name in before if name in self.filled.arguments}
        known = {name: value for name, value in self.log_p.items() if name in before}
        steering = self.start.steering
        begun: dict[str, Sequence[int]] = {other.field: other.begin} if other.begin else {}
        if other.text:
            fixed[other.field] = json.loads(other.text)
            known[other.field] = other.log_p - sum(self.filled.log_p.get(name, 0.0) for name in before)
        left_out = steering.left_out | {name for name in before if name not in fixed}
        steering = replace(steering, fixed={**steering.fixed, **fixed}, left_out=left_out, begun=begun)
        return replace(self.start, steering=steering, known=known)


def k_best(first: Draft, tools: Mapping[str, float], form: Callable[[str], Fill], wanted: int) -> list[Draft]:
    """Return up to `wanted` different calls, the first one first and the others by their probability.

    Args:
        first: What the model proposes.
        tools: Other tools with the natural log of their probability.
        form: Returns what writes the arguments of a tool.
        wanted: How many calls.
    """
    drafts = {first.key: first}
    for draft in islice(_drafts(first, tools, form), TRIES * (wanted - 1)):
        if draft.filled.complete and draft.total >= first.total - BEHIND:
            drafts.setdefault(draft.key, draft)
        if len(drafts) == wanted:
            break
    _, *others = drafts.values()
    return [first, *sorted(others, key=lambda draft: -draft.total)]


def _drafts(first: Draft, tools: Mapping[str, float], form: Callable[[str], Fill]) -> Iterator[Draft]:
    """Yield calls that depart from known ones, the most promising departure first."""
    ties = count()
    waiting = [(-bound, next(ties), start) for bound, start in first.departures()]
    waiting += [(-log_p, next(ties), Start(name, log_p)) for name, log_p in tools.items()]
    heapify(waiting)
    while waiting:
        behind, _, start = heappop(waiting)
        if -behind < first.total - BEHIND:
            return
        draft = Draft(start, form(start.tool)(start.steering))
        yield draft
        for bound, departure in draft.departures():
            heappush(waiting, (-bound, next(ties), departure))

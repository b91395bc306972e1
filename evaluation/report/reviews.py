"""What a reviewing model did: in a service, how often it objected and what came of it; with ground truth, its worth."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from reinforced_agent.evaluation.metrics.shares import Number, share
from reinforced_agent.evaluation.report.sections import Grid, Section
from reinforced_agent.evaluation.report.spread import Spread, spread
from reinforced_agent.evaluation.report.words import (
    count,
    listed,
    plural,
    seconds,
    shown,
    with_interval,
)
from reinforced_agent.graph.records.record import ProposalRecord


_THEN: Final[Mapping[str, str]] = {
    "changed": "the model made other calls",
    "kept": "the model sent the call again unchanged, and it went on",
    "withdrawn": "the model answered without a call",
    "ended": "the turn ended before anything further could be used",
}
"""What the model did after an objection."""
_WHY: Final[Mapping[str, str]] = {
    "failed": "it could not be reached",
    "late": "it was not in time",
    "unreadable": "what it said could not be read",
    "silent": "it said nothing about the calls",
    "loops": "not asked: its loops were spent",
    "retries": "not asked: the retries of the turn were spent",
    "limit": "not asked: the run had no step, time or tokens left for a correction",
    "down": "not asked: it had failed before in the turn",
}
"""Why there is no opinion."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewNumbers:
    """What a reviewing model did in a service; whether it was right nobody knows there."""

    objected: Number
    """Share of the messages it had an opinion on that it sent back."""
    then: dict[str, int]
    """Messages that were sent back, by what the model did next: the keys of `_THEN`."""
    without: dict[str, int]
    """Messages that were due and got no opinion, by why: the keys of `_WHY`."""
    tokens: int
    """Read and written by it."""
    seconds: Spread | None
    """Time it took for one message."""
    prompts: dict[str, int]
    """Messages by model and version of the prompt."""

    def as_json(self) -> dict[str, Any]:
        """Return the numbers as plain data."""
        return {
            "objected": self.objected.as_json(),
            "then": self.then,
            "without": self.without,
            "tokens": self.tokens,
            "seconds": self.seconds and self.seconds.as_json(),
            "prompts": self.prompts,
        }


def measure_reviews(records: Iterable[ProposalRecord]) -> ReviewNumbers | None:
    """Count what a reviewing model did; `None` where no message was due for a review."""
    found: list[dict[str, Any]] = [dict(record.review) for record in records if record.review]
    if not found:
        return None
    objected = [one for one in found if one["outcome"] == "objected"]
    judged = [one for one in found if one["outcome"] in {"objected", "passed"}]
    asked = [one for one in found if one["outcome"] != "not asked"]
    return ReviewNumbers(
        objected=share(len(objected), len(judged), of="messages with an opinion"),
        then=_counted(one.get("then", "ended") for one in objected),
        without=_counted(one.get("why", "") for one in found if one["outcome"] in {"no opinion", "not asked"}),
        tokens=sum(one.get("input_tokens", 0) + one.get("output_tokens", 0) for one in asked),
        seconds=spread(one["seconds"] for one in asked if one.get("seconds")),
        prompts=_counted(f"{one.get('model', '')}, prompt {one.get('prompt', '')}" for one in asked),
    )


def _counted(items: Iterable[Any]) -> dict[str, int]:
    """Count, the most frequent first."""
    return dict(Counter(map(str, items)).most_common())


def review_sections(numbers: ReviewNumbers | None) -> list[Section]:
    """Tell what a reviewing model did in a service, if there is one."""
    if numbers is None:
        return []
    about = (
        f"It sent back {with_interval(numbers.objected)} of the messages it had an opinion on. Whether it was right "
        "needs ground truth: `python -m benchmarks bfcl --arms reviewed --reviewer MODEL` tells what it mends and "
        "spoils, and when to leave it off. "
        f"It read and wrote {plural(numbers.tokens, 'token')}{_time(numbers.seconds)}. By: "
        f"{listed(f'{shown(name)} ({count(n)})' for name, n in numbers.prompts.items())}."
    )
    then = [(shown(name), _THEN.get(name, ""), count(n)) for name, n in numbers.then.items()]
    without = [(shown(name), _WHY.get(name, ""), count(n)) for name, n in numbers.without.items()]
    grids = [Grid(("after an objection", "what happened", "messages"), then, words=2)] if then else []
    grids += [Grid(("no opinion", "because", "messages"), without, words=2)] if without else []
    return [Section(title="Reviewer", about=about, grids=grids)]


def _time(found: Spread | None) -> str:
    """Write the time that it took for a message."""
    return f", and took {seconds(found.p50)} a message (median)" if found else ""

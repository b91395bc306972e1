"""How requests fare without any ground truth: first calls, retries, giving up, and what keeps going wrong."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from reinforced_agent.evaluation.metrics.cases import Episode
from reinforced_agent.evaluation.metrics.shares import Number, share


def first_call_success(episodes: Iterable[Episode]) -> Number:
    """Return the share of requests whose first proposed call ran at once and worked.

    Formula: requests whose first call had no objection and is done / requests with a call. Source: the design of the
    records; it needs no ground truth, so a wrong call that runs counts as a success here.
    """
    firsts = [episode.proposals[0] for episode in episodes if episode.proposals]
    return share(sum(first.done and not first.objections for first in firsts), len(firsts), of="requests with a call")


def resolution_rate(episodes: Iterable[Episode]) -> Number:
    """Return the share of requests that were served in the end.

    Formula: resolved requests / requests. Source: common usage in support desks.
    """
    episodes = list(episodes)
    return share(sum(episode.resolved for episode in episodes), len(episodes), of="requests")


def retries_by_kind(episodes: Iterable[Episode]) -> dict[str, int]:
    """Count how often the model was asked again, by error kind.

    Formula: for each request, the (step, kind) pairs with an objection after which another step followed; several
    faults of one kind in one message are one question. Source: the retry budgets, which count the same way.
    """
    asked: Counter[str] = Counter()
    for episode in episodes:
        last = max((proposal.step for proposal in episode.proposals), default=0)
        pairs = {
            (proposal.step, objection.kind)
            for proposal in episode.proposals
            if proposal.step < last
            for objection in proposal.objections
        }
        asked.update(kind for _, kind in pairs)
    return dict(sorted(asked.items()))


def give_up_rate(episodes: Iterable[Episode]) -> Number:
    """Return the share of requests with feedback after which the model gave up.

    Meaning: feedback that can't be acted on ends the work instead of mending it. Formula: requests given up / requests
    with at least one objection. Source: recorded refusals of existing checkers, after 46% of which the model gave up.
    """
    told = [episode for episode in episodes if any(proposal.objections for proposal in episode.proposals)]
    return share(sum(episode.gave_up for episode in told), len(told), of="requests with feedback")


@dataclass(frozen=True, slots=True, kw_only=True)
class Cause:
    """Something that keeps going wrong."""

    tool: str
    field: str
    """Path of the argument; empty where the objection is not about a field."""
    kind: str
    """Error kind."""
    count: int
    """Objections of this kind."""
    requests: int
    """Requests in which it came up."""

    def as_json(self) -> dict[str, Any]:
        """Return the cause as plain data."""
        return {
            "tool": self.tool,
            "field": self.field,
            "kind": self.kind,
            "count": self.count,
            "requests": self.requests,
        }


def recurring_causes(episodes: Iterable[Episode], *, at_least: int = 2, most: int = 20) -> list[Cause]:
    """List what goes wrong in several requests, by tool, field and error kind, the most frequent first.

    Meaning: a field that many requests stumble over asks for a better description, not for more retries. Formula:
    objections grouped by (tool, field, kind); an objection about several fields counts for each. Source: Pareto charts
    of defects.

    Args:
        episodes: The requests.
        at_least: In how many requests it has to come up.
        most: How many causes are listed.

    """
    seen: Counter[tuple[str, str, str]] = Counter()
    requests: Counter[tuple[str, str, str]] = Counter()
    for episode in episodes:
        keys = _keys(episode)
        seen.update(keys)
        requests.update(set(keys))
    often = [key for key in seen if requests[key] >= at_least]
    often.sort(key=lambda key: (-requests[key], -seen[key], key))
    return [
        Cause(tool=key[0], field=key[1], kind=key[2], count=seen[key], requests=requests[key]) for key in often[:most]
    ]


def _keys(episode: Episode) -> Sequence[tuple[str, str, str]]:
    """List the causes of one request, each as often as it came up."""
    return [
        (proposal.tool, field, objection.kind)
        for proposal in episode.proposals
        for objection in proposal.objections
        for field in objection.fields or ("",)
    ]

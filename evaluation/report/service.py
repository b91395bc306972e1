"""The numbers of a service, from the records of its proposals; none needs to know what would have been right."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from reinforced_agent.evaluation.metrics.cases import Episode
from reinforced_agent.evaluation.metrics.requests import (
    Cause,
    first_call_success,
    give_up_rate,
    recurring_causes,
    resolution_rate,
    retries_by_kind,
)
from reinforced_agent.evaluation.metrics.shares import Number, share
from reinforced_agent.evaluation.report.breakers import BreakerNumbers, breakers_of
from reinforced_agent.evaluation.report.conversion import FORMAT, Turn, episode_of, is_stand_in, name_of, turns_of
from reinforced_agent.evaluation.report.outcomes import FATES, RULINGS, Fate, Ruling, fate_of, ruling_of, was_asked
from reinforced_agent.evaluation.report.reviews import ReviewNumbers, measure_reviews
from reinforced_agent.evaluation.report.sources import LeftOut, Loaded
from reinforced_agent.evaluation.report.spread import Spread, spread
from reinforced_agent.graph.records.record import ProposalRecord, RecordedCall
from reinforced_agent.policies.breaker import UNAVAILABLE
from reinforced_agent.policies.status import Status


HEADLINES: Final[Mapping[str, tuple[str, str]]] = {
    "first_call_success": ("First-call success", "turns whose first proposal ran as it was written, and worked"),
    "resolution": ("Resolved", "turns that the model answered, with what its last calls brought"),
    "give_up": ("Gave up", "turns with feedback that the model ended without a result"),
    "person_asked": ("Person asked", "calls that a person had to decide about"),
    "fallback": ("Served by a fallback", "calls that got their result from something else than their tool"),
    "unknown": ("Unknown outcome", "calls that were started and may or may not have taken effect"),
}
"""Title and meaning of the headline numbers."""
_DECISIONS: Final[Mapping[str, str]] = {
    "approve": "approved",
    "edit": "edited",
    "reject": "rejected",
    "respond": "answered",
}
_UNFINISHED: Final = "unfinished"
"""Outcome of a turn that never came to an answer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LayerNumbers:
    """What one layer did."""

    objected: Number
    """Share of the calls it looked at to which it objected: wanted them repaired, or refused them."""
    asked: int
    """How often it wanted a person to decide."""
    microseconds: Spread | None
    """Time it took; for `format`, the time to read a whole message."""

    def as_json(self) -> dict[str, Any]:
        """Return the numbers as plain data."""
        spent = self.microseconds and self.microseconds.as_json()
        return {"objected": self.objected.as_json(), "asked": self.asked, "microseconds": spent}


@dataclass(frozen=True, slots=True, kw_only=True)
class Spent:
    """What turns cost; units are tokens and seconds."""

    input_tokens: int
    output_tokens: int
    tokens: Spread | None
    """Tokens read and written in one turn."""
    model_seconds: Spread | None
    """Time of the model for one message."""
    tool_seconds: dict[str, Spread]
    """Time of each tool for one call that was started, with all its attempts."""
    attempts_again: int
    """How often the graph tried a tool again by itself."""

    def as_json(self) -> dict[str, Any]:
        """Return the numbers as plain data."""
        return {
            "input_tokens": self.input_tokens,
            "output_tokens": self.output_tokens,
            "tokens_per_turn": self.tokens and self.tokens.as_json(),
            "model_seconds": self.model_seconds and self.model_seconds.as_json(),
            "tool_seconds": {name: found.as_json() for name, found in self.tool_seconds.items()},
            "attempts_again": self.attempts_again,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class ServiceNumbers:
    """Everything that is reported of a service."""

    source: str
    first: str
    """When the first turn ended, ISO 8601."""
    last: str
    turns: int
    proposals: int
    """Messages of the model."""
    calls: int
    """Calls of the model, without those that fallbacks made."""
    varied: int
    """Records that an evaluation made with settings of its own; they are counted with the others."""
    left_out: LeftOut
    headlines: dict[str, Number]
    """By the keys of `HEADLINES`."""
    outcomes: dict[str, int]
    """Turns by how they ended."""
    model_failed: Number
    """Share of the turns that a request to the model ended, without an answer."""
    failures: dict[str, int]
    """Requests to the model that failed and ended a turn, by what was wrong; see `models.errors.FaultKind`."""
    flow: dict[tuple[Ruling, Fate], int]
    """Calls and unusable messages by what was said about them and what became of them."""
    retries: dict[str, int]
    """How often the model was asked again, by error kind."""
    layers: dict[str, LayerNumbers]
    approvals: dict[str, int]
    """Questions to people: `asked`, and by decision; `unanswered` are the rest."""
    fallbacks: dict[str, int]
    """Calls by what served them: a tool, `static` for a fixed text, or `last_good` for an earlier result."""
    breakers: dict[str, BreakerNumbers]
    """Tools of which a call was stopped by an open breaker."""
    spent: Spent
    causes: list[Cause]
    reviews: ReviewNumbers | None
    """What a reviewing model did; `None` where there is none."""

    def as_json(self) -> dict[str, Any]:
        """Return the numbers as plain data."""
        return {
            "source": self.source,
            "first": self.first,
            "last": self.last,
            "turns": self.turns,
            "proposals": self.proposals,
            "calls": self.calls,
            "varied": self.varied,
            "left_out": self.left_out.as_json(),
            "headlines": {name: number.as_json() for name, number in self.headlines.items()},
            "outcomes": self.outcomes,
            "model_failed": self.model_failed.as_json(),
            "failures": self.failures,
            "flow": [{"ruling": ruling, "fate": fate, "count": n} for (ruling, fate), n in self.flow.items()],
            "retries": self.retries,
            "layers": {name: numbers.as_json() for name, numbers in self.layers.items()},
            "approvals": self.approvals,
            "fallbacks": self.fallbacks,
            "breakers": {name: numbers.as_json() for name, numbers in self.breakers.items()},
            "spent": self.spent.as_json(),
            "causes": [cause.as_json() for cause in self.causes],
            "reviews": self.reviews and self.reviews.as_json(),
        }


def measure_service(loaded: Loaded) -> ServiceNumbers:
    """Measure a service by its records, of which there must be at least one.

    * First-call success, of turns with a proposal: the first one ran as it was written, and worked. A first message
      that held neither a call nor an answer is no success; a turn that was only answered does not count.
    * Resolved and given up: see `conversion.episodes_of`; the second of turns with an objection. A turn that a request
      to the model ended counts among the turns and is not resolved, also where the model said nothing before.
    * Model failed, of turns: a request to the model ended them.
    * Person asked, of calls: see `fates.was_asked`. By decision: `approvals_of`.
    * Served by a fallback, of calls: they ended with the result of another tool, or with a fixed text.
    * Unknown outcome, of calls that were started: whether they took effect could not be found out.
    * Retries by kind: objections of a kind that were followed by another proposal in the same turn, once a message;
      see `metrics.requests.retries_by_kind`. What the graph tries again by itself is counted apart.
    * Time by layer: one value for each call that a layer looked at; for `format`, for each message that was read.
    * Tokens: read and written by all messages of a turn. Tool seconds: one value for each call that was started, with
      all its attempts; calls that fallbacks made are among them.
    """
    turns = turns_of(loaded.records)
    episodes = [episode_of(turn) for turn in turns]
    records = [record for turn in turns for record in turn.records]
    heard = [record for record in records if record.kind != "failed"]
    times = sorted(record.at for record in records)
    calls = [call for turn in turns for _, call in turn.calls]
    return ServiceNumbers(
        source=loaded.source,
        first=times[0],
        last=times[-1],
        turns=len(turns),
        proposals=len(heard),
        calls=len(calls),
        varied=sum(bool(record.settings) for record in records),
        left_out=loaded.left_out,
        headlines=_headlines(episodes, calls),
        outcomes=dict(Counter(turn.outcome or _UNFINISHED for turn in turns).most_common()),
        model_failed=share(sum(map(_has_failed, turns)), len(turns), of="turns"),
        failures=dict(Counter(record.problem for record in records if record.kind == "failed").most_common()),
        flow=flow_of(records, calls),
        retries=dict(Counter(retries_by_kind(episodes)).most_common()),
        layers=layers_of(records),
        approvals=approvals_of(calls),
        fallbacks=_fallbacks(records),
        breakers=breakers_of(turns),
        spent=_spent(turns, heard),
        causes=recurring_causes(episodes),
        reviews=measure_reviews(records),
    )


def _headlines(episodes: Sequence[Episode], calls: Sequence[RecordedCall]) -> dict[str, Number]:
    """Measure what stands on top of the report."""
    fates = Counter(map(fate_of, calls))
    started = sum(call.attempts > 0 or call.status in {Status.DONE, Status.FAILED, Status.UNKNOWN} for call in calls)
    return {
        "first_call_success": first_call_success(episodes),
        "resolution": resolution_rate(episodes),
        "give_up": give_up_rate(episodes),
        "person_asked": share(sum(map(was_asked, calls)), len(calls), of="calls"),
        "fallback": share(fates["served"], len(calls), of="calls"),
        "unknown": share(fates["unknown"], max(started, fates["unknown"]), of="calls that were started"),
    }


def _has_failed(turn: Turn) -> bool:
    """Tell whether a request to the model ended a turn; an answer that was only to be written anew may have stood."""
    return turn.records[-1].kind == "failed" and turn.outcome not in {"answered", "asked"}


def flow_of(records: Iterable[ProposalRecord], calls: Iterable[RecordedCall]) -> dict[tuple[Ruling, Fate], int]:
    """Count calls and unusable messages by what was said about them and what became of them, in a fixed order.

    After an unusable message the model is asked again, unless it was the last one of its turn.
    """
    found: Counter[tuple[Ruling, Fate]] = Counter((ruling_of(call), fate_of(call)) for call in calls)
    for record in records:
        if record.kind == "unusable":
            found["unusable", "not run" if record.last else "asked again"] += 1
    return {(ruling, fate): found[ruling, fate] for ruling in RULINGS for fate in FATES if found[ruling, fate]}


def layers_of(records: Sequence[ProposalRecord]) -> dict[str, LayerNumbers]:
    """Measure every layer that looked at a call, in the order in which they first did; stand-ins are checked, too.

    A breaker is none: it looks at the tool, and stops right calls as well; see `breakers_of`.
    """
    said_all = (item for record in records for call in record.calls for item in call.verdicts)
    verdicts = [item for item in said_all if item.layer not in UNAVAILABLE]
    unusable = sum(record.kind == "unusable" for record in records)
    names = dict.fromkeys([FORMAT] * bool(unusable) + [item.layer for item in verdicts])
    reading = spread(record.read_us for record in records if record.read_us)
    measured = {}
    for name in names:
        said = Counter(item.verdict for item in verdicts if item.layer == name)
        more = unusable if name == FORMAT else 0
        times = spread(item.us for item in verdicts if item.layer == name and item.us is not None)
        measured[name] = LayerNumbers(
            objected=share(said["revise"] + said["refuse"] + more, said.total() + more, of="calls it looked at"),
            asked=said["ask"],
            microseconds=times or (reading if name == FORMAT else None),
        )
    return measured


def approvals_of(calls: Iterable[RecordedCall]) -> dict[str, int]:
    """Count questions to people by the last decision on them; an edit that was put to a person again counts by that."""
    asked = [call for call in calls if was_asked(call)]
    decided = Counter(_DECISIONS.get(call.decision, "unanswered") for call in asked)
    return {"asked": len(asked), **{word: decided[word] for word in (*_DECISIONS.values(), "unanswered")}}


def _fallbacks(records: Iterable[ProposalRecord]) -> dict[str, int]:
    """Count the calls that were served, by what served them in the end."""
    found: Counter[str] = Counter()
    for record in records:
        served = [call for call in record.calls if call.status == Status.SERVED and not is_stand_in(call, record)]
        found.update(_server(call, {one.id: one for one in record.calls}) for call in served)
    return dict(found.most_common())


def _server(call: RecordedCall, calls: Mapping[str, RecordedCall]) -> str:
    """Name what served a call, along chains of stand-ins that were served themselves."""
    while (stand_in := calls.get(call.served_by)) is not None and stand_in.status == Status.SERVED:
        call = stand_in
    return name_of(calls[call.served_by]) if call.served_by in calls else call.served_by


def _spent(turns: Sequence[Turn], records: Sequence[ProposalRecord]) -> Spent:
    """Add up what turns cost."""
    tokens = [sum(record.input_tokens + record.output_tokens for record in turn.records) for turn in turns]
    tools: dict[str, list[float]] = {}
    attempts = 0
    for call in (call for record in records for call in record.calls if call.attempts):
        tools.setdefault(name_of(call), []).append(call.seconds)
        attempts += call.attempts - 1
    spreads = {name: spread(seconds) for name, seconds in tools.items()}
    ordered = sorted(((name, found) for name, found in spreads.items() if found), key=lambda item: -item[1].total)
    return Spent(
        input_tokens=sum(record.input_tokens for record in records),
        output_tokens=sum(record.output_tokens for record in records),
        tokens=spread(tokens) if any(tokens) else None,
        model_seconds=spread(record.model_seconds for record in records if record.model_seconds),
        tool_seconds=dict(ordered),
        attempts_again=attempts,
    )

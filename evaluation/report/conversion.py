"""Turn records of a service and results of an evaluation into the episodes and cases that numbers are made from."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from reinforced_agent.evaluation.metrics.cases import Episode, Objected, Proposal
from reinforced_agent.evaluation.report.outcomes import RESULTS, fate_of
from reinforced_agent.graph.records.record import ProposalRecord, RecordedCall
from reinforced_agent.graph.state import SUCCEEDED
from reinforced_agent.policies.breaker import UNAVAILABLE
from reinforced_agent.policies.status import Status
from reinforced_agent.policies.verdicts import ErrorKind


FORMAT: Final = "format"
"""The layer that reads."""
PERSON, TOOL, RESULT, LIMITS = "person", "tool", "result", "limits"
"""Who objects where it is no layer: a person, the tool's own failure, the check of its result, its failures so far."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """One message of a user with every proposal made for it, by step."""

    thread: str
    id: str
    records: tuple[ProposalRecord, ...]

    @property
    def outcome(self) -> str:
        """How it ended; empty where it never did."""
        return self.records[-1].outcome

    @property
    def calls(self) -> list[tuple[int, RecordedCall]]:
        """All calls of the model with their step; those that a fallback made in place of one are left out."""
        return [
            (record.step, call) for record in self.records for call in record.calls if not is_stand_in(call, record)
        ]


def turns_of(records: Iterable[ProposalRecord]) -> list[Turn]:
    """Put records together by thread and turn, turns in the order they appear; of a step the newest record counts."""
    found: dict[tuple[str, str], dict[int, ProposalRecord]] = {}
    for record in records:
        found.setdefault((record.thread, record.turn), {})[record.step] = record
    return [
        Turn(thread=thread, id=turn, records=tuple(steps[step] for step in sorted(steps)))
        for (thread, turn), steps in found.items()
    ]


def is_stand_in(call: RecordedCall, record: ProposalRecord) -> bool:
    """Tell whether a call was made by the fallback of another one of its proposal, and not by the model.

    A stand-in that failed is named by no other call; it is known by its id, which begins with that of the call it
    stood in for.
    """
    others = [other for other in record.calls if other.id != call.id]
    return any(other.served_by == call.id or call.id.startswith(f"{other.id[:200]}-fallback-") for other in others)


def episodes_of(records: Iterable[ProposalRecord]) -> list[Episode]:
    """Make one episode of every turn.

    Its proposals are the calls of the model, and each message that held neither a call nor an answer (with no tool and
    an objection of the layer `format`). A proposal is *done* when it ran with a usable result. Against it stand the
    layers that wanted it changed or refused it, a person who rejected it, and what went wrong with the tool or its
    result; a question to a person, an unknown outcome and a breaker that stopped the call are no objections.

    A turn is *resolved* when the model ended it with an answer of its own, and its last message with calls, if there
    was any, brought at least one result: from the tool, a fallback or a person. The model *gave up* when it ended the
    turn with an answer, its last message with calls brought no result, and an objection stood against one of them that
    was not a person's. So a turn after a rejection, an unknown outcome or a spent limit is neither.
    """
    return [episode_of(turn) for turn in turns_of(records)]


def episode_of(turn: Turn) -> Episode:
    """Make the episode of one turn; see `episodes_of`."""
    answered = turn.outcome in SUCCEEDED
    last = max((step for step, _ in turn.calls), default=0)
    final = [call for step, call in turn.calls if step == last]
    served = any(fate_of(call) in RESULTS for call in final)
    told = any(objection.layer != PERSON for call in final for objection in objections_to(call))
    return Episode(
        id=f"{turn.thread}\0{turn.id}",
        proposals=tuple(_proposals(turn)),
        resolved=answered and (served or not final),
        gave_up=answered and told and not served,
    )


def _proposals(turn: Turn) -> list[Proposal]:
    """List calls and unusable messages, by step."""
    unusable = [
        Proposal(tool="", done=False, objections=(Objected(layer=FORMAT, kind=record.problem),), step=record.step)
        for record in turn.records
        if record.kind == "unusable"
    ]
    calls = [
        Proposal(tool=name_of(call), done=call.status == Status.DONE, objections=objections_to(call), step=step)
        for step, call in turn.calls
    ]
    return sorted([*unusable, *calls], key=lambda proposal: proposal.step)


def name_of(call: RecordedCall) -> str:
    """Name the tool, as registered or else as written."""
    return call.tool or call.raw_name


def is_stopped(call: RecordedCall) -> bool:
    """Tell whether an open breaker kept a call from being sent; that says nothing about the call."""
    return any(item.layer in UNAVAILABLE for item in call.verdicts)


def objections_to(call: RecordedCall) -> tuple[Objected, ...]:
    """List what stood against a call, by layer; see `episodes_of`."""
    layers = tuple(
        Objected(layer=item.layer, kind=item.kind, fields=item.fields)
        for item in call.verdicts
        if item.verdict in {"revise", "refuse"} and item.layer not in UNAVAILABLE
    )
    if layers or is_stopped(call):
        return layers
    match Status(call.status):
        case Status.REJECTED:
            return (Objected(layer=PERSON, kind=call.kind or ErrorKind.REJECTED_BY_PERSON.value),)
        case Status.FAILED | Status.SERVED if call.kind:
            return (Objected(layer=RESULT if call.kind == ErrorKind.BAD_RESULT else TOOL, kind=call.kind),)
        case Status.OPEN:
            return (Objected(layer=LIMITS, kind=call.kind),)
        case _:
            return ()

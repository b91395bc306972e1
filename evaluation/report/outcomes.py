"""What was said about a recorded call before it ran, and what became of it, in the few words that people count by."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, Literal, TypeAlias

from reinforced_agent.graph.records.record import RecordedCall
from reinforced_agent.policies.breaker import UNAVAILABLE
from reinforced_agent.policies.status import Status


Ruling: TypeAlias = Literal["passed", "person asked", "sent back", "refused", "withheld", "unusable"]
"""passed: no layer objected, and nobody had to be asked. person asked: no layer objected, but a person had to decide.
sent back: a layer wants it repaired. refused: a layer says that asking again can't help. withheld: the tool had failed
too often, or its breaker was open. unusable: the message held neither a call nor an answer."""

Fate: TypeAlias = Literal["done", "served", "answered", "asked again", "rejected", "failed", "unknown", "not run"]
"""done: ran, with a usable result. served: a fallback gave the result. answered: a person gave it. asked again: the
model got feedback. rejected: a person said no. failed: ran, without a usable result. unknown: was started, and may or
may not have taken effect. not run: everything else."""

RULINGS: Final[tuple[Ruling, ...]] = ("passed", "person asked", "sent back", "refused", "withheld", "unusable")
FATES: Final[tuple[Fate, ...]] = (
    "done",
    "served",
    "answered",
    "asked again",
    "rejected",
    "failed",
    "unknown",
    "not run",
)
RESULTS: Final[frozenset[Fate]] = frozenset({"done", "served", "answered"})
"""Fates in which the model got what it asked for."""

_FATES: Final[Mapping[Status, Fate]] = {
    Status.DONE: "done",
    Status.SERVED: "served",
    Status.ANSWERED: "answered",
    Status.REVISE: "asked again",
    Status.REJECTED: "rejected",
    Status.FAILED: "failed",
    Status.UNKNOWN: "unknown",
}


def ruling_of(call: RecordedCall) -> Ruling:
    """Say how the layers and the rules ruled on a call."""
    said = {item.verdict for item in call.verdicts if item.layer not in UNAVAILABLE}
    if "refuse" in said:
        return "refused"
    if "revise" in said:
        return "sent back"
    if call.status == Status.OPEN or any(item.layer in UNAVAILABLE for item in call.verdicts):
        return "withheld"
    return "person asked" if was_asked(call) else "passed"


def fate_of(call: RecordedCall) -> Fate:
    """Say what became of a call."""
    return _FATES.get(Status(call.status), "not run")


def was_asked(call: RecordedCall) -> bool:
    """Tell whether a person was asked about a call.

    A question that was answered left a decision; one that nobody answered left its call waiting, or superseded by the
    next message of the user. An equal call beside it took over the outcome and was no question of its own.
    """
    waits = call.status in {Status.WAITING, Status.SUPERSEDED} and any(item.verdict == "ask" for item in call.verdicts)
    return bool(call.decision) or waits

"""Check an answer before the turn ends: ask the model once more, or correct what it left as it was."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from reinforced_agent.graph.asking import request_of
from reinforced_agent.graph.assessing import doubt_of
from reinforced_agent.graph.bindings import Bindings
from reinforced_agent.graph.budgets import limit_reached
from reinforced_agent.graph.call_record import CallRecord
from reinforced_agent.graph.records import having
from reinforced_agent.graph.state import State, Turn
from reinforced_agent.policies.answers import Evidence, LeftOut, Objection, Uncertain, Unsaid, judge_answer
from reinforced_agent.policies.sanity import Doubt
from reinforced_agent.policies.status import Status
from reinforced_agent.policies.verdicts import ErrorKind
from reinforced_agent.policies.wording.answers import corrected, language_of, object_to


BUDGET = "answer"
"""Key under which the turn counts how often its answer was sent back."""


@dataclass(frozen=True, slots=True)
class Given:
    """The answer, as the user gets it."""

    text: str


@dataclass(frozen=True, slots=True)
class AskedAgain:
    """The model is asked to write it anew."""

    feedback: str
    turn: Turn
    """With the question counted."""


Checked: TypeAlias = Given | AskedAgain


def check_answer(state: State, turn: Turn, answer: str, bound: Bindings) -> Checked:
    """Hold an answer against what the thread knows, and decide what becomes of it."""
    objections = judge_answer(answer, evidence_of(state), bound.answers)
    if not objections:
        return Given(answer)
    locale = language_of(answer, turn.get("locale", "en"))
    asked = turn.get("retries", {}).get(BUDGET, 0)
    # What only has to be added is added; asking for it would be a call of the model for nothing.
    if all(isinstance(one, LeftOut | Uncertain | Unsaid) for one in objections) or not _may_ask(
        state, turn, asked, bound
    ):
        return Given(corrected(answer, objections, locale))
    counted: Turn = {**turn, "retries": {**turn.get("retries", {}), BUDGET: asked + 1}}
    return AskedAgain(object_to(objections, locale), _marked(counted, objections))


def last_word(state: State, bound: Bindings) -> str | None:
    """Return the corrected answer that was sent back, for a turn that brings no other; `None` where none was."""
    withheld = state.get("proposal", {}).get("withheld")
    if withheld is None:
        return None
    objections = judge_answer(withheld, evidence_of(state), bound.answers)
    return corrected(withheld, objections, language_of(withheld, state["turn"].get("locale", "en")))


def _may_ask(state: State, turn: Turn, asked: int, bound: Bindings) -> bool:
    """Tell whether the model may be asked once more."""
    return asked < bound.answers.retries and not limit_reached({**state, "turn": turn}, bound.limits)


def _marked(turn: Turn, objections: Sequence[Objection]) -> Turn:
    """Put on record that the message was no answer that could be used."""
    spoken = turn.get("spoken", [])
    kind = ErrorKind.POLICY if any(isinstance(one, Unsaid) for one in objections) else ErrorKind.UNGROUNDED_VALUE
    marked = [{**spoken[-1], "kind": "unusable", "problem": kind.value}] if spoken else []
    return {**turn, "spoken": [*spoken[:-1], *marked]}  # type: ignore[list-item]  # the keys of a spoken message


def evidence_of(state: State) -> Evidence:
    """Collect what an answer may rest on."""
    records = list(state.get("calls", {}).values())
    return Evidence(
        request=request_of(state["turn"]) if "request" in state["turn"] else "",
        used=frozenset(
            record.get("tool", "") for record in having(records, Status.DONE, Status.SERVED, Status.ANSWERED)
        ),
        unknown=tuple(_unknown(records)),
        doubts=tuple(_doubts(state)),
    )


def _unknown(records: Sequence[CallRecord]) -> Iterator[str]:
    """List the tools of calls whose outcome is unknown and was not looked up since."""
    last = max((record.get("step", 0) for record in having(records, Status.DONE)), default=-1)
    unknown = having(records, Status.UNKNOWN)
    yield from dict.fromkeys(record.get("tool", "") for record in unknown if record.get("step", 0) >= last)


def _doubts(state: State) -> Iterator[tuple[str, Doubt]]:
    """List the warnings that the answer has to mention, the last of each tool."""
    latest = {}
    for record in having(state.get("calls", {}).values(), Status.DONE):
        latest[record["tool"]] = [doubt_of(data) for data in record.get("doubts", []) if data["mention"]]
    return ((tool, doubt) for tool, doubts in latest.items() for doubt in doubts)

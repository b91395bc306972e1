"""Check an answer before the turn ends: ask the model once more, or correct what it left as it was."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from reinforced_agent.graph.budget.budget import limit_reached
from reinforced_agent.graph.clarification import request_of
from reinforced_agent.graph.deps import Bindings
from reinforced_agent.graph.queries.calls import having
from reinforced_agent.graph.state import State, Turn
from reinforced_agent.policies.answers.messages import corrected, object_to
from reinforced_agent.policies.answers.policy import Evidence, Unsaid, judge_answer
from reinforced_agent.policies.status import Status
from reinforced_agent.policies.verdicts import ErrorKind


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
    locale = turn.get("locale", "en")
    asked = turn.get("retries", {}).get(BUDGET, 0)
    # What only has to be added is added; asking for it would be a call of the model for nothing.
    if all(isinstance(one, Unsaid) for one in objections) or not _may_ask(state, turn, asked, bound):
        return Given(corrected(answer, objections, locale))
    counted: Turn = {**turn, "retries": {**turn.get("retries", {}), BUDGET: asked + 1}}
    return AskedAgain(object_to(objections, locale), _marked(counted))


def last_word(state: State, bound: Bindings) -> str | None:
    """Return the corrected answer that was sent back, for a turn that brings no other; `None` where none was."""
    withheld = state.get("proposal", {}).get("withheld")
    return None if withheld is None else corrected_answer(withheld, state, bound)


def corrected_answer(text: str, state: State, bound: Bindings) -> str:
    """Correct an answer that nobody can be asked to write anew."""
    objections = judge_answer(text, evidence_of(state), bound.answers)
    return corrected(text, objections, state["turn"].get("locale", "en"))


def _may_ask(state: State, turn: Turn, asked: int, bound: Bindings) -> bool:
    """Tell whether the model may be asked once more."""
    return asked < bound.answers.retries and not limit_reached({**state, "turn": turn}, bound.limits)


def _marked(turn: Turn) -> Turn:
    """Put on record that the message was no answer that could be used."""
    spoken = turn.get("spoken", [])
    marked = [{**spoken[-1], "kind": "unusable", "problem": ErrorKind.POLICY.value}] if spoken else []
    return {**turn, "spoken": [*spoken[:-1], *marked]}  # type: ignore[list-item]  # the keys of a spoken message


def evidence_of(state: State) -> Evidence:
    """Collect what the rules about answers look at."""
    brought = having(state.get("calls", {}).values(), Status.DONE, Status.SERVED, Status.ANSWERED)
    return Evidence(
        request=request_of(state["turn"]) if "request" in state["turn"] else "",
        used=frozenset(record.get("tool", "") for record in brought),
    )

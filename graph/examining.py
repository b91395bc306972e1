"""Put one call before the layers, with what they may know; nothing is put on record."""

from __future__ import annotations

from dataclasses import replace

from reinforced_agent.graph.bindings import Bindings
from reinforced_agent.graph.budgets import budget_of
from reinforced_agent.graph.call_record import CallRecord
from reinforced_agent.graph.situations import beside, situation_of
from reinforced_agent.graph.state import State, merge_calls
from reinforced_agent.policies.review import AskUser, Fix, insisted, verdict_of
from reinforced_agent.policies.review.opinions import opinion_in
from reinforced_agent.policies.rulebook import Examination
from reinforced_agent.policies.situation import Situation
from reinforced_agent.policies.verdicts import Ask, ErrorKind, Refuse, Revise, Verdict
from reinforced_agent.tools.call import Call
from reinforced_agent.tools.spec import ToolSpec


def examine_call(record: CallRecord, state: State, bound: Bindings, before: dict[str, CallRecord]) -> Examination:
    """Examine a call of the newest proposal.

    Args:
        record: The call.
        state: The conversation, with all calls of the proposal on record.
        bound: The parts of the graph.
        before: Calls of the same proposal that were judged before it.

    """
    siblings = tuple(other.get("digest", "") for other in before.values())
    known = merge_calls(state.get("calls"), before)

    def situation(spec: ToolSpec) -> Situation:
        others = beside(record, state, bound, before)
        budget = budget_of(spec, record, state, known, bound.limits)
        return situation_of(spec, state, bound, siblings, others, budget=budget)

    examination = bound.rules.examine(
        record["raw_name"],
        record["arguments"],
        call_id=record["id"],
        repairs=tuple(record.get("repairs", ())),
        locale=state["turn"].get("locale", "en"),
        situation=situation,
        stand_in="serves" in record,
    )
    return examination if bound.reviewing is None else _reviewed(examination, record, state, bound)


def _reviewed(examination: Examination, record: CallRecord, state: State, bound: Bindings) -> Examination:
    """Add what a reviewing model said about exactly this call, after all layers have passed it."""
    call = examination.call
    if call is None or isinstance(examination.decision, Revise | Refuse):
        return examination
    review, locale = record.get("review"), state["turn"].get("locale", "en")
    verdict: Verdict | None = None
    if review is not None and review["digest"] == call.digest:
        parameters = bound.toolset[call.tool].parameters
        verdict = verdict_of(opinion_in(review), call, parameters, quote=review["quote"], locale=locale)
    elif isinstance(examination.decision, Ask):
        verdict = _insisted(call, state, locale)
    if verdict is None:
        return examination
    spent = review["seconds"] if review is not None else 0.0
    return replace(examination, verdicts=(*examination.verdicts, verdict), seconds=(*examination.seconds, spent))


def _insisted(call: Call, state: State, locale: str) -> Ask | None:
    """Say that a call which a person is asked about comes again after an objection of the reviewer."""
    for record in state.get("calls", {}).values():
        review = record.get("review")
        if review is None or record.get("kind") != ErrorKind.REVIEWER or record.get("digest") != call.digest:
            continue
        opinion = opinion_in(review)
        if isinstance(opinion, Fix | AskUser):
            return insisted(opinion, call, quote=review["quote"], locale=locale)
    return None

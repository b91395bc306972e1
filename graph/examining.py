"""Put one call before the layers, with what they may know; nothing is put on record."""

from __future__ import annotations

from reinforced_agent.graph.bindings import Bindings
from reinforced_agent.graph.budgets import budget_of
from reinforced_agent.graph.call_record import CallRecord
from reinforced_agent.graph.situations import beside, situation_of
from reinforced_agent.graph.state import State, merge_calls
from reinforced_agent.policies.rulebook import Examination
from reinforced_agent.policies.situation import Situation
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

    return bound.rules.examine(
        record["raw_name"],
        record["arguments"],
        call_id=record["id"],
        repairs=tuple(record.get("repairs", ())),
        locale=state["turn"].get("locale", "en"),
        situation=situation,
        stand_in="serves" in record,
    )

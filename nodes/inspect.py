"""Check what the calls brought, say what went wrong, and close the proposal when every call has its outcome."""

from __future__ import annotations

from langchain_core.runnables import RunnableConfig

from reinforced_agent.graph.budget.budget import with_account
from reinforced_agent.graph.call_record import CallRecord
from reinforced_agent.graph.deps import Bindings
from reinforced_agent.graph.execution.fallbacks import remember
from reinforced_agent.graph.execution.settle import settle
from reinforced_agent.graph.execution.substitution import substituted
from reinforced_agent.graph.execution.wording import judge
from reinforced_agent.graph.planning.progress import with_progress
from reinforced_agent.graph.queries.calls import in_hand
from reinforced_agent.graph.queries.effects import Place, thread_of
from reinforced_agent.graph.state import State, Turn, Update


def inspect(state: State, config: RunnableConfig, *, bound: Bindings) -> Update:
    """Judge the results of the calls that just ran."""
    ran = [record for record in in_hand(state) if "seconds" in record and not record.get("inspected")]
    place, at = Place(state, thread_of(config), bound), bound.now().isoformat()
    changed: dict[str, CallRecord] = {record["id"]: {**judge(record, place), "at": at} for record in ran}
    # They ran side by side, as far as there was a place for each.
    seconds = max((record["seconds"] + record.get("queued", 0.0) for record in ran), default=0.0)
    for record in ran:
        remember(record, changed[record["id"]], state, place.thread, bound)
    changed |= substituted(changed.values(), state, bound)
    turn: Turn = {**state["turn"], "seconds": state["turn"].get("seconds", 0.0) + seconds}
    spent = with_account(state, turn, bound.limits)
    return with_progress(state, {**settle(state, changed, bound), "turn": spent}, bound)

"""Tell the model, and the receipt, that a call ran with another value than the user had named."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from langchain_core.messages import HumanMessage, ToolMessage

from reinforced_agent.graph.call_record import CallRecord
from reinforced_agent.graph.deps import Bindings
from reinforced_agent.graph.execution.judge import noted
from reinforced_agent.graph.prompt.untrusted import stranger_in
from reinforced_agent.graph.queries.calls import having
from reinforced_agent.graph.state import State
from reinforced_agent.policies.grounding.matching import Said
from reinforced_agent.policies.grounding.substitution import Refused, substitutions
from reinforced_agent.policies.results import Doubt
from reinforced_agent.policies.results.messages import note
from reinforced_agent.policies.status import Status


SUBSTITUTED = "substituted"
"""Code of the note about a value in place of the one that the user had named."""


def substituted(records: Iterable[CallRecord], state: State, bound: Bindings) -> dict[str, CallRecord]:
    """Return the calls of a message whose result is about another value than the user had named, each saying so."""
    refused = _refused(state)
    concerned = [record for record in having(records, Status.DONE) if _tool(record) in refused]
    if not concerned:
        return {}
    texts = tuple(_user(state))
    user, known = Said(texts), Said((*texts, *_results(state, bound)))
    told = ((record, _doubts(record, refused[_tool(record)], user, known, bound)) for record in concerned)
    return {record["id"]: _saying(record, doubts, state) for record, doubts in told if doubts}


def _doubts(record: CallRecord, refused: Sequence[CallRecord], user: Said, known: Said, bound: Bindings) -> list[Doubt]:
    """Say of a call which values took the place of others; a stand-in and an edit are the host's and a person's."""
    if "serves" in record or record.get("edit"):
        return []
    earlier = [_as_refused(other) for other in refused if other.get("step", 0) < record.get("step", 0)]
    found = substitutions(bound.toolset[record["tool"]], record["arguments"], earlier, user, known)
    facts = [{"field": one.field, "named": one.named[:100], "used": one.used[:100]} for one in found]
    return [Doubt(SUBSTITUTED, fact, mention=True) for fact in facts]


def _saying(record: CallRecord, doubts: list[Doubt], state: State) -> CallRecord:
    told = note(doubts, state["turn"].get("locale", "en"))
    kept = [*record.get("doubts", []), *map(noted, doubts)]
    return {**record, "doubts": kept, "result": f"{record.get('result', '')}\n{told}"}


def _refused(state: State) -> dict[str, list[CallRecord]]:
    """List the calls of this turn that got no result, by tool."""
    found: dict[str, list[CallRecord]] = {}
    for record in having(state.get("calls", {}).values(), Status.REVISE, Status.REFUSED, Status.FAILED):
        if record.get("arguments"):
            found.setdefault(_tool(record), []).append(record)
    return found


def _as_refused(record: CallRecord) -> Refused:
    fields: Any = record["verdicts"][-1].get("fields", ()) if record.get("verdicts") else ()
    return record["arguments"], tuple(fields)


def _tool(record: CallRecord) -> str:
    return record.get("tool") or record.get("raw_name", "")


def _user(state: State) -> Iterator[str]:
    yield from (message.text for message in state["messages"] if isinstance(message, HumanMessage))


def _results(state: State, bound: Bindings) -> Iterator[str]:
    """List what trusted tools returned, before and in this turn."""
    untrusted = bound.toolset.of_strangers
    for message in state["messages"]:
        if isinstance(message, ToolMessage) and message.status != "error" and not stranger_in(message, untrusted):
            yield message.text
    for other in having(state.get("calls", {}).values(), Status.DONE):
        if "foreign" not in other and other.get("inspected"):
            yield other.get("result", "")

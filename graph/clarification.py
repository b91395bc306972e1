"""Ask the user for what a call lacks, and keep the question open for one more message."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from langchain_core.messages import AIMessage

from reinforced_agent.graph.call_record import CallRecord
from reinforced_agent.graph.context import Person
from reinforced_agent.graph.deps import Bindings
from reinforced_agent.graph.queries.calls import having
from reinforced_agent.graph.state import OpenQuestion, Proposal, State, Turn
from reinforced_agent.models.binding import ASKS_FOR
from reinforced_agent.policies.clarification.messages import remind
from reinforced_agent.policies.clarification.request import MissingField, missing_field
from reinforced_agent.policies.status import Status
from reinforced_agent.policies.tool_names import Resolved, check_routing


def what_it_asks(message: AIMessage) -> Proposal:
    """Take over what a model says about its own question as data, where it is in order."""
    told = message.additional_kwargs.get(ASKS_FOR)
    if not isinstance(told, dict) or not isinstance(told.get("tool"), str):
        return {}
    fields, known = told.get("fields"), told.get("arguments", {})
    if not isinstance(fields, list) or not all(isinstance(field, str) for field in fields):
        return {}
    return {"lacks": {told["tool"]: fields}, "asks": {told["tool"]: known if isinstance(known, dict) else {}}}


def asked_for(state: State, bound: Bindings) -> list[MissingField]:
    """Return what the end of the turn asks the user for; nothing where it is no question."""
    turn, proposal = state["turn"], state["proposal"]
    if turn.get("outcome") not in {"", "asked", None}:
        return []
    lacks = {tool: list(fields) for tool, fields in proposal.get("lacks", {}).items()}
    for record in _lacking(state, bound):
        known = lacks.setdefault(tool_of(record, bound), [])
        known += [field for field in record["missing"] if field not in known]
    tools = bound.toolset
    return [missing_field(tools[tool], field) for tool, fields in lacks.items() if tool in tools for field in fields]


def tool_of(record: CallRecord, bound: Bindings) -> str:
    """Name the tool that a call means; one whose arguments were not valid has no canonical name yet."""
    if record.get("tool"):
        return record["tool"]
    meant = check_routing(record.get("raw_name", ""), bound.rules.names)
    return meant.name if isinstance(meant, Resolved) else ""


def _lacking(state: State, bound: Bindings) -> list[CallRecord]:
    """Return the calls of which only the user can say what they lack, while nothing better came of their tools.

    After other calls an answer is taken for a question only where it is written as one.
    """
    if not any(record.get("missing") for record in state.get("calls", {}).values()):
        return []
    proposed = [record for record in state["calls"].values() if "serves" not in record]
    steps = {tool_of(record, bound): record.get("step", 0) for record in proposed}
    newest = [record for record in proposed if record.get("step", 0) == steps[tool_of(record, bound)]]
    lacking = [record for record in having(newest, Status.REVISE, Status.REFUSED) if record.get("missing")]
    last = max(record.get("step", 0) for record in state["calls"].values())
    written = (state["proposal"].get("answer") or "").rstrip()
    if "?" in written or "？" in written:
        return lacking
    return [record for record in lacking if record.get("step") == last]


def open_question(state: State, person: Person, bound: Bindings) -> Turn:
    """Return what the turn that ended asked of this person, as a part of the turn that begins."""
    turn = state.get("turn", {})
    if turn.get("outcome") != "asked" or turn.get("requester") != person or not turn.get("missing"):
        return {}
    tools = {item["tool"] for item in turn["missing"]}
    before = turn.get("continues")
    goes_on = before is not None and not tools.isdisjoint(item["tool"] for item in before["missing"])
    question: OpenQuestion = {
        "request": request_of(turn) if goes_on else turn["request"],
        "missing": turn["missing"],
        "arguments": {tool: dict(_known(state, tool, bound)) for tool in sorted(tools)},
    }
    return {"continues": question}


def _known(state: State, tool: str, bound: Bindings) -> Iterator[tuple[str, Any]]:
    """List what the newest call of a tool had beside what it lacked."""
    newest: Mapping[str, Any] = state["proposal"].get("asks", {}).get(tool, {})
    lacks = {item["field"].split(".")[0].split("[")[0] for item in state["turn"]["missing"] if item["tool"] == tool}
    for record in state.get("calls", {}).values():
        if record.get("missing") and tool_of(record, bound) == tool:
            newest = record.get("arguments", {})
    yield from ((name, value) for name, value in newest.items() if name not in lacks)


def request_of(turn: Turn) -> str:
    """Return what the user wants: the message, after the request whose question it may answer."""
    before = turn.get("continues")
    return f"{before['request']}\n{turn['request']}" if before else turn["request"]


def tell_open_question(state: State, _bound: Bindings) -> str:
    """Remind the model of what it asked the user for, until a call of that tool got through the checks."""
    before = state["turn"].get("continues")
    if before is None:
        return ""
    calls = state.get("calls", {}).values()
    over = {record.get("tool") for record in calls if record["status"] not in {Status.REVISE, Status.PROPOSED}}
    open_ones = {tool: arguments for tool, arguments in before["arguments"].items() if tool not in over}
    locale = state["turn"].get("locale", "en")
    return "\n\n".join(
        remind(tool, [item for item in before["missing"] if item["tool"] == tool], arguments, locale)
        for tool, arguments in open_ones.items()
    )

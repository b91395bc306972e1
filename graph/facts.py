"""Establish session facts: what a call has brought, and what a person has decided, with who vouches for it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import zip_longest
from typing import Any, Literal, TypeAlias

from langchain_core.messages import AIMessage, ToolMessage

from reinforced_agent.graph.call_record import CallRecord
from reinforced_agent.graph.context import Context, known_as, person_of
from reinforced_agent.graph.deps import Bindings
from reinforced_agent.graph.state import State
from reinforced_agent.policies.results.verdicts import REPORTS_ERROR
from reinforced_agent.policies.rules.facts import CHRONICLE, DONE, DOUBTED, FAILED, Learner, Observed, Occasion, taught
from reinforced_agent.policies.status import Status
from reinforced_agent.policies.verdicts import ErrorKind
from reinforced_agent.tools.call import JSON
from reinforced_agent.tools.spec import Risk


_MOST_FAILURES = 200
"""Failed calls that a thread remembers."""
_MARK = 16
"""Characters that stand for a person in the list of what was done."""

Provenance: TypeAlias = Literal["host", "tool", "person"]


def brought(record: CallRecord, text: str, bound: Bindings) -> dict[str, Any]:
    """Note what a result establishes, while the whole of it is at hand; empty where it establishes nothing."""
    if bound.learner is None:
        return {}
    call = Observed(tool=record.get("tool", ""), result=text, arguments=record.get("arguments", {}))
    found = bound.learner.lessons(call, "result")
    return {"established": found} if found else {}


def facts_after(
    state: State, changed: Mapping[str, CallRecord], bound: Bindings, facts: Mapping[str, Any] | None = None
) -> dict[str, Any]:
    """Return the session facts that calls change which have just come to an end.

    There are none where no rule asks for any, beside those that tools tell in a `Command`.

    Args:
        state: The conversation before.
        changed: The calls as they are now.
        bound: The parts of the graph.
        facts: The facts before; without it, those of the state.

    """
    learner = bound.learner
    if learner is None and not any("told_facts" in update for update in changed.values()):
        return {}
    book = _Book(state.get("facts", {}) if facts is None else facts, _mark_of(state))
    before = state.get("calls", {})
    for call_id, update in changed.items():
        old = before.get(call_id)
        record: CallRecord = {**old, **update} if old is not None else update
        if not _has_just_ended(record, old):
            continue
        if learner is not None:
            _take_down(record, book, learner)
        if record["status"] == Status.DONE:
            told = ({"fact": name, "value": value} for name, value in record.get("told_facts", {}).items())
            book.learn(told, "tool", record["tool"])
    return book.changed


def facts_at_start(state: State, context: Context, bound: Bindings) -> dict[str, Any]:
    """Return the facts that a turn begins with: what tools have established, and above it what the host vouches for.

    What was established for another requester ends with that requester's turn, or one could go on as the other;
    only what the thread itself remembers of its calls stays, with who asked for them.
    """
    same = state.get("turn", {}).get("requester") == person_of(context)
    kept = {name: fact for name, fact in state.get("facts", {}).items() if same or name in CHRONICLE}
    if bound.learner is not None and DONE not in kept:
        kept = _from_messages(state, bound, bound.learner) | kept
    if DONE in kept and state.get("turn"):
        kept[DONE] = _attributed(kept[DONE], _mark_of(state))
    return kept | {name: {"value": value, "from": "host"} for name, value in context.facts.items()}


def done_for_requester(state: State) -> list[str] | None:
    """Return the tools that have brought a result in the thread for whoever asks now; `None` where all of them did."""
    fact = state.get("facts", {}).get(DONE, {})
    asked_by, mine = fact.get("asked_by", ()), _mark_of(state)
    if all(one in {None, mine} for one in asked_by):
        return None
    told = zip_longest(fact["value"], asked_by)
    return [str(tool) for tool, one in told if one in {None, mine}]


def _mark_of(state: State) -> str:
    """Return what stands for the requester of a turn in the list of what was done; empty for nobody who is known."""
    return known_as(state.get("turn", {}).get("requester"))[:_MARK]


def _attributed(fact: Mapping[str, Any], last: str) -> dict[str, Any]:
    """Say of what was done before that was kept that the last requester asked for it."""
    value, asked_by = fact["value"], fact.get("asked_by", [])
    if not isinstance(value, list) or fact["from"] == "host":
        return dict(fact)
    told = zip_longest(asked_by[: len(value)], value)
    return {**fact, "asked_by": [last if one is None else one for one, _ in told]}


class _Book:
    """Session facts that are being changed."""

    def __init__(self, facts: Mapping[str, Any], mark: str = "") -> None:
        self._before = facts
        self._mark = mark
        self.changed: dict[str, Any] = {}

    def value(self, name: str) -> Any:
        """Return what a fact is now."""
        return (self.changed.get(name) or self._before.get(name) or {}).get("value")

    def learn(self, lessons: Iterable[Mapping[str, Any]], source: Provenance, by: str) -> None:
        """Take lessons down; what the host vouches for stays."""
        for lesson in lessons:
            name = str(lesson["fact"])
            if self._before.get(name, {}).get("from") != "host":
                vouched = {"tool": by} if source == "tool" else {"by": by}
                self.changed[name] = {"value": taught(self.value(name), lesson), "from": source, **vouched}

    def note(self, name: str, value: JSON) -> None:
        """Write down a fact about the calls themselves."""
        self.changed[name] = {"value": value, "from": "tool"}

    def list_of(self, name: str) -> list[Any]:
        """Return a fact about the calls, as a list that may be changed."""
        value = self.value(name)
        return list(value) if isinstance(value, list) else []

    def append(self, name: str, item: JSON) -> None:
        """Add to a fact about the calls."""
        if name not in self.changed:
            self.note(name, self.list_of(name))
        self.changed[name]["value"].append(item)

    def did(self, tool: str) -> None:
        """Add to what was done, and for whom."""
        self.append(DONE, tool)
        fact = self.changed[DONE]
        asked_by = fact.setdefault("asked_by", list(self._before.get(DONE, {}).get("asked_by", ())))
        asked_by += [None] * (len(fact["value"]) - 1 - len(asked_by)) + [self._mark]


def _has_just_ended(record: CallRecord, old: CallRecord | None) -> bool:
    """Tell whether an outcome is new; what was only shared or taken from elsewhere is no outcome of its own."""
    if record["status"] in {Status.SERVED, Status.ANSWERED}:
        return old is None or old["status"] != record["status"]
    return "seconds" in record and bool(record.get("inspected")) and not (old is not None and old.get("inspected"))


def _take_down(record: CallRecord, book: _Book, learner: Learner) -> None:
    """Write down what one call establishes, and what became of it."""
    status, tool = Status(record["status"]), record["tool"]
    decision = record.get("decision")
    if status is Status.DONE:
        book.learn(record.get("established", ()), "tool", tool)
    elif status is Status.FAILED:
        book.learn(learner.lessons(_observed(record), "failure"), "tool", tool)
    if decision is not None and status in {Status.DONE, Status.FAILED, Status.UNKNOWN, Status.ANSWERED}:
        on: Occasion = "answer" if status is Status.ANSWERED else "approval"
        by = decision.get("by")
        roles = by["roles"] if by else ()
        book.learn(learner.lessons(_observed(record, decision), on, roles), "person", by["user_id"] if by else "")
    _chronicle(record, status, book)


def _observed(record: CallRecord, decision: Mapping[str, Any] | None = None) -> Observed:
    """Write a call as rules see it; the answer of a person is what that person wrote."""
    failed = record.get("failure", {}).get("message", "")
    text = failed if decision is None else str(decision.get("message", ""))
    return Observed(tool=record["tool"], result=text, arguments=record.get("arguments", {}))


def _chronicle(record: CallRecord, status: Status, book: _Book) -> None:
    """Write down what was done, what may have been done, and what failed in a way that will not pass."""
    failed = book.list_of(FAILED)
    match status:
        case Status.DONE if any(doubt["code"] == REPORTS_ERROR for doubt in record.get("doubts", ())):
            pass
        case Status.DONE | Status.SERVED | Status.ANSWERED:
            book.did(record["tool"])
            if status is Status.DONE and record.get("risk", Risk.READ) != Risk.READ:
                # What stood in the way of a failed call may be gone now.
                failed = []
        case Status.UNKNOWN:
            book.append(DOUBTED, record["tool"])
            failed = [*failed, record["digest"]]
        case _:
            if record.get("kind") != ErrorKind.TOOL_ERROR_TRANSIENT:
                failed = [*failed, record["digest"]]
    book.note(FAILED, list(dict.fromkeys(failed))[-_MOST_FAILURES:])


def _from_messages(state: State, bound: Bindings, learner: Learner) -> dict[str, Any]:
    """Learn from the chat alone, where it is older than its facts, such as one that a parent graph keeps."""
    book = _Book({})
    done: list[JSON] = []
    for call in _told(state, bound):
        book.learn(learner.lessons(call, "failure" if call.failed else "result"), "tool", call.tool)
        done += [] if call.failed else [call.tool]
    book.note(DONE, done)
    return book.changed


def _told(state: State, bound: Bindings) -> Iterator[Observed]:
    """List the calls of the chat that have come back, oldest first."""
    arguments: dict[str, Any] = {}
    for message in state.get("messages", []):
        if isinstance(message, AIMessage):
            arguments |= {call["id"] or "": call["args"] for call in message.tool_calls}
        elif isinstance(message, ToolMessage) and (spec := bound.toolset.get(message.name or "")) is not None:
            known = arguments.get(message.tool_call_id, {})
            yield Observed(tool=spec.name, result=message.text, arguments=known, failed=message.status == "error")

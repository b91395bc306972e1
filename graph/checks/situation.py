"""What the layers may know about the turn: its past calls, the host's facts, and who has said what."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property, partial

from langchain_core.messages import AIMessage, AnyMessage, HumanMessage

from reinforced_agent.graph.budget.quotas import used_by
from reinforced_agent.graph.call_record import CallRecord
from reinforced_agent.graph.checks.provenance import trusted_texts, untrusted_texts
from reinforced_agent.graph.clarification import request_of
from reinforced_agent.graph.deps import Bindings
from reinforced_agent.graph.facts import done_for_requester
from reinforced_agent.graph.queries.effects import Place
from reinforced_agent.graph.state import State
from reinforced_agent.policies.grounding import said_by_user, values_of_facts
from reinforced_agent.policies.rules.facts import UP_TO_DATE
from reinforced_agent.policies.situation import Later, Sibling, Situation
from reinforced_agent.policies.status import Status
from reinforced_agent.policies.tool_names import NameIndex
from reinforced_agent.tools.call import JSON, canonical_json
from reinforced_agent.tools.spec import ToolSpec


class Situations:
    """What the layers may look at for the calls of one message; what is the same for all of them is found out once."""

    def __init__(self, place: Place) -> None:
        """Look at nothing yet."""
        self._place = place
        self._by_tool: dict[str, Situation] = {}

    def of(self, spec: ToolSpec) -> Situation:
        """Return what is known for a call of one tool, but for the calls beside it and what is left for it."""
        found = self._by_tool.get(spec.name)
        if found is None:
            state, bound = self._place.state, self._place.bound
            used = used_by(state, spec.name, bound) if bound.house.user_quotas else {}
            asked = frozenset(_asked_before(spec.name, state))
            found = self._by_tool[spec.name] = self._common(spec=spec, used=used, asked=asked)
        return found

    @cached_property
    def _common(self) -> partial[Situation]:
        state, bound = self._place.state, self._place.bound
        untrusted = Later(lambda: untrusted_texts(state, bound))
        return partial(
            Situation,
            request=request_of(state["turn"]),
            history=self._place.past,
            text=_written(state),
            identical_failures=bound.limits.identical_failures,
            facts=_facts(state, bound),
            done=done_for_requester(state),
            said=Later(lambda: (bound.prompt, *said_by_user(_turns(state)), *_written_by_persons(state))),
            unread=any(_shows_more(message) for message in state.get("messages", [])),
            trusted=Later(lambda: trusted_texts(state, bound)),
            untrusted=Later(lambda: ((one["source"], text) for one, text in untrusted)),
            orders=Later(lambda: ((one["source"], one["passage"]) for one, _ in untrusted if "passage" in one)),
            answerable=self._place.answerable,
            locale=self._place.locale,
            plan=tuple(state.get("steps", ())),
        )


class Beside:
    """The calls of a proposal as they stand beside each other: those before a call are judged, later ones not yet."""

    def __init__(self, records: Sequence[CallRecord], names: NameIndex) -> None:
        """Take the calls in the order of the proposal."""
        self._proposed = records
        self._judged = list(records)
        self._names = names
        self._position = {record["id"]: at for at, record in enumerate(records)}
        self._digests: list[str] = []
        self._before: list[Sibling] | None = None

    def __getitem__(self, call_id: str) -> CallRecord:
        """Return a call as it stands by now."""
        return self._judged[self._position[call_id]]

    def note(self, record: CallRecord) -> None:
        """Let what was decided about a call count for those after it."""
        at = self._position[record["id"]]
        self._judged[at] = record
        if self._before is not None:
            self._before[at] = self._sibling(record, later=False)
        self._digests.append(record.get("digest", ""))

    def digests(self) -> Sequence[str]:
        """Return the fingerprints of the calls judged so far."""
        count = len(self._digests)
        return Later(lambda: self._digests[:count])

    def others(self, call_id: str) -> Sequence[Sibling]:
        """Return the other calls, in order."""
        at = self._position[call_id]
        return Later(lambda: (*self._earlier(at), *self._after[at + 1 :]))

    def _earlier(self, at: int) -> list[Sibling]:
        if self._before is None:
            self._before = [self._sibling(record, later=False) for record in self._judged]
        return self._before[:at]

    @cached_property
    def _after(self) -> list[Sibling]:
        return [self._sibling(record, later=True) for record in self._proposed]

    def _sibling(self, record: CallRecord, *, later: bool) -> Sibling:
        found = self._names.resolve(record["raw_name"]) if "tool" not in record else None
        return Sibling(
            tool=record.get("tool") or (found.name if found else record["raw_name"]),
            arguments=record.get("arguments", {}),
            status=record["status"],
            later=later,
        )


def _written(state: State) -> str:
    """Return what the model wrote beside its calls."""
    content = state.get("proposal", {}).get("content", "")
    return content if isinstance(content, str) else AIMessage(content=content or "").text


def _facts(state: State, bound: Bindings) -> dict[str, JSON]:
    """Return what is known; where facts are learned they hold everything that has come back, this turn as well."""
    known: dict[str, JSON] = {name: fact["value"] for name, fact in state.get("facts", {}).items()}
    return known if bound.learner is None else {**known, UP_TO_DATE: True}


def _turns(state: State) -> Iterator[tuple[str, str]]:
    """List what the user and the assistant said in this thread."""
    for message in state.get("messages", []):
        if isinstance(message, HumanMessage | AIMessage):
            yield "user" if isinstance(message, HumanMessage) else "assistant", message.text


def _asked_before(tool: str, state: State) -> Iterator[str]:
    """List the arguments that the turn before had asked the user for."""
    before = state["turn"].get("continues")
    yield from (item["field"] for item in (before["missing"] if before else ()) if item["tool"] == tool)


def _shows_more(message: AnyMessage) -> bool:
    """Tell whether a message of the user or a tool holds more than text."""
    if isinstance(message.content, str) or isinstance(message, AIMessage):
        return False
    return any(isinstance(block, dict) and block.get("type") != "text" for block in message.content)


def _written_by_persons(state: State) -> Iterator[str]:
    """List what persons and the host vouch for: facts, edits that may still have to be checked, answers, stand-ins."""
    facts = state.get("facts", {}).items()
    yield from values_of_facts({name: fact["value"] for name, fact in facts if fact.get("from") != "tool"})
    for record in state.get("calls", {}).values():
        if record["status"] == Status.ANSWERED:
            yield record.get("result", "")
        if record.get("edit"):
            yield canonical_json(dict(record["edit"]["arguments"]))
        if "original_digest" in record or "serves" in record:
            yield canonical_json(dict(record["arguments"]))

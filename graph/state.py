"""The state of a conversation: plain data in channels, and the context a run brings along."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from typing import Annotated, Any, Required
from uuid import uuid4

from langchain_core.messages import AnyMessage, BaseMessage, RemoveMessage, convert_to_messages
from langgraph.graph.message import add_messages
from pydantic import JsonValue as JSON  # noqa: N814  # the same type as `tools.call.JSON`, in a form that has a schema
from typing_extensions import TypedDict

from reinforced_agent.graph.context import Person


SCHEMA_VERSION = 1
"""Version of the layout below, stored with every thread."""


class Failure(TypedDict):
    """What went wrong in a tool: told to the model as type and message, kept whole for the operator."""

    type: str
    message: str
    traceback: str


class Edit(TypedDict):
    """A call as a person wrote it, not checked yet."""

    name: str
    arguments: dict[str, JSON]


class Decision(TypedDict, total=False):
    """What a person decided about a call."""

    type: Required[str]
    by: Person
    message: str


class CallRecord(TypedDict, total=False):
    """Everything known about one call of the current turn."""

    id: Required[str]
    step: int
    """The proposal it belongs to, counted from 1."""
    raw_name: str
    """The tool name as the model wrote it."""
    raw: str
    """The arguments as the model wrote them, cut at 10,000 characters."""
    problems: list[dict[str, JSON]]
    """Why the arguments can't be read; empty when they can."""
    tool: str
    """The registered tool; the name as written where none is registered."""
    arguments: dict[str, JSON]
    """Canonical arguments; missing where they can't be read."""
    repairs: list[str]
    digest: str
    verdicts: list[dict[str, JSON]]
    status: str
    """One of `policies.status.Status`."""
    kind: str
    """Error kind of the objection that decided."""
    feedback: str
    """What the model is told about it when there is no result."""
    risk: str
    """What a wrong call could do: the tool's declared risk, raised where the approval policy says so."""
    held: bool
    """Whether a person has to approve it before it may run."""
    token: str
    """One-time token that an approval must name, and that the approved call spends."""
    roles: list[str]
    """Roles that may decide, any of them; empty for everybody."""
    four_eyes: bool
    """Whether the requester may not approve it."""
    expires: float | None
    """Seconds that a question about it may wait; `None` for no end."""
    expires_at: str
    """Until when the token is good, ISO 8601, UTC; empty for no end."""
    occurrence: int
    """How many equal calls of this turn ran before, where repeating them is meant."""
    key: str
    """Idempotency key under which it ran."""
    attempts: int
    """How often the tool was called for it; 0 when the outcome was taken from the ledger."""
    reason: str
    """Why a person is asked."""
    asked: list[str]
    """What the host's own rules wanted the person to know."""
    note: str
    """What the person has to know about their own last answer, such as why an edit was not valid."""
    decision: Decision
    edit: Edit
    """The last call that a person put in place of this one."""
    author: Person
    """Who changed it; missing where it is as the model proposed it for the requester."""
    original_digest: str
    """Fingerprint of the call before a person edited it."""
    spent: bool
    """Whether the budget for asking again was used up."""
    shares: str
    """Id of the equal call whose outcome this one takes."""
    result: str
    """What the tool returned, as text for the model."""
    failure: Failure
    seconds: float
    """Time the tool took."""
    inspected: bool
    """Whether the result was judged."""
    serves: str
    """Id of the call this one stands in for."""
    fallbacks: int
    """How many fallbacks of the tool were tried."""
    served_by: str
    """What gave the result in place of the tool."""


class Proposal(TypedDict, total=False):
    """The model's newest message while its calls are being worked on."""

    id: str
    content: Any
    """The content of the message without calls that leaked into it."""
    order: list[str]
    """Ids of its calls."""
    answer: str | None
    """The final answer, when the message was one."""
    feedback: str
    """What was wrong with a message that was neither an answer nor a call."""
    closed: bool
    """Whether the message and all its tool messages are in the history."""


class Spoken(TypedDict, total=False):
    """One message of the model, as far as its calls don't tell."""

    step: Required[int]
    kind: str
    """`call`, `answer` or `unusable`."""
    problem: str
    """Error kind of an unusable message."""
    input_tokens: int
    output_tokens: int
    model_seconds: float
    """Time the model took."""
    read_seconds: float
    """Time the reader took."""


class Turn(TypedDict, total=False):
    """One user message and what came of it."""

    id: str
    """The id of the user's message."""
    request: str
    requester: Person
    locale: str
    started: str
    """ISO 8601, UTC."""
    step: int
    """Proposals made so far."""
    seconds: float
    """Working time so far, without waiting for people."""
    spoken: list[Spoken]
    """The messages of the model in this turn."""
    retries: dict[str, int]
    """Revisions asked for messages that held no call, by error kind."""
    problem: str
    """What was wrong with the last answer to an approval."""
    outcome: str
    """How the turn ended; empty while it runs. One of the reasons in `nodes.answer`."""
    detail: str
    """For the operator: more about the outcome."""


def plain(records: Mapping[str, CallRecord]) -> dict[str, CallRecord]:
    """Return records in the form that is stored: members of enumerations become their value."""
    stored: dict[str, Any] = {
        call_id: {name: value.value if isinstance(value, Enum) else value for name, value in record.items()}
        for call_id, record in records.items()
    }
    return stored


def merge_calls(left: Mapping[str, CallRecord] | None, right: Mapping[str, CallRecord] | None) -> dict[str, CallRecord]:
    """Merge updates of call records by id, field by field."""
    merged: dict[str, Any] = dict(left or {})
    for call_id, update in (right or {}).items():
        merged[call_id] = {**merged.get(call_id, {}), **update}
    return merged


def merge_messages(left: list[AnyMessage], right: Any) -> list[AnyMessage]:
    """Add messages to the history; one that reuses the id of a different message gets an id of its own.

    So a caller can send a message twice, but can't put words into the mouth of a tool, the model or an earlier user.
    """
    known = {message.id: message for message in left}
    incoming = convert_to_messages(right if isinstance(right, list) else [right])
    merged: list[AnyMessage] = add_messages(left, [_apart(message, known) for message in incoming])  # type: ignore[assignment, arg-type]
    return merged


def _apart(message: BaseMessage, known: Mapping[str | None, AnyMessage]) -> BaseMessage:
    """Keep a message from replacing another one; removing is up to the graph."""
    old = known.get(message.id)
    if old is None or isinstance(message, RemoveMessage) or (old.type, old.content) == (message.type, message.content):
        return message
    return message.model_copy(update={"id": uuid4().hex})


def merge_facts(left: Mapping[str, Any] | None, right: Mapping[str, Any] | None) -> dict[str, Any]:
    """Overlay newer facts on older ones."""
    return {**(left or {}), **(right or {})}


class State(TypedDict, total=False):
    """The channels of the graph; all hold plain data, so that any checkpointer can store them."""

    messages: Annotated[list[AnyMessage], merge_messages]
    """The chat; never holds a call without its tool message."""
    calls: Annotated[dict[str, CallRecord], merge_calls]
    """The calls of the current turn by id."""
    proposal: Proposal
    """The model's newest message and where its calls stand."""
    facts: Annotated[dict[str, Any], merge_facts]
    """Session facts, each with its provenance: `host`, `tool` or `person`."""
    steps: list[dict[str, JSON]]
    """The plan of the current task; empty when it needs none."""
    turn: Turn
    schema_version: int


class Input(TypedDict):
    """What a caller may send: new user messages."""

    messages: Annotated[list[AnyMessage], merge_messages]


class Output(TypedDict, total=False):
    """What a run returns: the chat, and how the turn went."""

    messages: Annotated[list[AnyMessage], merge_messages]
    turn: Turn
    calls: Annotated[dict[str, CallRecord], merge_calls]


class Update(TypedDict, total=False):
    """A partial update of the state, as nodes return it."""

    messages: list[Any]
    calls: Any
    proposal: Proposal
    facts: Any
    steps: list[dict[str, JSON]]
    turn: Turn
    schema_version: int

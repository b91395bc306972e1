"""The state of a conversation: plain data in channels, and the context a run brings along."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from typing import Annotated, Any, Final, Literal, NotRequired, Required, TypeAlias

from langchain_core.messages import AnyMessage
from langgraph.graph.message import add_messages
from pydantic import JsonValue as JSON  # noqa: N814  # the same type as `tools.call.JSON`, in a form that has a schema
from typing_extensions import TypedDict

from reinforced_agent.graph.call_record import CallRecord
from reinforced_agent.graph.context import Person
from reinforced_agent.graph.plan_record import PlanWork
from reinforced_agent.policies.clarification.request import MissingField


SUCCEEDED: Final = frozenset({"answered", "returned", "handed_over"})
"""Outcomes of a turn that ended as it should."""
SCHEMA_VERSION = 1
"""Version of the layout below, stored with every thread."""


class ProviderFields(TypedDict, total=False):
    """What a message of the model came with beside its text and its calls; providers want it back as it was."""

    content: list[Any]
    """Its content, where that is no plain text: thoughts, their signatures, and blocks that only the provider knows."""
    name: str
    additional_kwargs: dict[str, Any]
    response_metadata: dict[str, Any]
    usage_metadata: dict[str, Any]


class Proposal(TypedDict, total=False):
    """The model's newest message while its calls are being worked on."""

    id: str
    content: Any
    """The text of the message without calls that leaked into it."""
    provider: ProviderFields
    """What it came with; gone when the message is in the history, which holds it then."""
    order: list[str]
    """Ids of its calls."""
    answer: str | None
    """The final answer, when the message was one."""
    asks: dict[str, dict[str, JSON]]
    """By tool, what is known of the arguments of a call, where the answer asks the user for the rest."""
    lacks: dict[str, list[str]]
    """By tool, the paths of the arguments that the answer asks for."""
    feedback: str
    """What was wrong with a message that was neither an answer nor a call, or with an answer that was sent back."""
    withheld: str
    """The answer that was sent back."""
    streamed: int
    """Characters of its text that were shown while it was written; missing where none were."""
    streamed_in: str
    """The run in which they were shown."""
    closed: bool
    """Whether the message and all its tool messages are in the history."""


class Tally(TypedDict):
    """What came of several proposals that were asked for at once."""

    asked: int
    """Proposals that were asked for."""
    came: int
    """Proposals that were looked at; the others were given up, or failed."""
    distinct: int
    """Proposals that differ."""
    valid: int
    """Proposals that passed the layers."""
    won: int
    """Position of the one that was taken, counted from 0 in the order in which they came."""
    lost: dict[str, int]
    """Error kinds of the others, and how often each was met."""


class Reviewed(TypedDict, total=False):
    """What came of asking a reviewing model about the calls of one message."""

    outcome: Required[str]
    """`passed`, `objected`, `no opinion` or `not asked`."""
    why: str
    """Why there was no opinion on any call (`unreadable`, `silent`, `late`, `failed`), or why it was not asked
    (`loops`, `retries`, `limit`, `down`)."""
    calls: int
    """Calls that were to be reviewed."""
    objected: int
    """Calls that it wants looked at once more."""
    input_tokens: int
    output_tokens: int
    seconds: float
    model: str
    prompt: str
    """Version of its prompt."""


class Guidance(TypedDict):
    """How the reply to a request was masked."""

    way: str
    """How the server was told; see `policies.guiding.strategy.Way`."""
    sent: bool
    """Whether it was; a server that refuses it is asked without."""
    heeded: bool
    """Whether the reply keeps to it; a server may take no notice."""


class Spoken(TypedDict, total=False):
    """One message of the model, as far as its calls don't tell."""

    step: Required[int]
    kind: str
    """`call`, `answer`, `unusable` or `plan`; `failed` for a request that no message came of."""
    problem: str
    """Error kind of a message that could not be used; of a request that failed, why (`models.errors.FaultKind`)."""
    error: str
    """Of a request that failed: type and message of the error, without secrets."""
    input_tokens: int
    output_tokens: int
    model_seconds: float
    """Time the model took."""
    read_seconds: float
    """Time the reader took."""
    candidates: Tally
    """What came of the other proposals, where several were asked for; the tokens are those of all."""
    review: Reviewed
    """What a reviewing model said about its calls; missing where none had to be reviewed."""
    guided: Guidance
    """How it was masked; missing where it was not to be."""
    ending: str
    """How an answer ended that did not end by itself: `cut`, `filtered`, `stopped` or `refused`."""


class ModelError(TypedDict, total=False):
    """What was wrong with a request to the model, without secrets and without what the provider wrote."""

    kind: Required[str]
    """One of `models.errors.FaultKind`."""
    sentence: Required[str]
    """For the user, in their language."""
    operator: Required[str]
    """For whoever runs the service: what came back, and what to do."""
    status: int
    """HTTP status of the provider; missing where it gave no answer."""
    code: str
    """What the provider calls it; missing where it says nothing."""
    wait: float
    """Seconds, from `ended` on, after which it may be asked again; missing where it doesn't say."""
    ended: Required[str]
    """When the turn ended so, ISO 8601, UTC."""


class OpenQuestion(TypedDict):
    """What the turn before asked the user for, and why."""

    request: str
    """What the user wanted; with the answers so far, one a line, where it was asked more than once."""
    missing: list[MissingField]
    """What was asked for."""
    arguments: dict[str, dict[str, JSON]]
    """What is known of the arguments of each tool."""


class Spent(TypedDict):
    """What a run has spent."""

    steps: int
    """Proposals of the model."""
    calls: int
    """Calls of tools that were started."""
    seconds: float
    """Working time, without waiting for people."""
    tokens: int
    """Tokens the model has read and written, as far as it reports them."""
    money: float
    """What the calls cost, in the host's currency."""


class ChatSummary(TypedDict):
    """The older part of the conversation in a model's words."""

    text: str
    since: str
    """Id of the first message that is not covered."""
    count: int
    """Messages that are covered, those that are no longer kept among them."""
    digest: str
    """Fingerprint of those that are kept."""
    sources: list[str]
    """Tools that brought text of strangers into them."""
    nonce: str
    """Number of the fence around it, where there are sources."""


WriteOutcome: TypeAlias = Literal["done", "failed", "unknown", "declined", "not_run", "waiting"]
"""What became of a write: it ran; it ran without an effect; nobody knows; a person said no, or answered in its place;
it was not run; a person is asked about it."""


class WrittenEffect(TypedDict):
    """One write of the turn and what became of it."""

    call_id: str
    tool: str
    arguments: dict[str, JSON]
    effect: str
    """What it does, in words."""
    outcome: WriteOutcome
    reason: str
    """Why it was not done; empty where it was, or is waiting."""
    approved_by: str
    """User id of who approved it; empty where nobody was asked, or the id isn't known."""
    at: str
    """When its outcome was known, ISO 8601, UTC; empty where it did not run."""


class Note(TypedDict):
    """What a reader of the answer has to know beside it."""

    code: str
    """`fallback` for what served in place of a tool; `private_value` for a link of the answer that was made inert; else
    the warning about a result."""
    tool: str
    message: str


class Receipt(TypedDict):
    """What was changed in a turn, and what is to be known about its answer; taken from what ran, not from any text."""

    writes: list[WrittenEffect]
    """Every write, in the order of the proposals."""
    notes: list[Note]


ContextKind: TypeAlias = Literal["none", "ours", "mapping", "host"]
"""What the context of a run was: none, a `Context`, a mapping with fields of ours alone, or another type."""


class Turn(TypedDict, total=False):
    """One user message and what came of it."""

    id: str
    """The id of the user's message."""
    request: str
    requester: Person
    """Who asked, for whom every tool of the turn runs."""
    locale: str
    """Language of the requester."""
    facts: dict[str, Any]
    """Session facts that the host vouched for when the requester asked."""
    context: ContextKind
    """In which form the host named them; missing in turns that were begun before this was kept."""
    context_names: list[str]
    """The names that there were, where the context was a mapping."""
    started: str
    """ISO 8601, UTC."""
    step: int
    """Proposals made so far."""
    seconds: float
    """Working time so far, without waiting for people."""
    spent: Spent
    """What the run has spent; written after calls and at the end."""
    left: dict[str, float]
    """What is left of every bound that is on, by the same names."""
    spoken: list[Spoken]
    """The messages of the model in this turn."""
    retries: dict[str, int]
    """Revisions asked for messages that held no call, by error kind."""
    inert_links: list[str]
    """The tools whose private values links of the model's text would have carried out; those were made inert."""
    breakers: dict[str, str]
    """Breakers that the turn met open, by name, and where each stood when it was last looked at."""
    problem: str
    """What was wrong with the last answer to an approval."""
    planning: PlanWork
    """Where the planning stands; missing where the turn is not planned."""
    outcome: str
    """How the turn ended; empty while it runs. One of the reasons in `nodes.answer`."""
    detail: str
    """For the operator: more about the outcome."""
    model_error: ModelError
    """What was wrong with the request to the model that ended the turn; missing where none did."""
    missing: list[MissingField]
    """What the user was asked for, where the outcome is `asked`."""
    continues: OpenQuestion
    """The question of the turn before, which this message may answer; missing where there was none."""


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


def merge_facts(left: Mapping[str, Any] | None, right: Mapping[str, Any] | None) -> dict[str, Any]:
    """Overlay newer facts on older ones."""
    return {**(left or {}), **(right or {})}


def first_tenant(left: str | None, right: str | None) -> str | None:
    """Keep whose a thread is from its first message on."""
    return right if left is None else left


class State(TypedDict, total=False):
    """The channels of the graph; all hold plain data, so that any checkpointer can store them."""

    messages: Annotated[list[AnyMessage], add_messages]
    """The chat; never holds a call without its tool message."""
    calls: Annotated[dict[str, CallRecord], merge_calls]
    """The calls of the current turn by id."""
    proposal: Proposal
    """The model's newest message and where its calls stand."""
    facts: Annotated[dict[str, Any], merge_facts]
    """Session facts, each with its provenance: `host`, `tool` or `person`."""
    steps: list[dict[str, JSON]]
    """The plan of the current task; empty when it needs none."""
    summary: ChatSummary | None
    """What the oldest messages said, where they are not shown any more."""
    turn: Turn
    receipt: Receipt
    """The writes of the current turn with their outcomes, and notes on the answer."""
    tenant: Annotated[str | None, first_tenant]
    """The tenant of whoever began the thread, empty for none; no later message changes it."""
    schema_version: int


class Input(TypedDict):
    """What comes in: user messages, with the tenant of their sender, which the entry adds."""

    messages: Annotated[list[AnyMessage], add_messages]
    tenant: NotRequired[Annotated[str | None, first_tenant]]


class Output(TypedDict, total=False):
    """What a run returns: the chat, and how the turn went."""

    messages: Annotated[list[AnyMessage], add_messages]
    turn: Turn
    calls: Annotated[dict[str, CallRecord], merge_calls]
    receipt: Receipt


class Update(TypedDict, total=False):
    """A partial update of the state, as nodes return it."""

    messages: list[Any]
    calls: Any
    proposal: Proposal
    facts: Any
    steps: list[dict[str, JSON]]
    summary: ChatSummary | None
    turn: Turn
    receipt: Receipt
    schema_version: int

"""What is known about one call of a turn, as plain data."""

from __future__ import annotations

from typing import NotRequired, Required

from pydantic import JsonValue as JSON  # noqa: N814  # the same type as `tools.call.JSON`, in a form that has a schema
from typing_extensions import TypedDict

from reinforced_agent.graph.context import Person


class Failure(TypedDict):
    """What went wrong in a tool: told to the model as type and message, kept whole for the operator."""

    type: str
    message: str
    traceback: str
    category: NotRequired[str]
    """One of `tools.error_codes.FailureClass`."""
    waited: NotRequired[float]
    """Seconds after which a call without an answer was given up."""
    retry_after: NotRequired[float]
    """Seconds that the other side asked to wait."""


class NotedDoubt(TypedDict):
    """One thing about a result that is not as it should be."""

    code: str
    """Key of its text in `policies.results.messages`."""
    facts: dict[str, str]
    mention: bool
    """Whether the answer has to say so."""


class Foreign(TypedDict, total=False):
    """What is known about an untrusted text."""

    source: Required[str]
    """The tool whose result it is."""
    nonce: str
    """Number of the fence around it, which the text can't know; empty for no fence."""
    lead: str
    """What stands before it in the graph's own words; in messages only."""
    removed: dict[str, int]
    """How often each kind of hidden thing was taken out."""
    patterns: list[str]
    """What in it reads like orders to the model; missing where nothing does, as is the passage."""
    passage: str
    """The first such passage, shortened."""


class Review(TypedDict, total=False):
    """What a reviewing model said about a call."""

    digest: Required[str]
    """The call that it was shown."""
    says: Required[str]
    """`good`, `fix`, `ask_user` or `no_opinion`."""
    fault: str
    """One of `policies.review.Fault`."""
    field: str
    reason: str
    """In its own words."""
    score: float
    why: str
    """Why there is no opinion: `unreadable`, `silent`, `late` or `failed`."""
    quote: bool
    """Whether its words may be told: not where text of strangers was among what it was shown."""
    seconds: float
    """Time it took, for all calls of the message together."""


class Edit(TypedDict):
    """A call as a person wrote it, not checked yet."""

    name: str
    arguments: dict[str, JSON]


class Decision(TypedDict, total=False):
    """What a person decided about a call."""

    type: Required[str]
    by: Person
    message: str


class Kept(TypedDict):
    """Where the whole of a result is kept that was too long to be shown."""

    reference: str
    tool: str
    length: int
    """Characters of the whole."""


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
    warnings: list[dict[str, JSON]]
    """Doubts about the call for whoever approves it, each with `code`, `field` and `message`."""
    terms: str
    """Fingerprint of the tool and of the rules under which a person was asked; missing where nobody was."""
    review: Review
    """What a reviewing model said; missing where none was asked."""
    status: str
    """One of `policies.status.Status`."""
    kind: str
    """Error kind of the objection that decided."""
    missing: list[str]
    """Paths of the arguments that the user has to be asked for, where that is all that is wrong with it."""
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
    blocks: list[dict[str, JSON]]
    """The content blocks of the result, where it holds more than text."""
    artifact: JSON
    """What the tool returned beside the text for the model, which never sees it."""
    told_facts: dict[str, JSON]
    """Session facts that the tool asked to be kept, by name."""
    handover: dict[str, JSON]
    """Where the graph around this one goes on because of it, and what is changed there."""
    counted_for: str
    """For whom its run counts, where quotas of users are kept; nobody can be named from it."""
    established: list[dict[str, JSON]]
    """The facts that the whole result establishes, until they are written down."""
    doubts: list[NotedDoubt]
    """What is not as it should be about the result; the first is why there is none, where there is none."""
    in_doubt: bool
    """Whether the call changed something although its result can't be used."""
    kept: Kept
    """Where the whole result is, when the model was shown a part of it."""
    source: str
    """The tool whose result this is a page of."""
    summary: str
    """What a model made of the result; it stands at the beginning of `result`."""
    foreign: Foreign
    """Says that result or failure may hold text of strangers."""
    failure: Failure
    seconds: float
    """Time the tool took."""
    at: str
    """When its outcome was known, ISO 8601, UTC; missing where it did not run."""
    queued: float
    """Time it waited for calls beside it, and took to be written down."""
    estimate: dict[str, float]
    """What it will cost by what its tool declares: `money` and `seconds`."""
    money: float
    """What it did cost; what was estimated where the tool doesn't tell."""
    inspected: bool
    """Whether the result was judged."""
    serves: str
    """Id of the call this one stands in for."""
    fallbacks: int
    """How many fallbacks of the tool were tried."""
    served_by: str
    """What gave the result in place of the tool: the id of another call, `static` or `last_good`."""
    lead: int
    """Characters at the beginning of `result` that tell the model what gave it in place of the tool."""
    effect: bool
    """Whether what served in its place changed something; missing where it did not."""
    age: float
    """Seconds since the result was good, where it is an old one."""
    back_in: float
    """Seconds, from when its breaker stopped it, until a call may go out again."""
    paused: bool
    """Whether an operator had paused its tool; missing where not."""
    gave_up: str
    """What the user is told where nothing further is tried."""

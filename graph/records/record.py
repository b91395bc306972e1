"""Records: what was proposed and what came of it, one a proposal, without secrets, for logs, tables and numbers."""

from __future__ import annotations

import hashlib
from typing import Any, Final

from pydantic import BaseModel, ConfigDict, Field, JsonValue

from reinforced_agent.graph.call_record import CallRecord
from reinforced_agent.graph.context import known_as
from reinforced_agent.graph.state import Spoken, State
from reinforced_agent.policies.breaker import UNAVAILABLE
from reinforced_agent.policies.redaction import masked
from reinforced_agent.policies.status import Status
from reinforced_agent.policies.verdicts import ErrorKind


RECORD_VERSION: Final = 1
"""Version of the schema below; a reader refuses records of a newer one."""
_MOST_SHOWN = 2_000
"""Characters of a result, a feedback or the request that a record keeps."""
_LONGEST_MASK = 50
"""Characters of what stands where a secret was; half of it would be recognised by nobody."""


_REVIEW: Final = frozenset({"says", "fault", "field", "reason", "score", "why"})
"""What a record keeps of a review."""


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class LayerVerdict(_Frozen):
    """What one layer said about a call."""

    layer: str
    verdict: str
    """`accept`, `revise`, `refuse` or `ask`."""
    kind: str = ""
    """Error kind; empty for an acceptance."""
    fields: tuple[str, ...] = ()
    """Paths of the arguments concerned."""
    message: str = ""
    score: float = 1.0
    us: float | None = None
    """Time it took, in microseconds."""


class RecordedCall(_Frozen):
    """One call of a proposal, from the model's text to its outcome."""

    id: str
    raw_name: str
    raw: str = ""
    """The arguments as the model wrote them."""
    tool: str = ""
    """The registered tool; empty where none was meant."""
    arguments: dict[str, JsonValue] | None = None
    """Canonical arguments; `None` where they could not be read."""
    repairs: tuple[str, ...] = ()
    verdicts: tuple[LayerVerdict, ...] = ()
    review: dict[str, JsonValue] = Field(default_factory=dict)
    """What a reviewing model said about it, in its own words; empty where none was asked. See `call_record.Review`."""
    risk: str = ""
    warnings: tuple[dict[str, JsonValue], ...] = ()
    """Doubts that whoever approved it was told of, each with `code`, `field` and `message`."""
    decision: str = ""
    """What a person decided; empty where nobody was asked, or nobody answered."""
    decided_by: str = ""
    status: str
    kind: str = ""
    """Error kind of the objection or failure."""
    missing: tuple[str, ...] = ()
    """Paths of the arguments that the user has to be asked for."""
    feedback: str = ""
    result: str = ""
    error: str = ""
    """Type and message of what the tool raised."""
    attempts: int = 0
    seconds: float = 0.0
    """Time the tool took."""
    money: float = 0.0
    """What it cost, in the host's currency."""
    served_by: str = ""
    """What gave the result in place of the tool."""

    @property
    def is_valid(self) -> bool:
        """Whether all layers let the call pass as the model wrote it.

        A question to a person is no objection, nor is a tool that is down.
        """
        objections = (item for item in self.verdicts if item.layer not in UNAVAILABLE)
        return bool(self.verdicts) and not any(item.verdict in {"revise", "refuse"} for item in objections)


class ProposalRecord(_Frozen):
    """One message of the model and everything that came of it."""

    version: int = RECORD_VERSION
    id: str
    """The same for the same proposal, however often it is put on record."""
    thread: str
    turn: str
    step: int
    """Counted from 1 within the turn."""
    at: str
    """When the turn ended, ISO 8601, UTC."""
    requester: str = ""
    who: str = ""
    """SHA-256 of tenant and user of the requester, by which the record is found when a person is erased."""
    request: str = ""
    kind: str
    """`call`, `answer`, `unusable` or `plan`; `failed` for a request that no message came of."""
    problem: str = ""
    """Error kind of a message that could not be used; of a request that failed, why (`models.errors.FaultKind`)."""
    error: str = ""
    """Type and message of the error, where a request failed."""
    calls: tuple[RecordedCall, ...] = ()
    input_tokens: int = 0
    output_tokens: int = 0
    model_seconds: float = 0.0
    read_us: float = 0.0
    """Time the reader took, in microseconds."""
    candidates: dict[str, JsonValue] = Field(default_factory=dict)
    """What came of the other proposals, where several were asked for at once; see `graph.state.Tally`."""
    review: dict[str, JsonValue] = Field(default_factory=dict)
    """What came of asking a reviewing model about its calls; see `graph.state.Reviewed`."""
    guided: dict[str, JsonValue] = Field(default_factory=dict)
    """How it was masked while it was written; see `graph.state.Guidance`."""
    outcome: str = ""
    """How the turn ended."""
    spent: dict[str, float] = Field(default_factory=dict)
    """What the turn has spent: steps, calls, seconds, tokens, money."""
    left: dict[str, float] = Field(default_factory=dict)
    """What is left of every bound that is on."""
    last: bool = False
    """Whether it was the last proposal of the turn."""
    receipt: dict[str, JsonValue] = Field(default_factory=dict)
    """The receipt of the turn, with its last proposal; see `graph.state.Receipt`."""
    settings: dict[str, JsonValue] = Field(default_factory=dict)
    """What an evaluation varied; empty in service."""

    @property
    def is_valid(self) -> bool:
        """Whether the message could be used as it came."""
        if self.kind == "plan":
            return not self.problem
        return self.kind == "answer" or (self.kind == "call" and all(call.is_valid for call in self.calls))


def records_of(state: State, thread: str, at: str) -> list[ProposalRecord]:
    """Put the proposals of a turn on record, in order.

    Args:
        state: The state at the end of the turn.
        thread: Id of the thread.
        at: The time, ISO 8601.

    """
    turn = state["turn"]
    spoken = turn.get("spoken", [])
    return [_record(item, state, thread, at, last=item is spoken[-1]) for item in spoken]


def _record(spoken: Spoken, state: State, thread: str, at: str, *, last: bool) -> ProposalRecord:
    """Put one proposal on record."""
    turn, step = state["turn"], spoken["step"]
    calls = [record for record in state.get("calls", {}).values() if record.get("step") == step]
    plain: dict[str, Any] = masked(
        {
            "request": _shown(turn.get("request", "")),
            "calls": [_call(record) for record in calls],
            "receipt": state.get("receipt", {}) if last else {},
        }
    )
    identity = "\0".join((thread or known_as(turn.get("requester")), turn["id"], str(step)))
    return ProposalRecord(
        id=hashlib.sha256(identity.encode("utf-8", "surrogatepass")).hexdigest(),
        thread=thread,
        turn=turn["id"],
        step=step,
        at=at,
        requester=turn.get("requester", {"user_id": ""})["user_id"],
        who=known_as(turn.get("requester")),
        kind=spoken.get("kind", ""),
        problem=spoken.get("problem", ""),
        error=spoken.get("error", ""),
        input_tokens=spoken.get("input_tokens", 0),
        output_tokens=spoken.get("output_tokens", 0),
        model_seconds=spoken.get("model_seconds", 0.0),
        read_us=round(spoken.get("read_seconds", 0.0) * 1e6, 1),
        candidates=dict(spoken.get("candidates", {})),
        review=_review(spoken, state),
        guided=dict(spoken.get("guided", {})),
        outcome=turn.get("outcome", ""),
        spent=turn.get("spent", {}),
        left=turn.get("left", {}),
        last=last,
        **plain,
    )


def _review(spoken: Spoken, state: State) -> dict[str, Any]:
    """Take what came of a review; after an objection, what the model did next (`then`).

    `kept`: it sent a call again that was objected to; `changed`: it made other calls; `withdrawn`: it answered without
    one; `ended`: it said nothing more that could be used.
    """
    reviewed: dict[str, Any] = dict(spoken.get("review", {}))
    return {**reviewed, "then": _then(spoken["step"], state)} if reviewed.get("objected") else reviewed


def _then(step: int, state: State) -> str:
    """Tell what the model did after an objection to calls of a message."""
    calls = state.get("calls", {}).values()
    doubted = {one.get("digest") for one in calls if one.get("step") == step and one.get("kind") == ErrorKind.REVIEWER}
    for later in state["turn"].get("spoken", []):
        if later["step"] <= step or later.get("kind") not in {"call", "answer"}:
            continue
        if later.get("kind") == "answer":
            return "withdrawn"
        return (
            "kept" if doubted & {one.get("digest") for one in calls if one.get("step") == later["step"]} else "changed"
        )
    return "ended"


def _call(record: CallRecord) -> dict[str, Any]:
    """Take from a call what a record keeps."""
    failure, decision = record.get("failure"), record.get("decision")
    return {
        "id": record["id"],
        "raw_name": record.get("raw_name", ""),
        "raw": record.get("raw", ""),
        "tool": record.get("tool", ""),
        "arguments": record.get("arguments"),
        "repairs": record.get("repairs", []),
        "verdicts": [_verdict(verdict) for verdict in record.get("verdicts", ())],
        "review": {name: value for name, value in record.get("review", {}).items() if name in _REVIEW},
        "risk": record.get("risk", ""),
        "warnings": record.get("warnings", ()),
        "decision": decision["type"] if decision else "",
        "decided_by": decision.get("by", {}).get("user_id", "") if decision else "",
        "status": Status(record["status"]).value,
        "kind": str(record.get("kind", "")),
        "missing": record.get("missing", ()),
        "feedback": _shown(record.get("feedback", "")),
        "result": _shown(record.get("result", "")),
        "error": f"{failure['type']}: {failure['message']}" if failure else "",
        "attempts": record.get("attempts", 0),
        "seconds": round(record.get("seconds", 0.0), 6),
        "money": record.get("money", 0.0),
        "served_by": record.get("served_by", ""),
    }


def _shown(text: str) -> str:
    """Cut a text, masked before: half a secret is not known for one. What stands further on is not looked at."""
    shown = str(masked(text[: 2 * _MOST_SHOWN]))[:_MOST_SHOWN]
    mask = shown.rfind("[hidden", -_LONGEST_MASK)
    return shown if mask < 0 or "]" in shown[mask:] else shown[:mask]


def _verdict(verdict: dict[str, Any]) -> dict[str, Any]:
    """Take from a verdict what a record keeps."""
    kept: dict[str, Any] = {
        name: verdict[name] for name in ("layer", "verdict", "kind", "message", "score", "us") if name in verdict
    }
    return {**kept, "fields": verdict.get("fields", [])}

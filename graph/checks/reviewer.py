"""Have the calls of a proposal reviewed: which of them, by whom, and what is put on record of it."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, cast

from langchain_core.messages import AIMessage, AnyMessage
from langgraph.config import get_stream_writer

from reinforced_agent.graph.budget.budget import limit_reached, seconds_left
from reinforced_agent.graph.call_record import CallRecord
from reinforced_agent.graph.checks.pipeline import Examiner
from reinforced_agent.graph.checks.review_request import request_to, shows_strangers
from reinforced_agent.graph.execution.breakers import stopped
from reinforced_agent.graph.prompt.messages import output_of
from reinforced_agent.graph.queries.calls import having, in_hand
from reinforced_agent.graph.queries.effects import Place, needs_claim
from reinforced_agent.graph.records.logs import masking_logger
from reinforced_agent.graph.settings.reviewer import Reviewing
from reinforced_agent.graph.state import Reviewed, Spoken, State, Turn, Update
from reinforced_agent.ledger.effects import Known
from reinforced_agent.models.errors import fault_of
from reinforced_agent.policies.pipeline import Examination
from reinforced_agent.policies.redaction import masked
from reinforced_agent.policies.review import AskUser, Fix, NoOpinion, Opinion, read_opinions
from reinforced_agent.policies.review.opinions import plain
from reinforced_agent.policies.review.policy import stands_by
from reinforced_agent.policies.status import Status
from reinforced_agent.policies.verdicts import Ask, ErrorKind, Refuse, Revise
from reinforced_agent.tools.call import Call
from reinforced_agent.tools.results import message_of


_logger = masking_logger(__name__)

TAG: Final = "reinforced_agent:reviewer"
"""Tag of the requests to a reviewing model, for callbacks and traces."""
EVENT: Final = "reinforced_agent.review"
"""Value of `type` in the custom events that carry what a reviewing model said."""


@dataclass(frozen=True, slots=True)
class Request:
    """A question to a reviewing model."""

    reviewing: Reviewing
    place: Place
    calls: tuple[Call, ...]
    """The calls it is about; equal ones are asked about once."""
    records: tuple[CallRecord, ...]
    """The records these stand for, in the same order, equal ones too."""
    digests: tuple[str, ...]
    """Of the records."""
    messages: list[AnyMessage]
    seconds: float
    """How long an answer is waited for."""


def request_about(place: Place) -> Request | Update:
    """Ask about the calls that have to be reviewed, if there are any and there is room for an objection.

    Raises:
        LedgerError: When the ledger can't be asked what has happened already.

    """
    reviewing = place.bound.reviewing
    found = [] if reviewing is None else _due(place, reviewing)
    if reviewing is None or not found:
        return {}
    calls = tuple({call.digest: call for _, call in found}.values())
    if why := _hindrance(place, reviewing):
        return {"turn": _noted(place.state, {"outcome": "not asked", "why": why, "calls": len(calls)})}
    left = seconds_left(place.state["turn"], place.bound.limits)
    return Request(
        reviewing,
        place,
        calls,
        tuple(record for record, _ in found),
        tuple(call.digest for _, call in found),
        request_to(reviewing, calls, [record["id"] for record, _ in found], place.state, place.bound),
        reviewing.policy.seconds if left is None else min(reviewing.policy.seconds, left),
    )


def _due(place: Place, reviewing: Reviewing) -> list[tuple[CallRecord, Call]]:
    """Return the calls that all other layers pass and that the policy wants reviewed, in canonical form."""
    found, examiner = list[tuple[CallRecord, Call]](), Examiner(place)
    for record in having(in_hand(place.state), Status.PROPOSED):
        if record.get("problems") or "serves" in record:
            continue
        examination = examiner.examine(record)
        call = examination.call
        if call is None:
            continue
        known: CallRecord = {**record, "tool": call.tool, "arguments": dict(call.arguments), "digest": call.digest}
        examiner.note(known)
        if _is_wanted(examination, call, place, reviewing) and _will_run(known, place):
            found.append((record, call))
    return found


def _is_wanted(examination: Examination, call: Call, place: Place, reviewing: Reviewing) -> bool:
    """Tell whether a call has passed, and the policy wants a second look at it."""
    if isinstance(examination.decision, Revise | Refuse) or examination.situation is None:
        return False
    risk = place.bound.rules.approvals.assess(call, examination.situation).risk
    score = min((one.score for one in examination.verdicts if not isinstance(one, Ask)), default=1.0)
    return reviewing.policy.wants(risk, score) and not stands_by(call.digest, place.past)


def _will_run(record: CallRecord, place: Place) -> bool:
    """Tell whether nothing else is going to keep a call from running, such as that it has run already."""
    bound = place.bound
    if record["tool"] in place.exhausted or stopped(record, bound, place.requester):
        return False
    if place.was(record, Status.REJECTED):
        return False
    known = place.known([record]).get(record["id"]) if needs_claim(record, bound) else None
    return known is None or (isinstance(known, Known) and known.status == "failed")


def _hindrance(place: Place, reviewing: Reviewing) -> str:
    """Say why an objection could not be acted on, or an opinion not be had; empty where nothing stands in the way."""
    if not reviewing.policy.may_object(place.past):
        return "loops"
    if not place.may_revise(ErrorKind.REVIEWER):
        return "retries"
    if limit_reached(place.state, place.bound.limits):
        return "limit"
    reviews = (spoken.get("review") for spoken in place.state["turn"].get("spoken", ()))
    return "down" if any(one and one.get("why") in {"late", "failed"} for one in reviews) else ""


def take_in(request: Request, message: AIMessage, seconds: float) -> Update:
    """Put on record what the reviewing model said about each call."""
    opinions = read_opinions(output_of(message), len(request.calls))
    usage: Any = message.usage_metadata or {}
    tokens = {name: usage.get(name, 0) for name in ("input_tokens", "output_tokens")}
    return _on_record(request, opinions, seconds, tokens)


def unheard(request: Request, error: Exception, seconds: float) -> Update:
    """Go on without an opinion where the reviewing model could not be asked, or was not in time."""
    why = "late" if isinstance(error, TimeoutError) else "failed"
    level = logging.ERROR if fault_of(error).permanent else logging.WARNING
    told = masked(f"{type(error).__name__}: {message_of(error)[:500]}")
    _logger.log(level, "The reviewer gave no opinion: %s", told)
    return _on_record(request, tuple(NoOpinion(why) for _ in request.calls), seconds, {})


def _on_record(request: Request, opinions: Sequence[Opinion], seconds: float, tokens: dict[str, int]) -> Update:
    """Write opinions to their calls, and what they cost to the message; and tell who listens."""
    state = request.place.state
    by_digest = dict(zip((call.digest for call in request.calls), opinions, strict=True))
    # Strangers could speak through it to the assistant: then it says no more than which fault and which field.
    beside = {"quote": not shows_strangers(state, request.place.bound), "seconds": seconds}
    reviews = {
        record["id"]: {**record, "review": {"digest": digest, **plain(by_digest[digest]), **beside}}
        for record, digest in zip(request.records, request.digests, strict=True)
    }
    told = {**_summary(opinions), "calls": len(opinions), **tokens, "seconds": seconds}
    about = {"model": request.reviewing.model, "prompt": request.reviewing.version}
    _tell(reviews, told)
    turn = _noted(state, cast("Reviewed", {**told, **about}))
    turn["seconds"] = turn.get("seconds", 0.0) + seconds
    return {"calls": reviews, "turn": turn}


def _summary(opinions: Sequence[Opinion]) -> dict[str, Any]:
    """Say in a word what came of asking; what could not be read is told to the log as well."""
    silent = [opinion.why for opinion in opinions if isinstance(opinion, NoOpinion)]
    objected = sum(isinstance(opinion, Fix | AskUser) for opinion in opinions)
    if unread := [why for why in silent if why in {"unreadable", "silent"}]:
        _logger.warning(
            "The reviewer's word on %d of %d calls can't be used: %s", len(unread), len(opinions), unread[0]
        )
    if len(silent) == len(opinions):
        return {"outcome": "no opinion", "why": silent[0], "objected": 0}
    return {"outcome": "objected" if objected else "passed", "objected": objected}


def _tell(reviews: dict[str, Any], told: dict[str, Any]) -> None:
    """Send what was said to those who listen to custom events."""
    calls = [{"id": call_id, "tool": one["raw_name"], **one["review"]} for call_id, one in reviews.items()]
    get_stream_writer()({"type": EVENT, **told, "reviews": masked(calls)})


def _noted(state: State, reviewed: Reviewed) -> Turn:
    """Write what came of a review beside the message that it is about."""
    *earlier, newest = state["turn"]["spoken"]
    spoken: list[Spoken] = [*earlier, {**newest, "review": reviewed}]
    return {**state["turn"], "spoken": spoken}

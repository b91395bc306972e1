"""Put the calls of a message before the layers, with what they may know; nothing is put on record."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import cached_property
from typing import Final

from reinforced_agent.graph.budget.budget import Reserved
from reinforced_agent.graph.call_record import CallRecord
from reinforced_agent.graph.checks.situation import Beside, Situations
from reinforced_agent.graph.queries.calls import in_hand
from reinforced_agent.graph.queries.effects import Place
from reinforced_agent.policies.messages.outcomes import tell
from reinforced_agent.policies.pipeline import Examination
from reinforced_agent.policies.review import AskUser, Fix, Opinion, insisted, verdict_of
from reinforced_agent.policies.review.opinions import opinion_in
from reinforced_agent.policies.situation import Situation
from reinforced_agent.policies.verdicts import Ask, ErrorKind, Refuse, Revise, Verdict
from reinforced_agent.tools.call import Call
from reinforced_agent.tools.spec import ToolSpec


SIZE: Final = "size"
"""Name of the layer that bounds how many calls a message may hold."""


class Examiner:
    """Examines the calls of the newest proposal in its order; what was decided about one counts for those after it."""

    def __init__(self, place: Place) -> None:
        """Take the conversation, with all calls of the proposal on record."""
        self._place = place
        self._situations = Situations(place)
        self._beside = Beside(in_hand(place.state), place.bound.rules.names)
        self._reserved = Reserved(place.state.get("calls", {}).values())
        order = place.state.get("proposal", {}).get("order", [])
        self._too_many = frozenset(order[place.bound.limits.calls_per_message :])
        self._size = len(order)

    def note(self, record: CallRecord) -> None:
        """Take down what was decided about a call."""
        self._reserved.replace(self._beside[record["id"]], record)
        self._beside.note(record)

    def is_too_many(self, record: CallRecord) -> bool:
        """Tell whether a call stands behind those that are looked at in one message."""
        return record["id"] in self._too_many

    def examine(self, record: CallRecord) -> Examination:
        """Put a call before the layers."""
        if self.is_too_many(record):
            return Examination(None, (self._over_the_bound(),), (0.0,))
        examination = self._place.bound.rules.examine(
            record["raw_name"],
            record["arguments"],
            call_id=record["id"],
            repairs=tuple(record.get("repairs", ())),
            locale=self._place.locale,
            situation=lambda spec: self._situation(spec, record),
            stand_in="serves" in record,
        )
        return examination if self._place.bound.reviewing is None else self._reviewed(examination, record)

    def _situation(self, spec: ToolSpec, record: CallRecord) -> Situation:
        place, known = self._place, self._beside[record["id"]]
        return replace(
            self._situations.of(spec),
            siblings=self._beside.digests(),
            beside=self._beside.others(record["id"]),
            budget=self._reserved.left_for(spec, known, place.state["turn"], place.bound.limits),
        )

    def _over_the_bound(self) -> Revise:
        most = self._place.bound.limits.calls_per_message
        return Revise(
            layer=SIZE,
            kind=ErrorKind.TOO_MANY_CALLS,
            message=tell("too_many_calls", self._place.locale, count=self._size, most=most),
            operator=f"{self._size} calls in one message, of which {most} are looked at",
        )

    def _reviewed(self, examination: Examination, record: CallRecord) -> Examination:
        """Add what a reviewing model said about exactly this call, after all layers have passed it."""
        call = examination.call
        if call is None or isinstance(examination.decision, Revise | Refuse):
            return examination
        review, locale = record.get("review"), self._place.locale
        verdict: Verdict | None = None
        if review is not None and review["digest"] == call.digest:
            parameters = self._place.bound.toolset[call.tool].parameters
            verdict = verdict_of(opinion_in(review), call, parameters, quote=review["quote"], locale=locale)
        elif isinstance(examination.decision, Ask):
            verdict = self._insisted(call)
        if verdict is None:
            return examination
        spent = review["seconds"] if review is not None else 0.0
        return replace(examination, verdicts=(*examination.verdicts, verdict), seconds=(*examination.seconds, spent))

    def _insisted(self, call: Call) -> Ask | None:
        """Say that a call which a person is asked about comes again after an objection of the reviewer."""
        objection = self._objections.get(call.digest)
        if objection is None:
            return None
        opinion, quote = objection
        return insisted(opinion, call, quote=quote, locale=self._place.locale)

    @cached_property
    def _objections(self) -> Mapping[str, tuple[Fix | AskUser, bool]]:
        """What the reviewer objected to in this turn, by fingerprint, and whether its words may be told."""
        found: dict[str, tuple[Fix | AskUser, bool]] = {}
        for record in self._place.state.get("calls", {}).values():
            review = record.get("review")
            if review is None or record.get("kind") != ErrorKind.REVIEWER or "digest" not in record:
                continue
            opinion: Opinion = opinion_in(review)
            if isinstance(opinion, Fix | AskUser):
                found.setdefault(record["digest"], (opinion, review["quote"]))
        return found

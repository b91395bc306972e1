"""Put a question about a call to a person: hold the call, and issue the token that an answer must name."""

from __future__ import annotations

from reinforced_agent.graph.call_record import CallRecord
from reinforced_agent.graph.tickets import Place, may_repeat, person_in, renewed, terms_of
from reinforced_agent.policies.approval import Assessment, may_decide
from reinforced_agent.policies.risk import LAYER as RISK
from reinforced_agent.policies.rulebook import Examination
from reinforced_agent.policies.status import Status
from reinforced_agent.policies.verdicts import Ask, ErrorKind
from reinforced_agent.policies.wording.outcomes import tell
from reinforced_agent.tools.ledger.effects import Known
from reinforced_agent.tools.spec import Risk


def assess(examination: Examination, place: Place) -> Assessment:
    """Say what a call that all layers have looked at could do, and who must agree to it."""
    call, situation = examination.call, examination.situation
    if call is None or situation is None:
        msg = "a call is assessed that not all layers have looked at"
        raise AssertionError(msg)
    return place.bound.rules.approvals.assess(call, situation)


def hold(record: CallRecord, examination: Examination, assessment: Assessment, place: Place) -> CallRecord:
    """Hold a call for a person, who is asked neither twice about the same call nor about one that has run."""
    if place.was(record, Status.REJECTED):
        feedback = tell("rejected_before", place.locale)
        return {**record, "status": Status.REFUSED, "kind": ErrorKind.REJECTED_BY_PERSON, "feedback": feedback}
    held: CallRecord = {**record, **_question(examination), **terms_of(assessment.rule, place.bound)}
    if _has_run(held, place):
        # The ledger gives its outcome; without an approval nothing can be dispatched.
        return {**held, "status": Status.ACCEPTED}
    return renewed({**held, "status": Status.WAITING}, place)


def hold_edited(record: CallRecord, edited: CallRecord, examination: Examination, place: Place) -> CallRecord:
    """Take a person's edit as their approval, unless it is riskier or raises a question that was not put.

    The token of the question is used up either way, and the edited call gets its own.
    """
    assessment = assess(examination, place)
    changed: CallRecord = {**edited, "risk": assessment.risk.value, **terms_of(assessment.rule, place.bound)}
    by = record["decision"]["by"]
    if edited["digest"] != record["digest"]:
        changed = {**changed, "original_digest": record.get("original_digest", record["digest"]), "author": by}
    token = place.bound.ledger.approvals.exchange(
        record["token"],
        place.binding(record),
        place.binding(changed),
        requester=place.state["turn"]["requester"],
        by=by,
        expires=assessment.rule.expires,
    )
    if not token:
        return renewed({**record, "status": Status.WAITING, "note": tell("token_used", place.locale)}, place)
    second = assessment.rule.four_eyes and edited["digest"] != record["digest"]
    if second or _asks_anew(record, examination, assessment, place):
        code = "edited_by_rule" if examination.rewritten else "edited_by_one" if second else ""
        note = tell(code, place.locale, who=by["user_id"]) if code else ""
        return {**changed, **_question(examination), "status": Status.WAITING, "token": token, "note": note}
    return {**changed, "status": Status.APPROVED, "token": token}


def _asks_anew(record: CallRecord, examination: Examination, assessment: Assessment, place: Place) -> bool:
    """Tell whether an edit needs a decision of its own; so does one that a rule changed, which nobody has seen."""
    if examination.rewritten:
        return True
    if assessment.risk.rank > Risk(record["risk"]).rank or not _asked(examination) <= set(record.get("asked", ())):
        return True
    requester, decider = (person_in(person) for person in (place.state["turn"]["requester"], record["decision"]["by"]))
    return may_decide("edit", assessment.rule, requester=requester, decider=decider) is not None


def _question(examination: Examination) -> CallRecord:
    """Say why a person is asked: what the host's own rules want them to know, then the verdict that decided."""
    verdict = examination.decision
    message, kind = (verdict.message, verdict.kind.value) if isinstance(verdict, Ask) else ("", ErrorKind.POLICY.value)
    asked = _asked(examination)
    reason = " ".join([*(question for question in sorted(asked) if question != message), message]).strip()
    return {"kind": kind, "reason": reason, "asked": sorted(asked)}  # type: ignore[typeddict-item]


def _asked(examination: Examination) -> set[str]:
    """Return what the host's own rules want a person to know; the plain question of the risk is put by the risk."""
    return {question.message for question in examination.questions if question.layer != RISK}


def _has_run(record: CallRecord, place: Place) -> bool:
    """Tell whether the ledger has an outcome for exactly this call, or somebody is running it.

    One that failed, or whose outcome nobody knows and which may be run again, needs an approval of its own.
    """
    known = place.known([record]).get(record["id"])
    again = {"failed", "unknown"} if may_repeat(record, place.bound) else {"failed"}
    return known is not None and not (isinstance(known, Known) and known.status in again)

"""Put a question about a call to a person: hold the call, and issue the token that an answer must name."""

from __future__ import annotations

from reinforced_agent.graph.call_record import CallRecord
from reinforced_agent.graph.queries.effects import Place, may_repeat, person_in, renewed, rule_of, terms_of
from reinforced_agent.ledger.effects import Known
from reinforced_agent.policies.approval import Assessment, DecisionType, may_decide
from reinforced_agent.policies.approval.fingerprint import LENGTH
from reinforced_agent.policies.approval.risk import LAYER as RISK
from reinforced_agent.policies.messages.catalogue import in_language
from reinforced_agent.policies.messages.outcomes import tell
from reinforced_agent.policies.pipeline import Examination
from reinforced_agent.policies.status import Status
from reinforced_agent.policies.verdicts import Ask, ErrorKind
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
    terms = place.bound.rules.terms_of(record["tool"])
    held: CallRecord = {**record, **_question(examination), **terms_of(assessment.rule, place.bound), "terms": terms}
    if _has_run(held, place):
        # The ledger gives its outcome; without an approval nothing can be dispatched.
        return {**held, "status": Status.ACCEPTED}
    return renewed({**held, "status": Status.WAITING}, place)


def hold_again(record: CallRecord, checked: CallRecord, examination: Examination, place: Place) -> CallRecord:
    """Take a person's decision for a call that was checked again: their own edit, or one whose rules have changed.

    It is asked about anew where it is not what the person has seen, or not theirs to decide any more. The token of the
    question is used up either way, and the call gets its own.
    """
    assessment, by = assess(examination, place), record["decision"]["by"]
    terms, edited = place.bound.rules.terms_of(checked["tool"]), record["status"] == Status.EDITED
    changed: CallRecord = {**checked, "risk": assessment.risk.value, **terms_of(assessment.rule, place.bound)}
    changed["terms"] = terms
    if edited and checked["digest"] != record["digest"]:
        changed = {**changed, "original_digest": record.get("original_digest", record["digest"]), "author": by}
    token = place.bound.ledger.approvals.exchange(
        record["token"],
        place.binding(record),
        place.binding(changed),
        requester=place.state["turn"]["requester"],
        by=by,
        expires=assessment.rule.expires,
        decision="edit" if edited else "superseded",
    )
    if not token:
        return renewed({**record, "status": Status.WAITING, "note": tell("token_used", place.locale)}, place)
    second = edited and assessment.rule.four_eyes and checked["digest"] != record["digest"]
    changes = _changes(record, changed, examination)
    if not (second or changes or _asks_anew(record, examination, assessment, place)):
        return {**changed, "status": Status.APPROVED, "token": token}
    note = _note(changes, examination, second=second, by=by["user_id"], locale=place.locale)
    return {**changed, **_question(examination), "status": Status.WAITING, "token": token, "note": note}


def _changes(record: CallRecord, changed: CallRecord, examination: Examination) -> list[str]:
    """List what has changed about a call since a person was asked; nothing where today's rules let it run unasked."""
    if record["status"] == Status.OUTDATED and not isinstance(examination.decision, Ask):
        return []
    same_tool = record.get("tool") != changed["tool"] or record.get("terms", "")[:LENGTH] == changed["terms"][:LENGTH]
    changes = [] if same_tool else ["tool"]
    if record["status"] == Status.EDITED:
        return changes
    if changed["digest"] != record["digest"]:
        changes.append("arguments")
    if rule_of(changed) != rule_of(record) or changed["risk"] != record["risk"]:
        changes.append("terms")
    seen = [warning["message"] for warning in record.get("warnings", [])]
    if any(warning["message"] not in seen for warning in changed.get("warnings", [])):
        changes.append("warnings")
    return changes


def _note(changes: list[str], examination: Examination, *, second: bool, by: str, locale: str) -> str:
    """Tell the person why a call is asked about once more."""
    if changes:
        words = in_language(locale, ", ", "、").join(tell(f"changed_{one}", locale) for one in changes)
        return tell("asked_anew", locale, changes=words)
    code = "edited_by_rule" if examination.rewritten else "edited_by_one" if second else ""
    return tell(code, locale, who=by) if code else ""


def _asks_anew(record: CallRecord, examination: Examination, assessment: Assessment, place: Place) -> bool:
    """Tell whether a call needs a decision of its own; so does one that a rule changed, which nobody has seen."""
    if examination.rewritten:
        return True
    if assessment.risk.rank > Risk(record["risk"]).rank or not _asked(examination) <= set(record.get("asked", ())):
        return True
    requester, decider = (person_in(person) for person in (place.state["turn"]["requester"], record["decision"]["by"]))
    decided: DecisionType = "edit" if record["status"] == Status.EDITED else "approve"
    return may_decide(decided, assessment.rule, requester=requester, decider=decider) is not None


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

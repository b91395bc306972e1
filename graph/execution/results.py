"""Turn what a tool returned into the result the model sees: written, judged whole, then made to fit."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Final, assert_never

from reinforced_agent.graph.call_record import CallRecord, Failure
from reinforced_agent.graph.deps import Bindings
from reinforced_agent.graph.execution.judge import MISWRITTEN, UNSUPPORTED, Assessed, assess, noted
from reinforced_agent.graph.execution.read_result import Page
from reinforced_agent.graph.execution.shorten import fit
from reinforced_agent.graph.facts import brought
from reinforced_agent.graph.prompt.untrusted import clean_shown, take_in
from reinforced_agent.graph.records.logs import masking_logger
from reinforced_agent.policies.messages.outcomes import ENGLISH
from reinforced_agent.policies.results import Bad, Doubt, Fine, Suspicious
from reinforced_agent.policies.results.messages import say
from reinforced_agent.policies.results.result import came
from reinforced_agent.policies.status import Status
from reinforced_agent.policies.untrusted.clean import LONGEST_CLEANED
from reinforced_agent.policies.verdicts import ErrorKind
from reinforced_agent.tools.results import Written, stored_form
from reinforced_agent.tools.returned import artifact_of, blocks_of, content_of
from reinforced_agent.tools.spec import Risk


_logger = masking_logger(__name__)

_WITH_WHAT_CAME: Final = frozenset({"schema", "required", "not_json", "check"})
"""Doubts that say what is missing: the text that came in its place may hold the reason."""


def bring(
    record: CallRecord, value: object, bound: Bindings, *, assessed: Assessed | None = None, happened: bool = False
) -> dict[str, Any]:
    """Write a result as text for the model; a read whose result can't be used, or can't be written whole, gave none.

    A write has taken effect all the same, so its result is passed on with what is missing or in doubt, unless the tool
    itself says that it failed.

    Args:
        record: The call.
        value: What the tool returned.
        bound: The parts of the graph.
        assessed: The judgement, where it was made before.
        happened: Whether the target itself confirmed that the call took effect.

    """
    if isinstance(value, Page):
        page, origin = take_in(value.tool, value.text, bound)
        return {"status": Status.DONE, "result": page, "source": value.tool, **origin}
    spec = bound.toolset.get(record.get("tool", ""))
    found = assessed or assess(value, spec, record, bound)
    if found.written.unwritable and spec is not None and spec.risk is Risk.READ:
        message = ENGLISH["unwritable"].format(places=", ".join(found.written.unwritable))
        return _without_result("UnwritableResult", message)
    match found.sanity:
        case Fine():
            learned = brought(record, found.written.text, bound)
            return {**_result(found.written, record, bound), **learned, **_beside(value, found)}
        case Suspicious(doubts=doubts) as suspicious:
            name = record.get("tool", "")
            told = [noted(_told_safely(doubt, found.written, name, bound)) for doubt in doubts]
            # An error that a read reports is an answer for the model, but no fact can be made of it.
            facts = {} if suspicious.reports_error else brought(record, found.written.text, bound)
            return {**_result(found.written, record, bound), **facts, **_beside(value, found), "doubts": told}
        case Bad() as bad:
            _tell_operator(bad.doubt, record)
            return {**_unusable(bad, found.written, record, bound, happened=happened), **_beside(value, found)}
        case _:
            assert_never(found.sanity)


def _beside(value: object, found: Assessed) -> dict[str, Any]:
    """Return what belongs to a result beside its text, as plain data."""
    beside: dict[str, Any] = {}
    if blocks := blocks_of(content_of(value)):
        beside["blocks"] = blocks
    if (artifact := artifact_of(value)) is not None:
        beside["artifact"] = stored_form(artifact)
    if found.asked.facts:
        beside["told_facts"] = found.asked.facts
    if found.asked.handover:
        beside["handover"] = found.asked.handover
    return beside


def _tell_operator(doubt: Doubt, record: CallRecord) -> None:
    """Tell who runs the agent that a tool has to be written in another way."""
    if doubt.code in {UNSUPPORTED, MISWRITTEN}:
        _logger.error("The tool %r can't be used as it is written. %s", record.get("tool", ""), doubt.facts["message"])


def _unusable(bad: Bad, written: Written, record: CallRecord, bound: Bindings, *, happened: bool) -> dict[str, Any]:
    """Tell a result that can't be used from a write that happened all the same."""
    spec = bound.toolset.get(record.get("tool", ""))
    name = record.get("tool", "")
    doubts = {"doubts": [noted(_told_safely(bad.doubt, written, name, bound))]}
    changes = (spec is None or spec.risk is not Risk.READ) and not bad.reported
    if happened or (changes and not bad.lost):
        return {**_result(written, record, bound), **doubts, "in_doubt": True}
    kind = "ReturnedError" if bad.doubt.code == "reported_error" else "BadResult"
    message, origin = take_in(name, bad.doubt.facts.get("message") or say(bad.doubt), bound)
    failed = {**_without_result(kind, message, bad.category), **doubts, **origin}
    return {**failed, "status": Status.UNKNOWN} if changes else failed


def _told_safely(doubt: Doubt, written: Written, tool: str, bound: Bindings) -> Doubt:
    """Clean what strangers wrote in a doubt, and add what came where the doubt alone doesn't hold the reason."""
    facts = dict(doubt.facts)
    if doubt.code in _WITH_WHAT_CAME and written.text.strip():
        facts["came"] = came(written.text)
    return replace(doubt, facts={key: take_in(tool, fact, bound)[0] for key, fact in facts.items()})


def _without_result(kind: str, message: str, category: str = "") -> dict[str, Any]:
    """Put down that a call brought nothing to be used."""
    failure: Failure = {"type": kind, "message": message, "traceback": ""}
    if category:
        failure["category"] = category
    return {"status": Status.FAILED, "kind": ErrorKind.BAD_RESULT, "failure": failure}


def bring_again(record: CallRecord, text: str, bound: Bindings, *, summary: str) -> dict[str, Any]:
    """Make a result of earlier fit for a call of now, as a fresh one is: cleaned, screened and shortened anew."""
    return _shown(text, record, bound, summary=summary)


def _result(written: Written, record: CallRecord, bound: Bindings) -> dict[str, Any]:
    """Make a result fit, with notes on what could not be written."""
    shown = _shown(written.text, record, bound)
    notes = [ENGLISH["unwritable"].format(places=", ".join(written.unwritable))] if written.unwritable else []
    notes += [ENGLISH["not_finite"].format(places=", ".join(written.not_finite))] if written.not_finite else []
    return {"status": Status.DONE, **shown, "result": "\n".join([shown["result"], *(f"[{one}]" for one in notes)])}


def _shown(whole: str, record: CallRecord, bound: Bindings, *, summary: str | None = None) -> dict[str, Any]:
    """Take a text in, and make it fit."""
    text, origin = take_in(record.get("tool", ""), whole, bound)
    shown = {**fit(text, record, bound, summary=summary), **origin}
    if len(text) > LONGEST_CLEANED:
        shown["result"] = clean_shown(shown["result"], origin, bound)
    return shown

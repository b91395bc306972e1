"""Keep good results for worse times, whole and with their marks, and tell them again as carefully as a fresh one."""

from __future__ import annotations

from typing import Final, cast

from reinforced_agent.graph.call_record import CallRecord
from reinforced_agent.graph.deps import Bindings
from reinforced_agent.graph.execution.read_result import for_run
from reinforced_agent.graph.execution.results import bring_again
from reinforced_agent.graph.execution.wording import retold
from reinforced_agent.graph.prompt.untrusted import taken_in_before
from reinforced_agent.graph.records.logs import masking_logger
from reinforced_agent.graph.resilience.good_results import Found, GoodResult, entries_of
from reinforced_agent.graph.state import State
from reinforced_agent.policies.messages.fallbacks import say, time_words
from reinforced_agent.policies.results.verdicts import SILENT
from reinforced_agent.policies.status import Status
from reinforced_agent.tools.spec import Risk


_logger = masking_logger(__name__)

_OF_THE_MOMENT: Final = frozenset({"stale", "no_time", *SILENT})
"""Doubts that would be wrong later: how old a result is, that it is an error, or that something is under way."""


def remember(ran: CallRecord, judged: CallRecord, state: State, thread: str, bound: Bindings) -> None:
    """Keep what a read brought, where its chain may tell it again.

    What a person had to agree to isn't kept, so that it is never told without their agreement.

    Args:
        ran: The call as it came back.
        judged: The same with the judgement on its result.
        state: The conversation.
        thread: Its id; empty where nothing keeps it.
        bound: The parts of the graph.

    """
    spec = bound.toolset[ran["tool"]]
    if spec.risk is not Risk.READ or judged["status"] != Status.DONE or not entries_of(spec):
        return
    of_a_person = judged.get("held") or "original_digest" in judged
    if of_a_person or any(doubt["code"] in _OF_THE_MOMENT for doubt in judged.get("doubts", [])):
        return
    text = _whole(ran, for_run(bound, thread, state["turn"]["id"], state["turn"]["requester"], bound.locale))
    if text is not None:
        doubts, summary = tuple(ran.get("doubts", [])), ran.get("summary", "")
        good = GoodResult(text=text, foreign=ran.get("foreign"), doubts=doubts, summary=summary)
        bound.good_results.keep(judged, good, spec, state, thread)


def find_good(record: CallRecord, number: int, state: State, thread: str, bound: Bindings) -> Found | None:
    """Return the earlier result that one entry of a tool's chain may tell for a call.

    For a call that a person would have had to agree to, and wasn't asked about, there is none.
    """
    if record.get("held") and "decision" not in record:
        return None
    return bound.good_results.find(record, number, bound.toolset[record["tool"]], state, thread)


def served_again(record: CallRecord, found: Found, state: State, thread: str, bound: Bindings) -> CallRecord:
    """Serve a call with an earlier result: its text is screened, shortened and kept for this conversation anew."""
    locale = state["turn"].get("locale", "en")
    good, run = found.result, for_run(bound, thread, state["turn"]["id"], state["turn"]["requester"], locale)
    shown = bring_again(record, good.text, run, summary=good.summary)
    shown |= taken_in_before(good.foreign, shown.get("foreign"), bound)
    brought = cast("CallRecord", {**record, **shown, "doubts": list(good.doubts), "in_doubt": False})
    time = time_words(found.age, locale)
    result = retold(brought, locale)
    words = say("last_good", locale, tool=record["tool"], time=time, result=result)
    served: CallRecord = {**brought, "status": Status.SERVED, "served_by": "last_good", "age": found.age}
    return {**served, "result": words, "lead": len(words) - len(result)}


def _whole(record: CallRecord, run: Bindings) -> str | None:
    """Return the whole of a result; `None` where no more than a part of it can be had."""
    kept = record.get("kept")
    if kept is None:
        return record["result"]
    try:
        found = None if run.sizes.store is None else run.sizes.store.find(run.conversation, kept["reference"])
    except Exception:
        _logger.exception("The whole result of %r can't be read, so it is not kept for later.", record["tool"])
        return None
    return found.text if found is not None and len(found.text) == found.length else None

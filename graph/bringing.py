"""Turn what a tool returned into the result the model sees: written, judged whole, then made to fit."""

from __future__ import annotations

import json
from typing import Any

from reinforced_agent.graph.bindings import Bindings
from reinforced_agent.graph.call_record import CallRecord, Failure
from reinforced_agent.graph.establishing import brought
from reinforced_agent.policies.sanity import SoftError, judge_result
from reinforced_agent.policies.status import Status
from reinforced_agent.policies.verdicts import ErrorKind
from reinforced_agent.policies.wording.outcomes import ENGLISH
from reinforced_agent.tools.results import cut, write
from reinforced_agent.tools.spec import Risk


def bring(record: CallRecord, value: object, bound: Bindings) -> dict[str, Any]:
    """Write a result as text for the model; a read whose result can't be written whole gave none.

    A write has taken effect all the same, so its result is passed on with what is missing.
    """
    written = write(value)
    spec = bound.toolset.get(record.get("tool", ""))
    if written.unwritable and spec is not None and spec.risk is Risk.READ:
        message = ENGLISH["unwritable"].format(places=", ".join(written.unwritable))
        failure: Failure = {"type": "UnwritableResult", "message": message, "traceback": ""}
        return {"status": Status.FAILED, "kind": ErrorKind.BAD_RESULT, "failure": failure}
    result = cut(_compact(written.text), tokens=bound.limits.result_tokens_of(spec), notice=ENGLISH["cut"])
    if isinstance(judge_result(result), SoftError):
        return {"status": Status.DONE, "result": result}
    notes = [ENGLISH["unwritable"].format(places=", ".join(written.unwritable))] if written.unwritable else []
    notes += [ENGLISH["not_finite"].format(places=", ".join(written.not_finite))] if written.not_finite else []
    told = "\n".join([result, *(f"[{note}]" for note in notes)])
    return {"status": Status.DONE, "result": told, **brought(record, written.text, bound)}


def _compact(text: str) -> str:
    """Keep of an error that was returned what is told about it: cut in the middle it would pass for a result."""
    sanity = judge_result(text)
    return json.dumps({"status": "error", "error": sanity.message}) if isinstance(sanity, SoftError) else text

"""Judge what a tool returned as a whole, once: before it is decided whether to call again, and before it is cut."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from reinforced_agent.graph.call_record import CallRecord, NotedDoubt
from reinforced_agent.graph.deps import Bindings
from reinforced_agent.graph.execution.commands import Asked, CommandError, asked_by
from reinforced_agent.policies.results import Bad, Doubt, Expected, Fine, Sanity, judge_result
from reinforced_agent.policies.results.verdicts import told_failure
from reinforced_agent.tools.errors import Diagnosis
from reinforced_agent.tools.results import Written, write
from reinforced_agent.tools.returned import Misreturned, says_failed, steers
from reinforced_agent.tools.spec import Risk, ToolSpec


UNSUPPORTED: Final = "command"
"""Code of the doubt about a result by which a tool asks for something that the graph doesn't do."""
MISWRITTEN: Final = "other_form"
"""Code of the doubt about a result in another form than the tool declares."""


@dataclass(frozen=True, slots=True)
class Assessed:
    """A result as text, what is to be said about it, and what it asks for beside that."""

    written: Written
    sanity: Sanity
    asked: Asked = field(default_factory=Asked)


def assess(value: object, spec: ToolSpec | None, record: CallRecord, bound: Bindings) -> Assessed:
    """Write a result as text, and judge it; one that asks for what the graph doesn't do can't be used."""
    written = write(value)
    if isinstance(value, Misreturned):
        return Assessed(written, Bad(Doubt(MISWRITTEN, {"message": value.problem}), may_pass=False))
    if says_failed(value):
        return Assessed(written, told_failure(written.text))
    try:
        asked = asked_by(value, record["id"], nested=bound.nested)
    except CommandError as error:
        return Assessed(written, Bad(Doubt(UNSUPPORTED, {"what": error.what, "message": str(error)}), may_pass=False))
    if steers(value) and not written.text.strip():
        # A command may come without a word; what it does is its result.
        return Assessed(written, Fine(), asked)
    return Assessed(written, _judged(written, spec, record.get("arguments", {}), bound), asked)


def _judged(written: Written, spec: ToolSpec | None, arguments: Mapping[str, Any], bound: Bindings) -> Sanity:
    if spec is None:
        return judge_result(written.text)
    asked = frozenset(one for one in arguments.values() if isinstance(one, str))
    changes, replaceable = spec.risk is not Risk.READ, bool(spec.fallbacks)
    expected = Expected(rules=spec.result, changes=changes, replaceable=replaceable, asked=asked)
    dated = spec.result is not None and spec.result.freshness is not None
    return judge_result(written.text, expected, bound.now() if dated else None)


def fault_of(assessed: Assessed) -> Diagnosis:
    """Say in the terms of a failure whether the same call may bring a better result."""
    again = isinstance(assessed.sanity, Bad) and assessed.sanity.may_pass
    return Diagnosis(transient=again, conclusive=False)


def noted(doubt: Doubt) -> NotedDoubt:
    """Write a doubt as plain data."""
    return {"code": doubt.code, "facts": dict(doubt.facts), "mention": doubt.mention}


def doubt_of(data: NotedDoubt) -> Doubt:
    """Read a doubt from plain data."""
    return Doubt(data["code"], data["facts"], data["mention"])

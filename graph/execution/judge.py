"""Judge what a tool returned as a whole, once: before it is decided whether to call again, and before it is cut."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from reinforced_agent.graph.call_record import NotedDoubt
from reinforced_agent.graph.deps import Bindings
from reinforced_agent.policies.results import Bad, Doubt, Expected, Sanity, judge_result
from reinforced_agent.policies.results.verdicts import told_failure
from reinforced_agent.tools.errors import Diagnosis
from reinforced_agent.tools.results import Written, write
from reinforced_agent.tools.spec import Risk, ToolSpec


@dataclass(frozen=True, slots=True)
class Assessed:
    """A result as text, and what is to be said about it."""

    written: Written
    sanity: Sanity


def assess(value: object, spec: ToolSpec | None, arguments: Mapping[str, Any], bound: Bindings) -> Assessed:
    """Write a result as text, and judge it."""
    written = write(value)
    if _is_marked_as_error(value):
        return Assessed(written, told_failure(written.text))
    if spec is None:
        return Assessed(written, judge_result(written.text))
    asked = frozenset(one for one in arguments.values() if isinstance(one, str))
    changes, replaceable = spec.risk is not Risk.READ, bool(spec.fallbacks)
    expected = Expected(rules=spec.result, changes=changes, replaceable=replaceable, asked=asked)
    dated = spec.result is not None and spec.result.freshness is not None
    return Assessed(written, judge_result(written.text, expected, bound.now() if dated else None))


def _is_marked_as_error(value: object) -> bool:
    """Tell a tool message by which a tool of LangChain says that it failed."""
    return hasattr(value, "tool_call_id") and getattr(value, "status", None) == "error"


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

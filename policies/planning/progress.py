"""How far a plan is: which call belongs to which step, and where each step stands."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal, TypeAlias

from reinforced_agent.policies.planning.messages import listed, say
from reinforced_agent.policies.situation import Situation
from reinforced_agent.policies.status import UNSETTLED, Status
from reinforced_agent.policies.verdicts import Accept, Ask, ErrorKind, Revise, Verdict
from reinforced_agent.tools.call import Call
from reinforced_agent.tools.spec import Risk


StepState: TypeAlias = Literal["pending", "done", "failed", "skipped"]
"""Where a step stands: still to do; done; failed for good; left out, because the turn ended well without it."""

PlainStep: TypeAlias = dict[str, Any]
"""A step as plain data, as `Step.plain` gives it."""
CallView: TypeAlias = Mapping[str, Any]
"""A call as plain data: `id`, `step`, `tool`, `arguments`, `status`, `kind`."""

_GOOD: Final = frozenset({Status.DONE, Status.SERVED, Status.ANSWERED})
_LOST: Final = frozenset({Status.REFUSED, Status.REJECTED, Status.OPEN, Status.UNKNOWN})
_NOT_BEHIND: Final = frozenset({"pending", "failed"})
_NO_TRY: Final = frozenset({Status.REVISE, Status.SUPERSEDED})
"""Calls that say nothing about a step: they were not what the model meant, or nobody decided."""

LAYER: Final = "plan"

_FINE: Final = Accept(layer=LAYER)


def followed(
    steps: Sequence[PlainStep], calls: Iterable[CallView], *, since: int, patience: Callable[[str], int]
) -> list[PlainStep]:
    """Return the steps with the calls that belong to them and where they stand now; the same for the same calls.

    Args:
        steps: The plan, as far as it was followed before.
        calls: The calls of the turn, oldest first.
        since: Calls of later proposals than this one can belong to a step.
        patience: How often a failure of a kind may be tried again before the step has failed for good.

    """
    steps = [{**step, "calls": list(step["calls"])} for step in steps]
    known = {call["id"]: call for call in calls if "serves" not in call}
    taken = {call_id for step in steps for call_id in step["calls"]}
    for call in known.values():
        if call.get("step", 0) <= since or call["id"] in taken or call["status"] in _NO_TRY:
            continue
        found = _step_for(call, steps, known)
        if found is not None:
            found["calls"].append(call["id"])
    return [{**step, "status": _standing(step, known, patience)} for step in steps]


def is_open(step: PlainStep) -> bool:
    """Tell whether a step is still to do."""
    return bool(step["status"] == "pending")


def waits_for(step: PlainStep, steps: Iterable[PlainStep]) -> list[PlainStep]:
    """Return the steps that have to come first and are not done."""
    return [other for other in steps if other["id"] in step["depends_on"] and other["status"] in _NOT_BEHIND]


def ready(steps: Sequence[PlainStep]) -> list[PlainStep]:
    """Return the steps that can be done now."""
    return [step for step in steps if is_open(step) and not waits_for(step, steps)]


def _step_for(call: CallView, steps: Sequence[PlainStep], known: Mapping[str, CallView]) -> PlainStep | None:
    """Find the step that a call is for: one of its tool that no other call is at work on, the best fit first."""
    fitting = [step for step in steps if step["tool"] == call.get("tool") and not _is_taken(step, known)]
    return min(fitting, key=lambda step: _misfit(call, step, steps), default=None)


def _is_taken(step: PlainStep, known: Mapping[str, CallView]) -> bool:
    """Tell whether a call has done the step, or is about to."""
    busy = _GOOD | UNSETTLED
    return step["status"] == "done" or any(known[one]["status"] in busy for one in step["calls"] if one in known)


def _misfit(call: CallView, step: PlainStep, steps: Sequence[PlainStep]) -> tuple[int, bool, bool]:
    """Count planned arguments that the call has otherwise; then, steps that wait or have failed come last."""
    given = call.get("arguments") or {}
    different = sum(name not in given or given[name] != value for name, value in step["arguments"].items())
    return different, bool(waits_for(step, steps)), not is_open(step)


def _standing(step: PlainStep, known: Mapping[str, CallView], patience: Callable[[str], int]) -> StepState:
    """Derive where a step stands from its newest call; without one it stays where it was."""
    tried = [known[one] for one in step["calls"] if one in known and known[one]["status"] not in _NO_TRY]
    if not tried:
        before: StepState = step["status"]
        return before
    newest = tried[-1]
    if newest["status"] in _GOOD:
        return "done"
    if newest["status"] in _LOST:
        return "failed"
    if newest["status"] == Status.FAILED and "kind" in newest:
        same = sum(call["status"] == Status.FAILED and call.get("kind") == newest["kind"] for call in tried)
        return "failed" if same > patience(newest["kind"]) else "pending"
    return "pending"


@dataclass(frozen=True, slots=True)
class PlanLayer:
    """Lets through every read, and every write that is a step whose turn it is."""

    @property
    def __name__(self) -> str:
        """Its name in records."""
        return LAYER

    def __call__(self, call: Call, situation: Situation) -> Verdict:
        """Judge a call; without a plan there is nothing to say."""
        steps: list[PlainStep] = [dict(step) for step in situation.plan]
        if not steps or situation.spec.risk is Risk.READ:
            return _FINE
        planned = [step for step in steps if step["tool"] == call.tool and step["status"] in {"pending", "failed"}]
        if not planned:
            return _object("off_plan", "ask_off_plan", call, situation, ready(steps))
        before = [waits_for(step, steps) for step in planned]
        if not all(before):
            return _FINE
        return _object("too_early", "ask_early", call, situation, before[0])


def _object(code: str, question: str, call: Call, situation: Situation, first: list[PlainStep]) -> Verdict:
    """Send the call back, or ask a person where the model has been told so in this turn."""
    locale = situation.locale
    names = listed([step["tool"] for step in first], locale)
    told = any(past.kind == ErrorKind.OFF_PLAN and past.status == Status.REVISE for past in situation.history)
    if told:
        return Ask(layer=LAYER, kind=ErrorKind.OFF_PLAN, message=say(question, locale, steps=names))
    following = say("off_plan_next", locale, steps=names) if first else ""
    message = say(code, locale, tool=call.tool, next=following, steps=names)
    return Revise(layer=LAYER, kind=ErrorKind.OFF_PLAN, message=message, operator=f"{code}: {call.tool}")

"""The layer that holds calls against the plan: what changes something and isn't planned goes back once, then asks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from reinforced_agent.policies.planning.following import PlainStep, ready, waits_for
from reinforced_agent.policies.situation import Situation
from reinforced_agent.policies.status import Status
from reinforced_agent.policies.verdicts import Accept, Ask, ErrorKind, Revise, Verdict
from reinforced_agent.policies.wording.planning import listed, say
from reinforced_agent.tools.call import Call
from reinforced_agent.tools.spec import Risk


LAYER: Final = "plan"

_FINE: Final = Accept(layer=LAYER)


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

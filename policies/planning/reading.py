"""Read what the model said when it was asked for a plan: a call of the plan tool, or the same as JSON text."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final, TypeAlias, assert_never

from reinforced_agent.policies.messages import for_model
from reinforced_agent.policies.parsing import (
    Answer,
    Calls,
    Decoded,
    ModelOutput,
    ReadCall,
    UnreadCall,
    Unusable,
    decode_arguments,
)
from reinforced_agent.policies.parsing import read as read_message
from reinforced_agent.policies.planning.messages import say
from reinforced_agent.policies.planning.policy import PLAN_TOOL, SPEC
from reinforced_agent.policies.planning.steps import Plan, plan_of
from reinforced_agent.policies.schema import CompiledTool
from reinforced_agent.policies.schema.validate import check_arguments
from reinforced_agent.policies.tool_names import NameIndex
from reinforced_agent.policies.verdicts import Accept, ErrorKind, Problem
from reinforced_agent.tools.call import JSON, Call


_FENCE: Final = re.compile(r"```[A-Za-z]*+[^\S\n]*+\n(.*?)```", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Draft:
    """A plan that could be read; whether it can be followed is another question."""

    plan: Plan


@dataclass(frozen=True, slots=True)
class NoPlan:
    """The model did something else: it answered, or called a tool."""


@dataclass(frozen=True, slots=True)
class Unreadable:
    """What was meant as a plan can't be read."""

    kind: ErrorKind
    message: str
    """For the model."""


ReadPlan: TypeAlias = Draft | NoPlan | Unreadable


class PlanReader:
    """The schema of a plan, compiled once."""

    def __init__(self) -> None:
        """Compile it."""
        self._tool = CompiledTool.compile(SPEC)
        self._names = NameIndex([PLAN_TOOL])

    def read(self, output: ModelOutput, *, locale: str) -> ReadPlan:
        """Read one message."""
        reading = read_message(output, self._names)
        match reading:
            case Calls(calls=calls):
                return self._of_calls(calls, locale)
            case Answer(text=text):
                return self._of_text(text, locale)
            case Unusable(problems=problems):
                return _unreadable(problems, locale)
            case _:
                assert_never(reading)

    def of_arguments(self, arguments: dict[str, JSON], *, locale: str) -> Draft | Unreadable:
        """Read a plan from decoded arguments; the schema is that of any call."""
        verdict = check_arguments(self._tool, Call("plan", PLAN_TOOL, arguments), locale=locale)
        if not isinstance(verdict, Accept):
            return Unreadable(verdict.kind, verdict.message)
        steps = (verdict.call.arguments if verdict.call else arguments)["steps"]
        return Draft(plan_of(steps))  # type: ignore[arg-type]  # the schema says what it is

    def _of_calls(self, calls: tuple[ReadCall | UnreadCall, ...], locale: str) -> ReadPlan:
        """Take the call of the plan tool; two plans are one too many to choose from."""
        plans = [call for call in calls if self._names.resolve(call.name) is not None]
        if not plans:
            return NoPlan()
        if len(plans) > 1:
            return Unreadable(ErrorKind.MALFORMED, say("two_plans", locale))
        plan = plans[0]
        if isinstance(plan, UnreadCall):
            return _unreadable(plan.problems, locale)
        return self.of_arguments(plan.arguments, locale=locale)

    def _of_text(self, text: str, locale: str) -> ReadPlan:
        """Take a text that is nothing but one JSON object with steps; any other text is no plan."""
        fences = _FENCE.findall(text)
        body = fences[0] if len(fences) == 1 else text
        if not body.strip().startswith("{") or '"steps"' not in body:
            return NoPlan()
        decoded = decode_arguments(body)
        if isinstance(decoded, Decoded):
            return self.of_arguments(decoded.arguments, locale=locale)
        return _unreadable(decoded.problems, locale)


def _unreadable(problems: tuple[Problem, ...], locale: str) -> Unreadable:
    """Say what stands in the way of reading."""
    return Unreadable(problems[0].kind, for_model(problems, tool=PLAN_TOOL, locale=locale))

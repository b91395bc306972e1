"""Judge the calls of one response as BFCL's own checker does; nothing is run."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from benchmarks.bfcl.values import OMITTED, Allowed, Fault, judge_value


_NO_CALL_IS_RIGHT = ("irrelevance",)
_ANY_CALL_IS_RIGHT = ("live_relevance",)


Tools: TypeAlias = Sequence[Mapping[str, Any]]
"""Tools as name, description and parameters (JSON Schema)."""
Answers: TypeAlias = Sequence[Mapping[str, Mapping[str, Allowed]]]
"""The wanted calls, each as its name with the allowed values by argument."""


@dataclass(frozen=True, slots=True)
class WrittenCall:
    """A call as far as it counts here."""

    name: str
    arguments: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Response:
    """What a model proposed."""

    calls: tuple[WrittenCall, ...] = ()
    """In their order; none when the model answered in words."""
    unreadable: str = ""
    """Why its calls can't be read; then none of them counts."""


@dataclass(frozen=True, slots=True)
class Score:
    """The judgement on one response."""

    fault: Fault | None = None
    """What is wrong; `None` when it is right."""
    where: str = ""
    """The argument, or the call, that is wrong; empty where that says nothing."""

    @property
    def right(self) -> bool:
        """Whether nothing is wrong."""
        return self.fault is None


def judge_response(category: str, tools: Tools, answers: Answers, response: Response) -> Score:
    """Judge a response.

    Args:
        category: The BFCL category of the question; it decides which rules hold.
        tools: The tools that were offered.
        answers: The wanted calls; not looked at where the category asks only whether there is a call.
        response: What the model proposed.

    """
    if category.endswith(_NO_CALL_IS_RIGHT):
        return Score(Fault.CALLED) if response.calls and not response.unreadable else Score()
    if response.unreadable:
        return Score(Fault.NOT_CALLED, response.unreadable)
    if category in _ANY_CALL_IS_RIGHT:
        return Score() if response.calls else Score(Fault.NOT_CALLED)
    if len(response.calls) != len(answers):
        return Score(Fault.COUNT, f"{len(response.calls)} calls, {len(answers)} wanted")
    if "parallel" in category:
        return _judge_parallel(tools, answers, response.calls)
    return _judge_call(tools, answers[0], response.calls[0])


def _judge_parallel(tools: Tools, answers: Answers, calls: Sequence[WrittenCall]) -> Score:
    """Find a call for each answer, in the order of the answers; a call that serves one is gone for the others."""
    left = list(calls)
    for answer in answers:
        place = next((n for n, call in enumerate(left) if _judge_call(tools, answer, call).right), None)
        if place is None:
            return Score(Fault.NO_MATCH, next(iter(answer)))
        del left[place]  # by its place: calls with 30 and 30.0 are equal, but not equally right
    return Score()


def _judge_call(tools: Tools, answer: Mapping[str, Mapping[str, Allowed]], call: WrittenCall) -> Score:
    """Compare one call with one answer."""
    name, allowed = next(iter(answer.items()))
    if legal_name(call.name) != legal_name(name):
        return Score(Fault.NAME, call.name)
    parameters = next(tool["parameters"] for tool in tools if legal_name(tool["name"]) == legal_name(name))
    for missing in parameters.get("required") or ():
        if missing not in call.arguments:
            return Score(Fault.MISSING_REQUIRED, missing)
    fields = parameters.get("properties") or {}
    for field, value in call.arguments.items():
        if field not in fields or field not in allowed:
            return Score(Fault.UNEXPECTED, field)
        if fault := judge_value(value, fields[field], allowed[field]):
            return Score(fault, field)
    left_out = (field for field in allowed if field not in call.arguments and OMITTED not in allowed[field])
    missing_optional = next(left_out, None)
    return Score() if missing_optional is None else Score(Fault.MISSING_OPTIONAL, missing_optional)


def legal_name(name: str) -> str:
    """Write the name of a tool as models are given it: providers take no dots."""
    return re.sub(r"[^A-Za-z0-9_-]", "_", name)

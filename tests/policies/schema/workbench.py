"""Tools and calls that the tests of routing and arguments share."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from reinforced_agent.policies.schema import CompiledTool
from reinforced_agent.policies.schema.validate import check_arguments
from reinforced_agent.policies.verdicts import Accept, Refuse, Revise
from reinforced_agent.tools.call import JSON, Call
from reinforced_agent.tools.spec import Example, Risk, ToolSpec


def tool(
    properties: Mapping[str, Any] | None = None,
    required: tuple[str, ...] = (),
    *,
    parameters: Mapping[str, Any] | None = None,
    risk: Risk = Risk.WRITE,
    validate: Callable[[Mapping[str, JSON]], None] | None = None,
    examples: tuple[Mapping[str, JSON], ...] = (),
) -> CompiledTool:
    """Make a tool ready whose schema says nothing about unknown fields, unless its parameters are given whole."""
    schema = parameters or {"type": "object", "properties": dict(properties or {}), "required": list(required)}
    return CompiledTool.compile(
        ToolSpec(
            name="plan_trip",
            description="",
            parameters=schema,
            risk=risk,
            validate=validate,
            examples=tuple(Example("", arguments) for arguments in examples),
        )
    )


def call(arguments: Mapping[str, JSON], repairs: tuple[str, ...] = ()) -> Call:
    """Make a call of that tool."""
    return Call("c1", "plan_trip", arguments, repairs)


def accepted(of: CompiledTool, arguments: Mapping[str, JSON]) -> Call:
    """Check a call that has to be accepted, and return its canonical form."""
    verdict = check_arguments(of, call(arguments))
    assert isinstance(verdict, Accept), getattr(verdict, "message", verdict)
    assert verdict.call is not None
    return verdict.call


def objected(of: CompiledTool, arguments: Mapping[str, JSON], locale: str = "en") -> Revise:
    """Check a call that has to come back to the model, and return the verdict."""
    verdict = check_arguments(of, call(arguments), locale=locale)
    assert isinstance(verdict, Revise), verdict
    return verdict


def refused(of: CompiledTool, arguments: Mapping[str, JSON]) -> Refuse:
    """Check a call that asking again can't help, and return the verdict."""
    verdict = check_arguments(of, call(arguments))
    assert isinstance(verdict, Refuse), verdict
    return verdict

"""Layer 3: bring the arguments of a call to their canonical form, or say what has to change."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any, Final

from reinforced_agent.policies.messages import for_model, for_operator
from reinforced_agent.policies.schema.coerce import coerce
from reinforced_agent.policies.schema.compiled import CompiledTool
from reinforced_agent.policies.schema.faults import find_faults
from reinforced_agent.policies.schema.soundness import find_flaw
from reinforced_agent.policies.text.folds import path_text
from reinforced_agent.policies.verdicts import Accept, ErrorKind, Problem, Refuse, Revise
from reinforced_agent.tools.call import JSON, Call


LAYER: Final = "arguments"
_LONGEST_REASON: Final = 300
_SCHEMA_WORDS: Final = frozenset(
    {"type", "properties", "required", "additionalProperties", "description", "title", "$schema", "$defs"}
)
_NO_EXAMPLE: Final = frozenset(
    {
        "unknown_argument_use",
        "unknown_argument_twice",
        "unknown_argument_near",
        "unknown_argument",
        "unknown_argument_many",
        "unknown_argument_inside",
        "wrapped_arguments",
    }
)
_MISSING: Final = frozenset({"missing_argument", "missing_choice"})
_POSITION: Final = re.compile(r"\[[0-9]+\]")
_REASON_PREFIXES: Final = ("Value error, ", "Assertion failed, ")


def check_arguments(tool: CompiledTool, call: Call, *, locale: str = "en") -> Accept | Revise | Refuse:
    """Check the arguments of a call against the schema of its tool and the tool's own check.

    Args:
        tool: The tool the call names, made ready.
        call: The call as it was read; it is not changed.
        locale: Language of the message for the model, such as `en` or `zh-CN`.

    Returns:
        `Accept` with the canonical call: the one given, where nothing had to be coerced. `Revise` with all problems
        at once. `Refuse` only where the tool's own check broke, which no other arguments would mend.

    """
    arguments = call.arguments if isinstance(call.arguments, dict) else dict(call.arguments)
    if tool.is_plainly_valid(arguments):
        return _after_own_check(tool, call, locale) if tool.spec.validate else Accept(layer=LAYER, call=call)
    problems = _unsound(tool, arguments) or _echoed_schema(tool, arguments)
    if problems:
        return _revise(tool, problems, locale)
    value, repairs = coerce(tool, arguments)
    fitted = value if isinstance(value, dict) else arguments
    problems = find_faults(tool, fitted)
    if problems:
        return _revise(tool, problems, locale, corrected=_corrected(tool, fitted, problems))
    canonical = replace(call, arguments=fitted, repairs=call.repairs + repairs) if repairs else call
    return _after_own_check(tool, canonical, locale)


def _unsound(tool: CompiledTool, arguments: dict[str, JSON]) -> tuple[Problem, ...]:
    """Object to what no schema should have to look at."""
    flaw = find_flaw(arguments)
    if flaw is None:
        return ()
    code, path = flaw
    return (Problem(code, ErrorKind.INVALID_ARGUMENTS, path_text(path), {"tool": tool.name}),)


def _echoed_schema(tool: CompiledTool, arguments: dict[str, JSON]) -> tuple[Problem, ...]:
    """Recognise the tool's own description where its arguments should be."""
    names = tool.view(tool.schema).names
    if not arguments or names & arguments.keys() or not arguments.keys() <= _SCHEMA_WORDS:
        return ()
    if not isinstance(arguments.get("properties"), dict) and arguments.get("type") != "object":
        return ()
    code = "schema_echoed" if names else "schema_echoed_none"
    return (Problem(code, ErrorKind.UNKNOWN_ARGUMENT, "", {"tool": tool.name}),)


def _after_own_check(tool: CompiledTool, call: Call, locale: str) -> Accept | Revise | Refuse:
    """Let the tool's own check look at a copy of arguments that fit the schema."""
    if tool.spec.validate is None:
        return Accept(layer=LAYER, call=call)
    try:
        tool.spec.validate(_copied(dict(call.arguments)))
    except ValueError as error:
        return _revise(tool, _objections(tool, error), locale)
    except Exception as error:  # noqa: BLE001 - whatever breaks in the host's check, the call must not run
        return _broken_check(tool, error, locale)
    return Accept(layer=LAYER, call=call)


def _objections(tool: CompiledTool, error: ValueError) -> tuple[Problem, ...]:
    """Read the objection of a tool's own check: one text, or one per field where it knows the fields."""
    details = _details(error)
    if not details:
        return (_objection(tool, "", str(error)),)
    return tuple(_objection(tool, path_text(at), text) for at, text in details)


def _details(error: ValueError) -> list[tuple[tuple[str | int, ...], str]]:
    """Return the place and text of each error in a validation error that lists them, as Pydantic's does."""
    listing = getattr(error, "errors", None)
    if not callable(listing):
        return []
    try:
        listed: Iterable[Mapping[str, Any]] = listing()
        return [(tuple(entry["loc"]), str(entry["msg"])) for entry in listed]
    except (TypeError, KeyError):
        return []


def _objection(tool: CompiledTool, path: str, text: str) -> Problem:
    for prefix in _REASON_PREFIXES:
        text = text.removeprefix(prefix)
    reason = " ".join(text.split())[:_LONGEST_REASON]
    code = ("own_check_field" if path else "own_check") if reason else "own_check_silent"
    return Problem(code, ErrorKind.INVALID_ARGUMENTS, path, {"tool": tool.name, "reason": reason.rstrip(".")})


def _broken_check(tool: CompiledTool, error: Exception, locale: str) -> Refuse:
    problem = Problem("own_check_broken", ErrorKind.INVALID_ARGUMENTS, "", {"tool": tool.name})
    return Refuse(
        layer=LAYER,
        kind=problem.kind,
        message=for_model([problem], tool=tool.name, locale=locale),
        operator=f"{for_operator([problem], tool=tool.name)}: {type(error).__name__}: {error}",
    )


def _corrected(tool: CompiledTool, arguments: dict[str, JSON], problems: tuple[Problem, ...]) -> dict[str, JSON] | None:
    """Rename misspelt fields where each certainly means one declared field and nothing else is wrong."""
    renames = {problem.field: problem.facts.get("target", "") for problem in problems}
    targets = list(renames.values())
    if not all(targets) or len(set(targets)) < len(targets) or not renames.keys() <= arguments.keys():
        return None
    renamed = {renames.get(key, key): value for key, value in arguments.items()}
    if len(renamed) < len(arguments):
        return None
    value, _ = coerce(tool, renamed)
    if not isinstance(value, dict) or not tool.is_valid(value):
        return None
    canonical = Call("", tool.name, value)
    return value if isinstance(_after_own_check(tool, canonical, "en"), Accept) else None


def _revise(
    tool: CompiledTool,
    problems: tuple[Problem, ...],
    locale: str,
    *,
    corrected: dict[str, JSON] | None = None,
) -> Revise:
    kinds = {problem.kind for problem in problems}
    unknown = ErrorKind.UNKNOWN_ARGUMENT in kinds
    fields = tuple(dict.fromkeys(problem.field for problem in problems if problem.field))
    codes = {problem.code for problem in problems}
    plain = codes <= _NO_EXAMPLE
    example = None if plain else tool.example(tuple(_POSITION.sub("", field).split(".")) for field in fields)
    return Revise(
        layer=LAYER,
        kind=ErrorKind.UNKNOWN_ARGUMENT if unknown else ErrorKind.INVALID_ARGUMENTS,
        message=for_model(problems, tool=tool.name, locale=locale, example=example),
        operator=for_operator(problems, tool=tool.name),
        fields=fields,
        missing=fields if codes <= _MISSING else (),
        corrected=corrected,
    )


def _copied(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _copied(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_copied(item) for item in value]
    return value

"""Reads single objections of the validator, and tells which of several alternatives one belongs to."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, cast

from jsonschema_rs import ValidationError

from reinforced_agent.tools.call import JSON, canonical_json


_LISTED: Final = ("enum", "const")


def value_of(error: ValidationError) -> JSON:
    """Return the faulty value, which came in as plain JSON."""
    return cast("JSON", error.instance)


def types_of(error: ValidationError) -> list[str]:
    """Return the JSON types that were expected, null last."""
    types = [str(name) for name in error.kind.as_dict().get("types", ())]
    return sorted(name for name in types if name != "null") + ["null"] * ("null" in types)


def listed_by(error: ValidationError) -> list[JSON]:
    """Return the values that an objection to an unlisted one allows."""
    facts = error.kind.as_dict()
    return list(facts["options"]) if error.kind.name == "enum" else [facts["expected_value"]]


def is_other_type(branch: list[ValidationError], depth: int) -> bool:
    """Tell whether a branch is meant for values of another type than the one at this depth of the arguments."""
    return any(e.kind.name == "type" and len(e.instance_path) == depth for e in branch)


def choice_of(branch: list[ValidationError], depth: int) -> ValidationError | None:
    """Return the listed value that shows the branch to be meant for something else."""
    return next((e for e in branch if e.kind.name in _LISTED and len(e.instance_path) <= depth + 1), None)


def distinct(options: Iterable[JSON]) -> list[JSON]:
    """Drop repeated values; `1` and `true` are different ones."""
    return list({canonical_json(option): option for option in options}.values())


def required_choice(group: object) -> tuple[str, ...]:
    """Return the fields of which some must be there, where alternatives say nothing but that."""
    if not isinstance(group, list) or len(group) < 2 or not all(_asks_for_one(branch) for branch in group):  # noqa: PLR2004
        return ()
    return tuple(branch["required"][0] for branch in group)


def _asks_for_one(branch: object) -> bool:
    return (
        isinstance(branch, dict)
        and branch.keys() <= {"required", "type", "title", "description"}
        and branch.get("type", "object") == "object"
        and len(branch.get("required", ())) == 1
    )

"""Turns what the validator objects to into problems a model can act on."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import Any, Final, TypeAlias, cast

from jsonschema_rs import ValidationError

from reinforced_agent.policies.schema.compiled import CompiledTool
from reinforced_agent.policies.schema.fields import (
    FEW,
    alike,
    copied_placeholders,
    inexact_wholes,
    is_wrapper,
    node_at,
    unknown_field,
    views_at,
)
from reinforced_agent.policies.schema.formats import explain, term_of
from reinforced_agent.policies.schema.view import ALL_KINDS, View
from reinforced_agent.policies.text.folds import code_list, got_facts, nearest, path_text, shown
from reinforced_agent.policies.text.json import kind_of, parse
from reinforced_agent.policies.text.json_faults import is_wide
from reinforced_agent.policies.verdicts import ErrorKind, Problem
from reinforced_agent.tools.call import EXACT, JSON, canonical_json


_NEAR: Final = 5
_Facts: TypeAlias = Mapping[str, str]
_VAGUE: Final = frozenset(
    {"wrong_type", "not_boolean", "not_whole", "text_for_number", "number_for_text", "too_wide", "inexact_whole"}
)
"""Problems of a type, which the list of the allowed values answers as well."""
_NUMBER_LIMITS: Final = {
    "minimum": "too_small",
    "maximum": "too_big",
    "exclusiveMinimum": "not_more",
    "exclusiveMaximum": "not_less",
    "minLength": "text_too_short",
    "maxLength": "text_too_long",
    "minItems": "too_few_items",
    "maxItems": "too_many_items",
    "minProperties": "too_few_fields",
    "maxProperties": "too_many_fields",
}

_LISTED: Final = ("enum", "const")

_DIGITS: Final = re.compile(r"-?[0-9]+")
_FRACTION: Final = re.compile(r"-?[0-9]*\.[0-9]*")
_WIDE: Final = 2**63
"""64 bits with a sign; twice as much without."""
_NUMBERS: Final = frozenset({"integer", "number"})


def find_faults(tool: CompiledTool, arguments: dict[str, JSON]) -> tuple[Problem, ...]:
    """List all problems of sound arguments, each once; empty only where they fit the schema."""
    errors = list(tool.errors(arguments))
    reader = _Faults(tool)
    found = list(reader.of_all(errors))
    named = {problem.field for problem in found}
    found += [problem for problem in reader.inexact(arguments) if problem.field not in named]
    found += copied_placeholders(tool.name, arguments, tool.samples)
    if errors and not found:
        found = [problem for error in errors for problem in reader.misplaced(error)]
    return _without_echoes(found, _wrapped_names(found, arguments))


def _wrapped_names(found: Iterable[Problem], arguments: dict[str, JSON]) -> frozenset[str]:
    """Return the fields that are there, but inside something that was put around them."""
    wrapped = [arguments.get(problem.field) for problem in found if problem.code == "wrapped_arguments"]
    return frozenset(name for inner in wrapped if isinstance(inner, dict) for name in inner)


def _without_echoes(found: Iterable[Problem], wrapped: frozenset[str]) -> tuple[Problem, ...]:
    """Keep one problem of a kind for a field, and drop what another problem of the call already answers."""
    unique = {(problem.code, problem.field): problem for problem in found}.values()
    renamed = {problem.facts.get("target", "") for problem in unique}
    listed = {problem.field for problem in unique if problem.code in {"not_listed", "not_listed_near"}}
    answered = renamed | wrapped
    echoes = {id(p) for p in unique if p.code in {"missing_argument", "missing_choice"} and p.field in answered}
    echoes |= {id(p) for p in unique if p.code in _VAGUE and p.field in listed}
    return tuple(problem for problem in unique if id(problem) not in echoes)


class _Faults:
    """Reads the objections to one call."""

    def __init__(self, tool: CompiledTool) -> None:
        self._tool = tool

    def of_all(self, errors: Iterable[ValidationError]) -> Iterator[Problem]:
        for error in errors:
            yield from self._of(error)

    def inexact(self, arguments: dict[str, JSON]) -> Iterator[Problem]:
        for path, value in inexact_wholes(self._tool, arguments):
            yield self._problem(code_of_inexact(value), path_text(path), {"expected": "integer", **got_facts(value)})

    def misplaced(self, error: ValidationError) -> Iterator[Problem]:
        """Object to fields that the tool has, but not beside the other values of the call."""
        for key in error.kind.as_dict().get("unexpected", ("",)):
            yield self._problem("not_wanted" if key else "invalid_other", path_text([*error.instance_path, key]))

    def _of(self, error: ValidationError) -> Iterator[Problem]:
        name, path = error.kind.name, path_text(error.instance_path)
        match name:
            case "required":
                yield self._missing(error)
            case "additionalProperties" | "unevaluatedProperties":
                yield from self._unknown(error)
            case "anyOf" | "oneOf":
                yield from self._none_fits(error)
            case "enum" | "const":
                yield self._unlisted(path, value_of(error), listed_by(error), error)
            case "type":
                yield self._wrong_type(path, value_of(error), types_of(error), error)
            case "format":
                yield self._misfit(path, error)
            case _:
                yield self._limit(path, error)

    def _problem(self, code: str, path: str, facts: _Facts | None = None) -> Problem:
        return Problem(code, ErrorKind.INVALID_ARGUMENTS, path, {"tool": self._tool.name, **(facts or {})})

    def _missing(self, error: ValidationError) -> Problem:
        name = str(error.kind.as_dict()["property"])
        # An alternative may ask for a field that only the whole object describes.
        beside = views_at(self._tool, error.instance_path)
        nodes = [n for seen in (self._parent(error), *beside) for n in seen.properties.get(name, ()) if n is not True]
        seen = self._tool.view(nodes[0] if nodes else True)
        views = alike(self._tool, nodes[:1])
        expected = "any" if seen.kinds == ALL_KINDS else _expected(sorted(seen.kinds), views)
        path = path_text([*error.instance_path, name])
        if seen.options and len(seen.options) <= FEW:
            return self._problem("missing_choice", path, {"allowed": code_list(seen.options)})
        return self._problem("missing_argument", path, {"expected": expected})

    def _unknown(self, error: ValidationError) -> Iterator[Problem]:
        names = self._parent(error).names
        free = names - cast("dict[str, JSON]", error.instance).keys()
        for key in error.kind.as_dict()["unexpected"]:
            if key not in names:
                value = cast("dict[str, JSON]", error.instance)[key]
                if not error.instance_path and is_wrapper(self._tool.name, key, value):
                    yield Problem("wrapped_arguments", ErrorKind.UNKNOWN_ARGUMENT, key, {"tool": self._tool.name})
                    continue
                yield unknown_field(self._tool.name, str(key), free, names, error.instance_path)

    def _unlisted(self, path: str, value: JSON, options: Sequence[JSON], error: ValidationError) -> Problem:
        if value == "" and not self._is_required(error):
            return self._problem("empty_text", path)
        if value is None and not self._is_required(error) and (default := self._default(error)):
            return self._problem("null_default", path, {"expected": "string", "default": default})
        rest = str(len(options) - FEW) if len(options) > FEW else ""
        facts = {"allowed": code_list(options[:FEW]), "more": rest, **got_facts(value)}
        texts = [option for option in options if isinstance(option, str)]
        near = nearest(value, texts, most=_NEAR, floor=60.0) if isinstance(value, str) else ()
        if near:
            return self._problem("not_listed_near", path, {**facts, "near": code_list(near[:1])})
        return self._problem("not_listed", path, facts)

    def _wrong_type(self, path: str, value: JSON, types: Sequence[str], error: ValidationError) -> Problem:
        views = alike(self._tool, [self._node(error)])
        facts = {"expected": _expected(types, views), **got_facts(value)}
        required = self._is_required(error)
        match value:
            case None if not required and (default := self._default(error)):
                return self._problem("null_default", path, {**facts, "default": default})
            case None:
                return self._problem("null_required" if required else "null_optional", path, facts)
            case str() if not value.strip():
                return self._problem("empty_required" if required else "empty_text", path, facts)
            case str() if value.strip().lower() == "null":
                return self._problem(null_word(types, required=required), path, facts)
        elements = alike(self._tool, [node for seen in views for node in seen.items])
        return self._problem(code_of(value, types, {seen.format for seen in elements if seen.format}), path, facts)

    def _misfit(self, path: str, error: ValidationError) -> Problem:
        value = value_of(error)
        if value == "" and not self._is_required(error):
            return self._problem("empty_text", path)
        if isinstance(value, str) and value.strip().lower() == "null":
            code = null_word((), required=self._is_required(error))
            expected = _expected(["string"], alike(self._tool, [self._node(error)]))
            return self._problem(code, path, {"expected": expected})
        code, facts = explain(str(error.kind.as_dict()["format"]), str(value))
        return self._problem(code, path, {**facts, **got_facts(value)})

    def _limit(self, path: str, error: ValidationError) -> Problem:
        name, facts = error.kind.name, error.kind.as_dict()
        if value_of(error) == "" and name in {"minLength", "pattern"} and not self._is_required(error):
            return self._problem("empty_text", path)
        if name in _NUMBER_LIMITS:
            return self._number(_NUMBER_LIMITS[name], path, error)
        if name == "multipleOf":
            return self._problem(
                "not_a_multiple", path, {"step": shown(facts["multiple_of"]) or "", **got_facts(value_of(error))}
            )
        if name == "pattern" and "pattern" in facts:  # absent where the search was given up
            return self._problem("wrong_pattern", path, {"pattern": str(facts["pattern"])[:80]})
        code = {"uniqueItems": "repeated_items", "falseSchema": "not_wanted", "contains": "item_lacking"}.get(name)
        return self._problem(code or "invalid_other", path)

    def _number(self, code: str, path: str, error: ValidationError) -> Problem:
        limit = shown(error.kind.as_dict()["limit"]) or ""
        node = self._node(error)
        facts = {"limit": limit, **got_facts(value_of(error))}
        if error.kind.name in {"minimum", "maximum"} and {"minimum", "maximum"} <= node.keys():
            return self._problem(
                "out_of_range", path, facts | {"low": str(node["minimum"]), "high": str(node["maximum"])}
            )
        return self._problem(code, path, facts)

    def _none_fits(self, error: ValidationError) -> Iterator[Problem]:
        """Explain why no alternative fits, by the one that fits best."""
        path = path_text(error.instance_path)
        branches = [list(branch) for branch in error.kind.as_dict()["context"]]
        depth = len(error.instance_path)
        choice = required_choice(self._node(error).get(error.kind.name))
        if choice:
            code = "one_of_fields" if error.kind.name == "oneOf" else "any_of_fields"
            yield self._problem(code, path, {"near": code_list(path_text([*error.instance_path, n]) for n in choice)})
            return
        if sum(not branch for branch in branches) > 1:
            yield self._problem("fits_several", path)
            return
        apart = [branch for branch in branches if not is_other_type(branch, depth)]
        if not apart:
            types = list(dict.fromkeys(name for branch in branches for e in branch for name in types_of(e)))
            yield self._wrong_type(path, value_of(error), types, error)
            return
        choices = [choice_of(branch, depth) for branch in apart]
        if all(choices) and len({tuple(c.instance_path) for c in choices if c}) == 1:
            first = next(c for c in choices if c)
            options = [option for c in choices if c for option in listed_by(c)]
            yield self._unlisted(path_text(first.instance_path), value_of(first), distinct(options), first)
            return
        best = min(apart, key=lambda branch: (choice_of(branch, depth) is not None, len(branch)))
        yield from self.of_all(best)

    def _node(self, error: ValidationError) -> dict[str, Any]:
        return node_at(self._tool.schema, error.schema_path[:-1])

    def _parent(self, error: ValidationError) -> View:
        return self._tool.view(self._node(error))

    def _default(self, error: ValidationError) -> str | None:
        """Return what leaving the faulty value out stands for, where that is declared and not null."""
        name = error.instance_path[-1] if error.instance_path else ""
        nodes = [
            node
            for seen in views_at(self._tool, error.instance_path[:-1])
            for node in seen.properties.get(str(name), ())
        ]
        defaults = [default for node in nodes for default in self._tool.view(node).default]
        return shown(defaults[0]) if defaults and defaults[0] is not None else None

    def _is_required(self, error: ValidationError) -> bool:
        """Tell whether the faulty value must be there; an element of a list counts as required."""
        path = error.instance_path
        if not path or isinstance(path[-1], int):
            return True
        return any(path[-1] in seen.required for seen in views_at(self._tool, path[:-1]))


def _expected(types: Iterable[str], views: Iterable[View]) -> str:
    """Name what a value must be by keys of the catalogue, a text of a known form by its form."""
    texts = [seen for seen in views if "string" in seen.kinds]
    terms = {term_of(seen.format) for seen in texts if seen.format or not seen.alternatives}
    text = terms.pop() if len(terms) == 1 else "string"
    return "|".join(text if name == "string" else name for name in types)


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


def code_of(value: JSON, types: Sequence[str], formats: AbstractSet[str] = frozenset()) -> str:
    """Return the code of the problem of a value that is none of the types it may have.

    Args:
        value: The value, neither null nor empty.
        types: The JSON types that were expected.
        formats: Formats of the elements, where a list was expected.

    """
    wanted = frozenset(types) - {"null"}
    if isinstance(value, str):
        return _code_of_text(value, wanted, formats)
    if wanted == {"boolean"} and isinstance(value, int):
        return "not_boolean"
    if wanted == {"integer"} and isinstance(value, float):
        return code_of_inexact(value) if value.is_integer() and abs(value) >= EXACT else "not_whole"
    if wanted == {"string"} and kind_of(value) in _NUMBERS:
        return "number_for_text"
    return "wrong_type"


def code_of_inexact(value: float) -> str:
    """Return the code of the problem of a whole number that was written as a fraction and may have been rounded."""
    return "inexact_whole" if -_WIDE <= value < 2 * _WIDE else "too_wide"


def null_word(types: Sequence[str], *, required: bool) -> str:
    """Return the code of the problem of the word `null`."""
    if "null" in types:
        return "null_word_nullable"
    return "null_word_required" if required else "null_word"


def _code_of_text(text: str, wanted: frozenset[str], formats: AbstractSet[str]) -> str:
    if wanted & {"array", "object"}:
        if text.strip().startswith(("{", "[")):
            return "too_wide_in_text" if _holds_wide(text) else "json_in_text"
        if "array" in wanted:
            return "text_for_addresses" if formats and formats <= {"email", "idn-email"} else "text_for_list"
        return "wrong_type"
    if wanted == {"boolean"}:
        return "not_boolean"
    if wanted and wanted <= _NUMBERS:
        return _code_of_number(text, wanted)
    return "wrong_type"


def _code_of_number(text: str, wanted: frozenset[str]) -> str:
    if _DIGITS.fullmatch(text) and is_wide(text):
        return "too_wide"
    if wanted == {"integer"} and _FRACTION.fullmatch(text) and any(map(str.isdecimal, text)):
        return "not_whole"
    return "text_for_number"


def _holds_wide(text: str) -> bool:
    try:
        problems = parse(text).problems
    except ValueError:
        return False
    return any(problem.code == "integer_too_long" for problem in problems)

"""Turns what the validator objects to into problems a model can act on."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Final, TypeAlias, cast

from jsonschema_rs import ValidationError

from reinforced_agent.policies.formats import explain
from reinforced_agent.policies.problems import Problem
from reinforced_agent.policies.schema.closing import target
from reinforced_agent.policies.schema.compiled import CompiledTool
from reinforced_agent.policies.schema.dialect import Node
from reinforced_agent.policies.schema.fields import FEW, copied_placeholders, unknown_field
from reinforced_agent.policies.schema.folds import nearest
from reinforced_agent.policies.schema.objections import (
    choice_of,
    distinct,
    is_other_type,
    listed_by,
    types_of,
    value_of,
)
from reinforced_agent.policies.schema.spelling import code_list, got_facts, path_text, shown
from reinforced_agent.policies.schema.view import ALL_KINDS, View, kind_of
from reinforced_agent.policies.verdicts import ErrorKind
from reinforced_agent.tools.call import JSON


_NEAR: Final = 5
_Facts: TypeAlias = Mapping[str, str]
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


def find_faults(tool: CompiledTool, arguments: dict[str, JSON]) -> tuple[Problem, ...]:
    """List all problems of sound arguments, each once; empty only where they fit the schema."""
    errors = list(tool.errors(arguments))
    reader = _Faults(tool)
    found = [*reader.of_all(errors), *copied_placeholders(tool.name, arguments)]
    if errors and not found:
        found = [problem for error in errors for problem in reader.misplaced(error)]
    return _without_echoes(found)


def _without_echoes(found: Iterable[Problem]) -> tuple[Problem, ...]:
    """Keep one problem of a kind for a field, and drop what another problem of the call already answers."""
    unique = {(problem.code, problem.field): problem for problem in found}.values()
    renamed = {problem.facts.get("target", "") for problem in unique}
    listed = {problem.field for problem in unique if problem.code in {"not_listed", "not_listed_near"}}
    vague = {"wrong_type", "not_boolean", "not_whole"}
    echoes = {id(p) for p in unique if p.code == "missing_argument" and p.field in renamed}
    echoes |= {id(p) for p in unique if p.code in vague and p.field in listed}
    return tuple(problem for problem in unique if id(problem) not in echoes)


class _Faults:
    """Reads the objections to one call."""

    def __init__(self, tool: CompiledTool) -> None:
        self._tool = tool

    def of_all(self, errors: Iterable[ValidationError]) -> Iterator[Problem]:
        for error in errors:
            yield from self._of(error)

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
        nodes = self._parent(error).properties.get(name, [])
        seen = self._tool.view(nodes[0] if nodes else True)
        expected = "any" if seen.kinds == ALL_KINDS else "|".join(sorted(seen.kinds))
        path = path_text([*error.instance_path, name])
        if seen.options and len(seen.options) <= FEW:
            return self._problem("missing_choice", path, {"allowed": code_list(seen.options)})
        return self._problem("missing_argument", path, {"expected": expected})

    def _unknown(self, error: ValidationError) -> Iterator[Problem]:
        names = self._parent(error).names
        free = names - cast("dict[str, JSON]", error.instance).keys()
        for key in error.kind.as_dict()["unexpected"]:
            if key not in names:
                yield unknown_field(self._tool.name, str(key), free, names, error.instance_path)

    def _unlisted(self, path: str, value: JSON, options: Sequence[JSON], error: ValidationError) -> Problem:
        if value == "" and not self._is_required(error):
            return self._problem("empty_text", path)
        if value is None and not self._is_required(error) and (default := self._default(error)):
            return self._problem("null_default", path, {"expected": "string", "default": default})
        facts = {"allowed": code_list(options[:FEW]), **got_facts(value)}
        texts = [option for option in options if isinstance(option, str)]
        near = nearest(value, texts, most=_NEAR, floor=60.0) if isinstance(value, str) else ()
        if near:
            return self._problem("not_listed_near", path, {**facts, "near": code_list(near[:1])})
        return self._problem("not_listed", path, facts)

    def _wrong_type(self, path: str, value: JSON, types: Sequence[str], error: ValidationError) -> Problem:
        facts = {"expected": "|".join(types), **got_facts(value)}
        required = self._is_required(error)
        match value:
            case None if not required and (default := self._default(error)):
                return self._problem("null_default", path, {**facts, "default": default})
            case None:
                return self._problem("null_required" if required else "null_optional", path, facts)
            case "" if not required:
                return self._problem("empty_text", path, facts)
            case str() if value.strip().lower() == "null":
                return self._problem(_null_word(types, required=required), path, facts)
            case str() if {"array", "object"} & set(types):
                return self._problem(_text_instead(value, types), path, facts)
            case str() if types == ["boolean"]:
                return self._problem("not_boolean", path, facts)
        if types == ["integer"] and _is_fraction(value):
            return self._problem("not_whole", path, facts)
        return self._problem("wrong_type", path, facts)

    def _misfit(self, path: str, error: ValidationError) -> Problem:
        value = value_of(error)
        if value == "" and not self._is_required(error):
            return self._problem("empty_text", path)
        if isinstance(value, str) and value.strip().lower() == "null":
            code = _null_word((), required=self._is_required(error))
            return self._problem(code, path, {"expected": "string"})
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
        found = _walk(self._tool.schema, error.schema_path[:-1])
        return found if isinstance(found, dict) else {}

    def _parent(self, error: ValidationError) -> View:
        return self._tool.view(self._node(error))

    def _default(self, error: ValidationError) -> str | None:
        """Return what leaving the faulty value out stands for, where that is declared and not null."""
        name = error.instance_path[-1] if error.instance_path else ""
        nodes = [node for seen in self._holders(error) for node in seen.properties.get(str(name), ())]
        defaults = [default for node in nodes for default in self._tool.view(node).default]
        return shown(defaults[0]) if defaults and defaults[0] is not None else None

    def _is_required(self, error: ValidationError) -> bool:
        """Tell whether the faulty value must be there; an element of a list counts as required."""
        path = error.instance_path
        if not path or isinstance(path[-1], int):
            return True
        return any(path[-1] in seen.required for seen in self._holders(error))

    def _holders(self, error: ValidationError) -> list[View]:
        """List everything that describes the object in which the faulty value is a field."""
        found = _alike([self._tool.schema], self._tool.view)
        for step in error.instance_path[:-1]:
            found = _alike([node for seen in found for node in _below(seen, step)], self._tool.view)
        return found


def _alike(nodes: Iterable[Node], view: Callable[[Node], View]) -> list[View]:
    """View nodes together with all their alternatives."""
    found: list[View] = []
    for node in nodes:
        seen = view(node)
        found += [seen, *_alike((part for group in seen.alternatives for part in group), view)]
    return found


def _below(seen: View, step: str | int) -> tuple[Node, ...]:
    if isinstance(step, int):
        return seen.prefix[step : step + 1] or seen.items
    return tuple(seen.properties.get(step, seen.extra))


def _walk(node: Any, path: Iterable[str | int]) -> object:
    root = node
    for step in path:
        if step == "$ref" and isinstance(node, dict):
            node = target(node["$ref"], root)
            continue
        try:
            node = node[step]
        except (KeyError, IndexError, TypeError):
            return None
    return node


def _text_instead(text: str, types: Sequence[str]) -> str:
    if text.strip().startswith(("{", "[")):
        return "json_in_text"
    return "text_for_list" if "array" in types else "wrong_type"


def _null_word(types: Sequence[str], *, required: bool) -> str:
    if "null" in types:
        return "null_word_nullable"
    return "null_word_required" if required else "null_word"


def _is_fraction(value: JSON) -> bool:
    if isinstance(value, str):
        return bool(value) and value.replace(".", "", 1).lstrip("-").isdecimal() and "." in value
    return kind_of(value) == "number"

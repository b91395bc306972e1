"""A tool made ready for checking: its parameters closed, compiled, and looked up by field."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, NoReturn, Self

import jsonschema_rs

from reinforced_agent.policies.schema.closing import close
from reinforced_agent.policies.schema.dialect import Node, ToolSchemaError, normalise
from reinforced_agent.policies.schema.example import Path, make_example, samples_of
from reinforced_agent.policies.schema.formats import CHECKS
from reinforced_agent.policies.schema.soundness import holds_text, is_plain
from reinforced_agent.policies.schema.view import View, view
from reinforced_agent.tools.call import JSON
from reinforced_agent.tools.spec import Risk, ToolSpec


_PATTERNS: Final = jsonschema_rs.FancyRegexOptions(backtrack_limit=100_000)


@dataclass(frozen=True, eq=False)
class CompiledTool:
    """A tool with its parameters compiled once; checking a call only looks things up in it."""

    spec: ToolSpec
    """What the tool declares."""
    schema: dict[str, Any]
    """Its parameters in plain JSON Schema, unknown fields refused."""
    samples: frozenset[str]
    """Values of made-up examples that are refused when they are sent as they are."""
    _validator: jsonschema_rs.Draft202012Validator = field(repr=False)
    _views: dict[int, View] = field(default_factory=dict, repr=False)
    _validators: dict[int, jsonschema_rs.Draft202012Validator] = field(default_factory=dict, repr=False)

    @classmethod
    def compile(cls, spec: ToolSpec) -> Self:
        """Make a tool ready; done once, when the graph is built.

        Raises:
            ToolSchemaError: Its parameters are no usable object schema.

        """
        try:
            schema = close(_as_object(normalise(spec.parameters)))
            tool = cls(spec, schema, samples_of(schema, _written_by_host(spec)), _compile(schema))
            if "object" not in tool.view(tool.schema).kinds:
                _fail("no object fits them, but arguments are always an object")
        except ToolSchemaError as error:
            raise ToolSchemaError(error.why, tool=spec.name, at=error.at) from error
        except RecursionError as error:
            msg = "they are nested too deeply"
            raise ToolSchemaError(msg, tool=spec.name) from error
        return tool

    @property
    def name(self) -> str:
        """The registered name."""
        return self.spec.name

    @property
    def is_destructive(self) -> bool:
        """Whether its effects can't be taken back."""
        return self.spec.risk is Risk.DESTRUCTIVE

    def example(self, paths: Iterable[Path] = ()) -> Mapping[str, JSON] | None:
        """Return the arguments of a right call that shows some fields, or `None` where none is known to be right.

        An example of the host that shows them comes first, then one made from the schema, then any.
        """
        wanted = frozenset(paths)
        given = [example.arguments for example in self.spec.examples]
        fitting = [arguments for arguments in given if all(_shows(arguments, path) for path in wanted)]
        made = [make_example(self.schema, self.view, paths) for paths in (wanted, frozenset[Path]())]
        candidates = [*fitting, *made[:1], *given, *made[1:]]
        return next((c for c in candidates if c is not None and self.is_valid(dict(c))), None)

    def is_plainly_valid(self, arguments: dict[str, JSON]) -> bool:
        """Tell whether arguments fit as they are and hold nothing that could be written more plainly."""
        if not is_plain(arguments) or not self._validator.is_valid(arguments):
            return False
        return not self.samples or not holds_text(arguments, self.samples)

    def is_valid(self, value: JSON, node: Node | None = None) -> bool:
        """Tell whether a sound value fits the schema, or one node of it."""
        if node is None:
            return self._validator.is_valid(value)
        if isinstance(node, bool):
            return node
        validator = self._validators.get(id(node))
        if validator is None:
            validator = self._validators[id(node)] = _compile({**node, "$defs": self.schema["$defs"]})
        return validator.is_valid(value)

    def errors(self, arguments: dict[str, JSON]) -> Iterable[jsonschema_rs.ValidationError]:
        """List everything in sound arguments that breaks the schema."""
        return self._validator.iter_errors(arguments)

    def view(self, node: Node) -> View:
        """Return what a node of the schema says about its value."""
        found = self._views.get(id(node))
        if found is None:
            found = view(node, self.schema)
            if not isinstance(node, bool):
                self._views[id(node)] = found
        return found


def _written_by_host(spec: ToolSpec) -> str:
    return json.dumps(
        [spec.parameters, [dict(example.arguments) for example in spec.examples]], skipkeys=True, default=str
    )


def _shows(value: JSON | Mapping[str, JSON], path: Path) -> bool:
    """Tell whether a value holds a field, in one element of a list at least."""
    if not path:
        return True
    if isinstance(value, list):
        return any(_shows(item, path) for item in value)
    return isinstance(value, Mapping) and path[0] in value and _shows(value[path[0]], path[1:])


def _as_object(schema: dict[str, Any]) -> dict[str, Any]:
    """Add what the arguments of a call always are."""
    joined = schema.keys() & {"$ref", "allOf", "anyOf", "oneOf"}
    return schema if "type" in schema or joined else schema | {"type": "object"}


def _compile(schema: dict[str, Any]) -> jsonschema_rs.Draft202012Validator:
    try:
        return jsonschema_rs.Draft202012Validator(
            schema, validate_formats=True, formats=dict(CHECKS), retriever=_no_retrieval, pattern_options=_PATTERNS
        )
    except jsonschema_rs.ValidationError as error:
        at = "/".join(["#", *map(str, error.instance_path)])
        raise ToolSchemaError(error.message, at=at) from error
    except (ValueError, UnicodeEncodeError) as error:
        raise ToolSchemaError(str(error)) from error


def _no_retrieval(uri: str) -> NoReturn:
    _fail(f"nothing is fetched, and {uri!r} is not part of the schema")


def _fail(why: str) -> NoReturn:
    raise ToolSchemaError(why)

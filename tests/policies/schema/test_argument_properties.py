"""What holds for the check of arguments whatever the schema and the call."""

from __future__ import annotations

import copy
from typing import Any

import jsonschema_rs
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from reinforced_agent.policies.schema import CompiledTool
from reinforced_agent.policies.schema.coerce import coerce
from reinforced_agent.policies.schema.dialect import normalise
from reinforced_agent.policies.schema.validate import check_arguments
from reinforced_agent.policies.verdicts import Accept, Refuse
from tests.policies.schema.workbench import call, tool


NAMES = st.sampled_from(["city", "date", "item_count", "itemCount", "tags", "unit", "note", "arguments"])
WORDS = st.sampled_from(
    [
        *("", "5", "5.5", "1e3", "007", "true", "False", "null", "small", "LARGE", "2026-02-30", "2026-02-28"),
        *('{"city": "5"}', '["5"]', "[1, 2", '{"city": 1, "city": 2}', "<city>", "a,b", "a@b.org", "x/y.txt"),
        *("\ud800", "１２"),
    ]
)
SCALARS = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(), WORDS, st.text(max_size=4), st.sampled_from([5.0, 1e300])
)
JSONS = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES | st.text(max_size=4), inner, max_size=3),
    max_leaves=8,
)
ARGUMENTS = st.dictionaries(NAMES | st.text(max_size=4), JSONS, max_size=4)

LEAVES: st.SearchStrategy[dict[str, Any]] = st.sampled_from(
    [
        {},
        {"type": "string"},
        {"type": "integer"},
        {"type": "number", "minimum": 0, "maximum": 10},
        {"type": "boolean"},
        {"type": ["integer", "null"]},
        {"type": "string", "format": "date"},
        {"type": "string", "format": "email"},
        {"type": "string", "minLength": 2, "pattern": "^[a-z]+$"},
        {"enum": ["small", "large", "Large"]},
        {"type": "string", "enum": ["small", "large"], "default": "small"},
        {"const": 5},
        {"$ref": "#/$defs/Place"},
        {"$ref": "#/$defs/Tree"},
        {"type": "object"},
    ]
)


def _objects(inner: st.SearchStrategy[dict[str, Any]]) -> st.SearchStrategy[dict[str, Any]]:
    return st.builds(
        lambda properties, required, extra: {"type": "object", "properties": properties, "required": required} | extra,
        st.dictionaries(NAMES, inner, max_size=3),
        st.lists(NAMES, max_size=2, unique=True),
        st.sampled_from(
            [
                {},
                {"additionalProperties": True},
                {"additionalProperties": {"type": "integer"}},
                {"allOf": [{"$ref": "#/$defs/Place"}]},
                {"anyOf": [{"required": ["city"]}, {"$ref": "#/$defs/Tree"}]},
            ]
        ),
    )


SCHEMAS = st.recursive(
    LEAVES,
    lambda inner: st.one_of(
        _objects(inner),
        st.builds(lambda items: {"type": "array", "items": items}, inner),
        st.builds(lambda branches: {"anyOf": branches}, st.lists(inner, min_size=1, max_size=3)),
        st.builds(lambda branches: {"oneOf": branches}, st.lists(inner, min_size=1, max_size=2)),
    ),
    max_leaves=6,
)
DEFINITIONS = {
    "$defs": {
        "Place": {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]},
        "Tree": {
            "type": "object",
            "properties": {"tags": {"type": "array", "items": {"$ref": "#/$defs/Tree"}}, "note": {"type": "integer"}},
        },
    }
}
TOOLS = st.builds(lambda schema: tool(parameters=schema | DEFINITIONS), _objects(SCHEMAS))
MANY = settings(max_examples=400, suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much])


@given(TOOLS, ARGUMENTS)
@MANY
def test_never_raises_and_never_touches_the_call(of: CompiledTool, arguments: dict[str, Any]) -> None:
    """Any JSON gets a verdict with a text in two languages, and comes out as it went in."""
    before = copy.deepcopy(arguments)

    for locale in ("en", "zh-CN"):
        verdict = check_arguments(of, call(arguments), locale=locale)
        assert isinstance(verdict, Accept) or verdict.message.strip()
        assert not isinstance(verdict, Refuse)

    assert repr(arguments) == repr(before)


@given(TOOLS, ARGUMENTS)
@MANY
def test_what_is_accepted_fits_the_declared_schema(of: CompiledTool, arguments: dict[str, Any]) -> None:
    """An accepted call fits the schema as it was declared, not only as it was closed."""
    verdict = check_arguments(of, call(arguments))

    if isinstance(verdict, Accept) and verdict.call is not None:
        assert jsonschema_rs.is_valid(normalise(of.spec.parameters), dict(verdict.call.arguments))
        assert of.is_valid(dict(verdict.call.arguments))


@given(TOOLS, ARGUMENTS)
@MANY
def test_coercion_is_idempotent(of: CompiledTool, arguments: dict[str, Any]) -> None:
    """A canonical call is its own canonical form and needs no repairs."""
    verdict = check_arguments(of, call(arguments))

    if isinstance(verdict, Accept) and verdict.call is not None:
        again = check_arguments(of, call(verdict.call.arguments))
        assert isinstance(again, Accept)
        assert again.call is not None
        assert repr(again.call.arguments) == repr(verdict.call.arguments)
        assert again.call.repairs == ()


@given(TOOLS, ARGUMENTS)
@MANY
def test_what_fits_stays_as_it_is(of: CompiledTool, arguments: dict[str, Any]) -> None:
    """Arguments that fit plainly come out as the very same object, without repairs."""
    if of.is_plainly_valid(arguments):
        verdict = check_arguments(of, call(arguments))
        assert isinstance(verdict, Accept)
        assert verdict.call is not None
        assert verdict.call.arguments is arguments
        assert coerce(of, arguments) == (arguments, ())


@given(TOOLS, ARGUMENTS)
@MANY
def test_corrections_would_be_accepted(of: CompiledTool, arguments: dict[str, Any]) -> None:
    """Corrected arguments are offered only where they would pass."""
    verdict = check_arguments(of, call(arguments))

    if not isinstance(verdict, Accept) and verdict.corrected is not None:
        assert isinstance(check_arguments(of, call(verdict.corrected)), Accept)


@given(TOOLS)
@MANY
def test_examples_are_right(of: CompiledTool) -> None:
    """An example that feedback shows fits the schema."""
    example = of.example([("city",), ("date", "city")])

    assert example is None or of.is_valid(dict(example))

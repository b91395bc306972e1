"""What holds for all texts: valid ones pass untouched, no text raises, nothing is read that the text doesn't say."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from reinforced_agent.policies.parsing import Answer, Calls, Decoded, Unusable, decode_arguments
from reinforced_agent.tools.call import canonical_json
from tests.policies.parsing.bench import native, written


TEXT = st.text(st.characters(exclude_categories=["Cs"]))
KEYS = st.text(st.characters(codec="ascii"), max_size=8)
LEAVES = (
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**64 - 1)
    | st.floats(allow_nan=False, allow_infinity=False)
    | TEXT
)
VALUES = st.recursive(
    LEAVES, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(KEYS, inner, max_size=4), max_leaves=12
)
OBJECTS = st.dictionaries(KEYS, VALUES, max_size=5)
ANY_TEXT = st.text(st.characters())
SYNTAX = st.lists(
    st.sampled_from(['"', "'", "\\", "{", "}", "[", "]", ",", ":", "1", "a", "\n", "True", "null", "```"])
).map("".join)


@given(OBJECTS, st.booleans(), st.sampled_from([None, 2]))
def test_valid_arguments_pass_untouched(arguments: dict[str, Any], ascii_only: bool, indent: int | None) -> None:  # noqa: FBT001
    """Any object written as JSON, in any common layout, is read as it is and without a repair."""
    decoded = decode_arguments(json.dumps(arguments, ensure_ascii=ascii_only, indent=indent))
    assert isinstance(decoded, Decoded)
    assert decoded.repairs == ()
    assert canonical_json(decoded.arguments) == canonical_json(arguments)


@given(OBJECTS)
def test_objects_pass_untouched(arguments: dict[str, Any]) -> None:
    """Any plain object is copied as it is."""
    assert decode_arguments(arguments) == Decoded(arguments)


@given(OBJECTS)
def test_no_repair_changes_a_python_dict(arguments: dict[str, Any]) -> None:
    """A Python dict is read as exactly this dict or not at all."""
    decoded = decode_arguments(repr(arguments))
    assert not isinstance(decoded, Decoded) or canonical_json(decoded.arguments) == canonical_json(arguments)


@given(ANY_TEXT | SYNTAX, st.sampled_from([None, "stop", "length", "tool_calls"]))
def test_no_text_raises(text: str, finish: str | None) -> None:
    """Whatever the text, reading it ends in one of the known outcomes."""
    assert isinstance(native(text, finish=finish), Calls)
    assert isinstance(written(text, finish), Calls | Answer | Unusable)


@given(SYNTAX)
def test_what_is_read_without_repair_is_json(text: str) -> None:
    """A call that needed no repair has exactly the value that a JSON decoder finds."""
    decoded = decode_arguments(text)
    if isinstance(decoded, Decoded) and not decoded.repairs:
        assert decoded.arguments == json.loads(text)

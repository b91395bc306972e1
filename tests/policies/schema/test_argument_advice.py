"""Advice that fits the way in which a value or a field went wrong."""

from __future__ import annotations

from typing import Any

import pytest

from reinforced_agent.policies.schema.faults import code_of
from reinforced_agent.tools.call import JSON
from tests.policies.schema.workbench import accepted, objected, tool


TEXT = {"type": "string"}
WHOLE = {"type": "integer"}
DATE = {"type": "string", "format": "date"}
MAIL = {"type": "string", "format": "email"}
UUID = {"type": "string", "format": "uuid"}
MANY = {"enum": [f"option {number}" for number in range(23)]}


@pytest.mark.parametrize(
    ("field", "sent", "words"),
    [
        pytest.param(WHOLE, "9" * 25, "doesn't fit 64 bits", id="too-many-digits"),
        pytest.param({"type": "array", "items": WHOLE}, f"[{'9' * 25}]", "doesn't fit 64 bits", id="in-json-text"),
        pytest.param({"type": "array", "items": WHOLE}, "[1, 2", "holds JSON which can't be used", id="broken-json"),
        pytest.param(WHOLE, 1e25, "doesn't fit 64 bits", id="fraction-beyond-64-bits"),
        pytest.param(WHOLE, 2.0**53, "Write out all its digits", id="fraction-that-is-not-exact"),
        pytest.param(WHOLE, 5.5, "isn't rounded for you", id="fraction"),
        pytest.param(WHOLE, "1,000", "digits only, without quotes, spaces or separators", id="thousands"),
        pytest.param(WHOLE, "", "empty text, but it is required and must be a whole number", id="empty-required"),
        pytest.param(WHOLE, "  ", "empty text, but it is required", id="blank-required"),
        pytest.param(WHOLE | {"maximum": 9}, 1e25, "must be at most 9", id="huge-fraction-over-a-limit"),
        pytest.param({"type": "boolean"}, 1, "Send true or false without quotes", id="one-for-yes"),
        pytest.param(TEXT, 1.5, "Put it in double quotes", id="number-for-text"),
        pytest.param(TEXT, [1], "Change it", id="list-for-text"),
        pytest.param(DATE, "null", "must be a date in the form YYYY-MM-DD", id="null-word-for-date"),
        pytest.param(DATE, True, "must be a date in the form YYYY-MM-DD, but is", id="yes-for-date"),
        pytest.param({"anyOf": [MAIL, {"type": "null"}]}, True, "an e-mail address or null", id="address-or-null"),
        pytest.param({"anyOf": [MAIL, TEXT]}, True, "must be a text", id="address-or-any-text"),
        pytest.param({"type": "array", "items": MAIL}, "a@b.org, c@d.org", "one address in each element", id="mails"),
        pytest.param({"type": "array", "items": TEXT}, "a, c", "one element for each value", id="texts"),
        pytest.param(MANY, "x", "`option 19` … and 3 more", id="many-allowed"),
        pytest.param({"enum": ["a", "b"]}, "x", "one of `a`, `b`, but", id="few-allowed"),
        pytest.param(MAIL, "name@placeholder.example", "placeholder of an example", id="copied-address"),
        pytest.param(UUID, "123e4567-e89b-42d3-a456-426614174000", "placeholder of an example", id="copied-id"),
    ],
)
def test_advice_for_values(field: Any, sent: JSON, words: str) -> None:
    """The message says what is wrong and what to do in this very case."""
    message = objected(tool({"value": field}, ("value",)), {"value": sent}).message

    assert words in message, message


@pytest.mark.parametrize(
    ("field", "sent"),
    [
        pytest.param(DATE, "2026-12-01", id="date-of-the-example"),
        pytest.param(MAIL, "name@example.org", id="ordinary-address"),
        pytest.param(TEXT, "name@placeholder.example", id="no-form-declared"),
        pytest.param(MAIL | {"examples": ["name@placeholder.example"]}, "name@placeholder.example", id="of-the-host"),
    ],
)
def test_values_that_may_be_meant(field: Any, sent: JSON) -> None:
    """What the host wrote itself, or anyone could mean, is no copied placeholder."""
    assert accepted(tool({"value": field}), {"value": sent}).arguments == {"value": sent}


def test_missing_date_is_called_a_date() -> None:
    """A form is named in both languages."""
    of = tool({"until": DATE}, ("until",))

    assert "must be a date in the form YYYY-MM-DD" in objected(of, {}).message
    assert "必须是 YYYY-MM-DD 形式的日期" in objected(of, {}, "zh").message


def test_lists_in_chinese() -> None:
    """Names are joined as Chinese joins them, and the rest of a long list is counted."""
    assert "`a`、`b`" in objected(tool({"value": {"enum": ["a", "b"]}}), {"value": "x"}, "zh").message
    assert "另外 3 个" in objected(tool({"value": MANY}), {"value": "x"}, "zh").message


def test_fields_inside_objects_are_named_with_their_place() -> None:
    """The parameters of the tool would not help there."""
    of = tool({"o": {"type": "object", "properties": {"city": TEXT, "street": TEXT}}, "note": TEXT})

    message = objected(of, {"o": {"zzz": "A"}}).message

    assert "inside `o` there are `o.city`, `o.street`" in message
    assert "`note`" not in message


@pytest.mark.parametrize(
    ("key", "sent", "words"),
    [
        pytest.param("oneOf", {}, "exactly one of `a`, `b`", id="none-of-one"),
        pytest.param("oneOf", {"a": "x", "b": "2027-01-01"}, "exactly one of `a`, `b`", id="both-of-one"),
        pytest.param("anyOf", {}, "at least one of `a`, `b`", id="none-of-any"),
    ],
)
def test_fields_of_which_some_must_be_there(key: str, sent: dict[str, JSON], words: str) -> None:
    """Alternatives that only name a field each are told as a choice of fields."""
    of = tool(parameters={"properties": {"a": TEXT, "b": DATE}, key: [{"required": ["a"]}, {"required": ["b"]}]})

    assert words in objected(of, sent).message
    assert accepted(of, {"a": "x"}).repairs == ()


def test_types_of_alternatives_come_from_the_whole() -> None:
    """A field that an alternative asks for is described where it is declared."""
    alternatives = [{"required": ["a", "c"]}, {"required": ["b", "c"]}]
    of = tool(parameters={"properties": {"a": TEXT, "b": TEXT, "c": WHOLE}, "anyOf": alternatives})

    assert "`c` is missing; it is required and must be a whole number" in objected(of, {"a": "x"}).message


@pytest.mark.parametrize(
    ("sent", "key"),
    [
        pytest.param({"params": {"city": "A"}}, "params", id="params"),
        pytest.param({"tool_input": '{"city": "A"}'}, "tool_input", id="text"),
        pytest.param({"plan_trip": {"city": "A"}}, "plan_trip", id="name-of-the-tool"),
        pytest.param({"name": "plan_trip", "arguments": {"city": "A"}}, "arguments", id="whole-call"),
    ],
)
def test_wrapped_arguments_are_asked_for_directly(sent: dict[str, JSON], key: str) -> None:
    """What is not certainly a wrapper isn't taken off, but explained."""
    assert f"directly, not inside `{key}`" in objected(tool({"city": TEXT}), sent).message


def test_wrapped_fields_are_not_missing() -> None:
    """What is there inside a wrapper isn't asked for a second time."""
    message = objected(tool({"city": TEXT, "day": DATE}, ("city", "day")), {"params": {"city": "A"}}).message

    assert "`city` is missing" not in message
    assert "`day` is missing" in message


def test_a_plain_unknown_field_is_no_wrapper() -> None:
    """Only an object can hold the arguments."""
    assert "directly" not in objected(tool({"city": TEXT}), {"params": "A"}).message


@pytest.mark.parametrize(
    ("value", "types", "code"),
    [
        pytest.param("5.5", ["integer"], "not_whole", id="fraction-as-text"),
        pytest.param("5.5", ["integer", "null"], "not_whole", id="fraction-as-text-or-null"),
        pytest.param(".", ["integer"], "text_for_number", id="only-a-point"),
        pytest.param("x", ["number", "integer"], "text_for_number", id="word-for-number"),
        pytest.param("x", ["boolean", "integer"], "wrong_type", id="word-for-several"),
        pytest.param(True, ["integer"], "wrong_type", id="yes-for-number"),
        pytest.param(-(2.0**64), ["integer"], "too_wide", id="below-64-bits"),
        pytest.param("x", [], "wrong_type", id="nothing-expected"),
    ],
)
def test_codes_of_wrong_types(value: JSON, types: list[str], code: str) -> None:
    """Each way to be of a wrong type has a code."""
    assert code_of(value, types) == code

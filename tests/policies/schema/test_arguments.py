"""Layer 3: what is brought to canonical form, and what stays as it was sent."""

from __future__ import annotations

from typing import Any

import pytest

from reinforced_agent.policies.schema.validate import check_arguments
from reinforced_agent.policies.verdicts import Accept, ErrorKind
from reinforced_agent.tools.call import JSON
from reinforced_agent.tools.spec import Risk
from tests.policies.schema.workbench import accepted, call, objected, tool


TEXT = {"type": "string"}
WHOLE = {"type": "integer"}
NUMBER = {"type": "number"}
YES_NO = {"type": "boolean"}
LEG = {"type": "object", "properties": {"to": TEXT, "days": WHOLE}, "required": ["to"]}
SIZES = {"type": "string", "enum": ["Small", "Extra Large", "A-", "A"]}


@pytest.mark.parametrize(
    ("field", "sent", "canonical", "repair"),
    [
        pytest.param(WHOLE, "250", 250, "number_from_text", id="digits"),
        pytest.param(WHOLE, "-3", -3, "number_from_text", id="negative-digits"),
        pytest.param(WHOLE, 4.0, 4, "integer_from_fraction", id="whole-fraction"),
        pytest.param(NUMBER, "0.25", 0.25, "number_from_text", id="decimal-text"),
        pytest.param(NUMBER, "12", 12, "number_from_text", id="digits-for-number"),
        pytest.param(YES_NO, "TRUE", True, "boolean_from_text", id="word-true"),
        pytest.param(YES_NO, "False", False, "boolean_from_text", id="word-false"),
        pytest.param(TEXT, 4711, "4711", "text_from_integer", id="whole-number-for-text"),
        pytest.param(SIZES, "extra_large", "Extra Large", "value_fold", id="enum-separators"),
        pytest.param(SIZES, " SMALL ", "Small", "value_fold", id="enum-case-and-space"),
        pytest.param(SIZES, "a-", "A-", "value_fold", id="enum-keeps-signs"),
        pytest.param({"anyOf": [SIZES, {"type": "null"}]}, "small", "Small", "value_fold", id="enum-in-any-of"),
        pytest.param({"type": "array", "items": SIZES}, ["small"], ["Small"], "value_fold", id="enum-in-list"),
        pytest.param({"enum": [1, 2]}, "2", 2, "number_from_text", id="enum-of-numbers"),
        pytest.param({"type": "array", "items": WHOLE}, "[1, 2]", [1, 2], "json_from_text", id="list-in-text"),
        pytest.param(LEG, '{"to": "Bergen"}', {"to": "Bergen"}, "json_from_text", id="object-in-text"),
        pytest.param(
            {"type": "array", "items": TEXT},
            "kim@example.org",
            ["kim@example.org"],
            "wrapped_in_list",
            id="one-address",
        ),
        pytest.param({"type": "array", "items": TEXT}, "docs/a.txt", ["docs/a.txt"], "wrapped_in_list", id="one-path"),
        pytest.param({"type": "array", "items": WHOLE}, 7, [7], "wrapped_in_list", id="one-number"),
        pytest.param(WHOLE, str(2**64 - 1), 2**64 - 1, "number_from_text", id="digits-at-the-bound"),
        pytest.param(WHOLE, 2.0**53 - 1, 2**53 - 1, "integer_from_fraction", id="fraction-at-the-bound"),
        pytest.param(
            {"type": "array", "items": {"type": "object", "properties": {"to": {"type": "array", "items": TEXT}}}},
            [{"to": "kim@example.org"}],
            [{"to": ["kim@example.org"]}],
            "wrapped_in_list",
            id="list-in-an-object-in-a-list",
        ),
        pytest.param(
            {"type": "dict", "properties": {"n": {"type": "float"}}},
            {"n": "1.5"},
            {"n": 1.5},
            "number_from_text",
            id="type-words",
        ),
    ],
)
def test_loss_free_coercion(field: Any, sent: JSON, canonical: JSON, repair: str) -> None:
    """A value that can only mean one thing is brought to that, and the repair is recorded."""
    found = accepted(tool({"value": field}, ("value",)), {"value": sent})

    assert found.arguments == {"value": canonical}
    assert type(found.arguments["value"]) is type(canonical)
    assert found.repairs == (repair,)


@pytest.mark.parametrize(
    ("field", "sent"),
    [
        pytest.param(TEXT, "00417", id="digits-in-text"),
        pytest.param(TEXT, "true", id="word-true-in-text"),
        pytest.param(TEXT, "Null", id="surname"),
        pytest.param(TEXT, '{"a": [1]}', id="json-in-text"),
        pytest.param(TEXT, "it's `so`", id="quotes"),
        pytest.param(TEXT, "", id="empty-text"),
        pytest.param({"type": ["string", "object"]}, '{"a": 1}', id="json-where-text-may-stand"),
        pytest.param({"anyOf": [TEXT, WHOLE]}, "12", id="digits-where-text-may-stand"),
        pytest.param({"type": ["string", "null"]}, None, id="null-where-it-may-stand"),
        pytest.param({"type": "object", "additionalProperties": True}, {"Any Key": None}, id="open-object"),
        pytest.param({"type": "object"}, {"anything": 5.0}, id="object-without-declared-fields"),
        pytest.param({"type": "object", "additionalProperties": WHOLE}, {"Bolts": 3}, id="map-of-numbers"),
        pytest.param({"type": "object", "patternProperties": {"^x-": TEXT}}, {"x-a": "b"}, id="pattern-fields"),
        pytest.param(NUMBER, 5.0, id="whole-number-written-as-fraction"),
        pytest.param(NUMBER, 1e25, id="huge-number"),
        pytest.param({"anyOf": [WHOLE, NUMBER]}, 1e25, id="huge-number-in-one-of-two-ways"),
        pytest.param({"type": "string", "format": "uri"}, "https://example.org/", id="address-of-nobody"),
        pytest.param({"type": "array", "items": TEXT}, [], id="empty-list"),
        pytest.param({"type": "string", "format": "date-time"}, "2027-03-01T08:15:00", id="time-without-offset"),
        pytest.param({}, [1, {"b": None}], id="anything"),
    ],
)
def test_what_fits_stays(field: Any, sent: JSON) -> None:
    """A value that fits comes out identical, whatever it looks like."""
    found = accepted(tool({"value": field}, ("value",)), {"value": sent})

    assert found.arguments == {"value": sent}
    assert found.repairs == ()


@pytest.mark.parametrize(
    ("field", "sent"),
    [
        pytest.param(WHOLE, "12.7", id="fraction-text-for-whole"),
        pytest.param(WHOLE, 12.5, id="fraction-for-whole"),
        pytest.param(WHOLE, "1 000", id="space-inside"),
        pytest.param({"type": "string", "format": "date"}, " 2027-02-30 ", id="space-around-no-date"),
        pytest.param(WHOLE, "1e3", id="exponent"),
        pytest.param(WHOLE, "0x1", id="hexadecimal"),
        pytest.param(WHOLE, "１２", id="full-width-digits"),
        pytest.param(WHOLE, "007", id="leading-zeros"),
        pytest.param(WHOLE, "1,000", id="thousands"),
        pytest.param(WHOLE, "five", id="word"),
        pytest.param(WHOLE, True, id="yes-for-whole"),
        pytest.param(NUMBER, "0.1000000000000000055", id="more-digits-than-survive"),
        pytest.param(NUMBER, "NaN", id="not-a-number"),
        pytest.param(YES_NO, "yes", id="yes"),
        pytest.param(YES_NO, 1, id="one-for-yes"),
        pytest.param(YES_NO, "off", id="off"),
        pytest.param(TEXT, 1.5, id="fraction-for-text"),
        pytest.param(TEXT, True, id="yes-for-text"),
        pytest.param(TEXT, 2**60, id="number-that-may-have-been-rounded"),
        pytest.param({"enum": ["on", "ON"]}, "On", id="two-values-under-one-fold"),
        pytest.param({"enum": ["A-", "B"]}, "a", id="sign-left-out"),
        pytest.param(LEG, '{"to": "A", "to": "B"}', id="twice-the-same-key"),
        pytest.param(LEG, '{"to": "A", "days": NaN}', id="nan-in-text"),
        pytest.param(LEG, '{"to": "A"', id="cut-off"),
        pytest.param(LEG, '"{\\"to\\": \\"A\\"}"', id="two-levels-of-text"),
        pytest.param({"type": "array", "items": LEG}, '["{\\"to\\": \\"A\\"}"]', id="text-in-text"),
        pytest.param({"type": "array", "items": TEXT}, "a@x.org, b@x.org", id="comma"),
        pytest.param({"type": "array", "items": TEXT}, "a@x.org;b@x.org", id="semicolon"),
        pytest.param({"type": "array", "items": TEXT}, "a@x.org b@x.org", id="two-addresses"),
        pytest.param({"type": "array", "items": TEXT}, "甲，乙", id="chinese-comma"),
        pytest.param({"type": "array", "items": TEXT}, "all", id="plain-word"),
        pytest.param({"type": "array", "items": TEXT}, "opening_hours", id="joined-words"),
        pytest.param({"type": "array", "items": TEXT, "minItems": 2}, "a@x.org", id="too-few-after-wrapping"),
        pytest.param({"type": "array"}, "a@x.org", id="elements-not-declared"),
        pytest.param({"type": "array", "items": WHOLE}, "[1, 2", id="list-cut-off"),
        pytest.param({"type": "array", "items": {"type": "array", "items": WHOLE}}, [1, 2], id="row-for-rows"),
        pytest.param({"type": "array", "items": WHOLE}, f"[{2**64}]", id="wide-number-in-text"),
        pytest.param(LEG, '{"to": "A", "days": 1e999}', id="infinity-in-text"),
        pytest.param(WHOLE, str(2**64), id="digits-beyond-64-bits"),
        pytest.param(NUMBER, "9" * 23, id="digits-beyond-64-bits-for-number"),
        pytest.param(WHOLE, 2.0**53, id="fraction-that-may-have-been-rounded"),
        pytest.param(WHOLE, 1e25, id="huge-fraction"),
        pytest.param({"anyOf": [WHOLE, {"type": "null"}]}, 1e25, id="huge-fraction-or-null"),
        pytest.param({"type": "array", "items": WHOLE}, [1, 1e25], id="huge-fraction-in-list"),
        pytest.param(TEXT, None, id="null-for-required"),
        pytest.param({"type": ["integer", "null"]}, "null", id="word-null"),
        pytest.param({"anyOf": [{"type": "string", "pattern": "^#"}, LEG]}, '{"to": "A"}', id="json-beside-a-text"),
    ],
)
def test_what_is_not_certain_comes_back(field: Any, sent: JSON) -> None:
    """A value that would have to be guessed is named, not changed."""
    verdict = objected(tool({"value": field}, ("value",)), {"value": sent})

    assert verdict.kind is ErrorKind.INVALID_ARGUMENTS
    assert verdict.fields[0].startswith("value")
    assert "`value" in verdict.message
    assert verdict.corrected is None


def test_text_with_json_is_decoded_through_references() -> None:
    """References and alternatives are followed to see that an object is declared."""
    parameters = {
        "type": "object",
        "properties": {"leg": {"$ref": "#/$defs/Leg"}, "back": {"anyOf": [{"$ref": "#/$defs/Leg"}, {"type": "null"}]}},
        "required": ["leg"],
        "$defs": {"Leg": LEG},
    }

    found = accepted(tool(parameters=parameters), {"leg": '{"to": "Bergen"}', "back": '{"to": "Oslo", "days": "2"}'})

    assert found.arguments == {"leg": {"to": "Bergen"}, "back": {"to": "Oslo", "days": 2}}


@pytest.mark.parametrize(
    ("sent", "canonical"),
    [
        pytest.param({"roomId": "r1"}, {"room_id": "r1"}, id="camel-case"),
        pytest.param({"ROOM-ID": "r1"}, {"room_id": "r1"}, id="case-and-hyphen"),
        pytest.param(
            {"room_id": "r1", "guest": {"firstName": "Li"}},
            {"room_id": "r1", "guest": {"first_name": "Li"}},
            id="nested",
        ),
        pytest.param({"arguments": {"room_id": "r1"}}, {"room_id": "r1"}, id="wrapped"),
        pytest.param({"kwargs": {"roomId": "r1"}}, {"room_id": "r1"}, id="wrapped-and-camel-case"),
        pytest.param({"arguments": '{"room_id": "r1"}'}, {"room_id": "r1"}, id="wrapped-as-text"),
        pytest.param({"room_id": "r1", "note": None}, {"room_id": "r1"}, id="null-for-optional"),
        pytest.param({"room_id": "r1", "until": None}, {"room_id": "r1", "until": None}, id="null-is-a-value"),
        pytest.param({"room_id": "r1", "mode": "any"}, {"room_id": "r1"}, id="default-that-is-not-listed"),
    ],
)
def test_fields_are_brought_to_their_names(sent: dict[str, JSON], canonical: dict[str, JSON]) -> None:
    """A key with exactly one declared and absent target takes its name; what means nothing is left out."""
    of = tool(
        {
            "room_id": TEXT,
            "note": TEXT,
            "until": {"type": ["string", "null"]},
            "mode": {"enum": ["quiet", "loud"], "default": "any"},
            "guest": {"type": "object", "properties": {"first_name": TEXT}},
        },
        ("room_id",),
    )

    assert accepted(of, sent).arguments == canonical


@pytest.mark.parametrize(
    "sent",
    [
        pytest.param({"room_id": "a", "roomId": "b"}, id="target-is-there"),
        pytest.param({"roomId": "a", "RoomID": "b"}, id="two-claims"),
        pytest.param({"arguments": {"arguments": {"room_id": "a"}}}, id="wrapped-twice"),
        pytest.param({"arguments": {"room_id": "a"}, "note": "b"}, id="wrapper-with-a-neighbour"),
        pytest.param({"arguments": "a"}, id="wrapper-without-object"),
        pytest.param({"arguments": '{"room_id": "a"'}, id="wrapped-as-text-cut-off"),
        pytest.param({"params": '{"room_id": "a"}'}, id="uncertain-wrapper"),
        pytest.param({"payload": {"room_id": "a"}}, id="unknown-wrapper"),
    ],
)
def test_fields_without_one_target_come_back(sent: dict[str, JSON]) -> None:
    """A key that could mean two things, or nothing, is an unknown argument."""
    assert objected(tool({"room_id": TEXT, "note": TEXT}, ("room_id",)), sent).kind is ErrorKind.UNKNOWN_ARGUMENT


def test_declared_wrapper_is_a_parameter() -> None:
    """A parameter that is called like a wrapper stays one."""
    of = tool({"input": {"type": "object", "properties": {"text": TEXT}}})

    assert accepted(of, {"input": {"text": "hi"}}).arguments == {"input": {"text": "hi"}}


def test_null_filter_of_a_destructive_tool_is_not_dropped() -> None:
    """Dropping a null would widen what is deleted, so the model has to say which it means."""
    of = tool({"calendar": TEXT, "until": TEXT}, ("calendar",), risk=Risk.DESTRUCTIVE)

    for value in (None, "null"):
        field = {"calendar": TEXT, "until": {"type": "string", "format": "date"}}
        strict = tool(field, ("calendar",), risk=Risk.DESTRUCTIVE)
        assert "`until`" in objected(strict, {"calendar": "home", "until": value}).message
    assert "leave it out only if" in objected(of, {"calendar": "home", "until": None}).message


def test_null_that_differs_from_the_default_is_not_dropped() -> None:
    """Null may mean "none" where leaving the field out means the default."""
    verdict = objected(tool({"round": WHOLE | {"default": 2}}), {"round": None})

    assert "default `2`" in verdict.message


def test_repairs_are_appended() -> None:
    """Repairs of earlier stages stay in front; the call given is not changed."""
    given = call({"value": "5"}, ("fence_removed",))

    verdict = check_arguments(tool({"value": WHOLE}), given)

    assert isinstance(verdict, Accept)
    assert verdict.call is not None
    assert verdict.call.repairs == ("fence_removed", "number_from_text")
    assert given.arguments == {"value": "5"}


def test_valid_call_comes_out_as_the_same_object() -> None:
    """A call that needs nothing is handed on untouched."""
    given = call({"value": 5})

    verdict = check_arguments(tool({"value": WHOLE}), given)

    assert isinstance(verdict, Accept)
    assert verdict.call is given

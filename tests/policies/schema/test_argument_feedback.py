"""What the model reads when its arguments come back."""

from __future__ import annotations

import pytest

from reinforced_agent.policies.verdicts import ErrorKind
from reinforced_agent.tools.call import JSON
from tests.policies.schema.workbench import accepted, objected, tool


TEXT = {"type": "string"}
JARGON = ("$ref", "anyOf", "oneOf", "schema", "Pydantic", "pydantic", "JSON Schema", "Traceback", "jsonschema")
TRIP = tool(
    {
        "city": TEXT,
        "date": {"type": "string", "format": "date"},
        "nights": {"type": "integer", "minimum": 1, "maximum": 30},
        "class": {"enum": ["economy", "business"]},
        "guests": {
            "type": "array",
            "items": {"type": "object", "properties": {"email": {"type": "string", "format": "email"}}},
        },
    },
    ("city",),
)


def test_misspelt_optional_field() -> None:
    """A misspelt field is named with the right one, and the corrected arguments are offered, not run."""
    verdict = objected(TRIP, {"city": "Turku", "dat": "2027-05-01"})

    assert verdict.message == "`dat` is not a parameter of `plan_trip`. Use `date`."
    assert verdict.kind is ErrorKind.UNKNOWN_ARGUMENT
    assert verdict.fields == ("dat",)
    assert verdict.corrected == {"city": "Turku", "date": "2027-05-01"}


def test_misspelt_required_field_is_one_problem() -> None:
    """The field that is missing under its right name is not complained about a second time."""
    verdict = objected(TRIP, {"citty": "Turku"})

    assert "missing" not in verdict.message
    assert verdict.corrected == {"city": "Turku"}


@pytest.mark.parametrize(
    "sent",
    [
        pytest.param({"city": "Turku", "dat": "2027-02-30"}, id="value-does-not-fit"),
        pytest.param({"city": "Turku", "dat": "2027-02-01", "nights": 99}, id="something-else-is-wrong"),
        pytest.param({"city": "Turku", "date": "2027-02-01", "dat": "2027-02-02"}, id="target-is-taken"),
        pytest.param({"city": "Turku", "when": "2027-02-01"}, id="nothing-near"),
        pytest.param({"city": "Turku", "dat": "2027-02-01", "dates": "2027-02-01"}, id="two-for-one"),
    ],
)
def test_no_correction_without_certainty(sent: dict[str, JSON]) -> None:
    """Corrected arguments are offered only where nothing else could be meant."""
    assert objected(TRIP, sent).corrected is None


def test_unknown_field_without_a_near_one_lists_the_parameters() -> None:
    """Where nothing is near, all parameters are named."""
    message = objected(TRIP, {"city": "Turku", "zzz": 1}).message

    assert "`zzz`" in message
    assert "`city`, `class`, `date`, `guests`, `nights`" in message


def test_field_given_twice_in_two_spellings() -> None:
    """A second spelling of a field that is there is to be left out, not to be renamed."""
    message = objected(TRIP, {"city": "Turku", "City": "Oslo"}).message

    assert "`city` is given already" in message
    assert "Leave `City` out" in message


def test_unknown_fields_inside_objects_are_named_by_path() -> None:
    """A closed object inside a list refuses unknown fields too, and the path says where."""
    verdict = objected(TRIP, {"city": "Turku", "guests": [{"emial": "a@b.org"}]})

    assert verdict.fields == ("guests[0].emial",)
    assert "`guests[0].email`" in verdict.message


def test_tool_without_parameters() -> None:
    """A tool that takes nothing says so."""
    assert "send {}" in objected(tool(), {"now": True}).message
    assert accepted(tool(), {}).arguments == {}


@pytest.mark.parametrize(
    ("sent", "words"),
    [
        pytest.param({}, ("`city` is missing", "a text"), id="missing"),
        pytest.param(
            {"city": "A", "date": "2029-02-29"}, ("`2029-02-29`", "February 2029 has 28 days"), id="impossible-day"
        ),
        pytest.param({"city": "A", "date": "2029-13-01"}, ("months go from 01 to 12",), id="impossible-month"),
        pytest.param({"city": "A", "date": "0204-05-01"}, ("year 204",), id="implausible-year"),
        pytest.param({"city": "A", "date": "tomorrow"}, ("YYYY-MM-DD", "`tomorrow`"), id="no-date"),
        pytest.param({"city": "A", "date": "null"}, ("the word `null`", "leave `date` out only if"), id="word-null"),
        pytest.param({"city": "A", "date": ""}, ("empty text", "Leave `date` out"), id="empty-optional"),
        pytest.param({"city": "A", "nights": 31}, ("from 1 to 30", "`31`"), id="out-of-range"),
        pytest.param({"city": "A", "nights": "1.5"}, ("whole number", "`1.5`"), id="fraction"),
        pytest.param({"city": "A", "class": "buisness"}, ("`economy`, `business`", "nearest is `business`"), id="enum"),
        pytest.param({"city": None}, ("`city` is null", "ask the user"), id="null-required"),
        pytest.param({"city": "A", "guests": [{"email": "kim"}]}, ("`guests[0].email`", "no @"), id="no-at"),
        pytest.param({"city": "A", "guests": [{"email": "kim@"}]}, ("no domain",), id="no-domain"),
        pytest.param({"city": "A", "guests": "kim, li"}, ("must be a list",), id="text-for-list"),
        pytest.param({"city": "A", "guests": "[{"}, ("not inside a text",), id="broken-json-in-text"),
        pytest.param({"city": "<city>"}, ("placeholder",), id="placeholder-copied"),
        pytest.param({"type": "object", "properties": {"city": TEXT}}, ("not values",), id="description-sent-back"),
        pytest.param({"city": "\ud800"}, ("broken characters",), id="broken-characters"),
        pytest.param({"city": "A", "nights": float("inf")}, ("`nights` is not a number",), id="infinite"),
    ],
)
def test_messages_say_what_is_wrong_and_what_is_allowed(sent: dict[str, JSON], words: tuple[str, ...]) -> None:
    """Each kind of fault is explained in plain words."""
    message = objected(TRIP, sent).message

    assert all(word in message for word in words), message
    assert not any(word in message for word in JARGON), message


def test_all_problems_come_at_once() -> None:
    """Every problem is one line, and one instruction closes the message."""
    verdict = objected(TRIP, {"nights": 0, "class": "first", "zzz": 1})

    assert verdict.message.startswith("4 things are wrong")
    assert all(f"`{field}`" in verdict.message for field in ("city", "nights", "class", "zzz"))
    assert verdict.message.count("Correct all of them in one new call.") == 1
    assert set(verdict.fields) == {"city", "nights", "class", "zzz"}
    assert verdict.kind is ErrorKind.UNKNOWN_ARGUMENT


def test_examples_of_the_host_are_shown() -> None:
    """A declared example is preferred over one made from the schema, as long as it fits."""
    of = tool(
        {"city": TEXT, "days": {"type": "integer"}}, ("city",), examples=({"town": "?"}, {"city": "Turku", "days": 2})
    )

    assert '{"city": "Turku", "days": 2}' in objected(of, {"city": 5.5}).message


def test_made_examples_show_the_faulty_field() -> None:
    """An example made from the schema holds the required fields and the one in question."""
    assert '{"city": "<city>", "nights": 1}' in objected(TRIP, {"city": "Turku", "nights": 0}).message


def test_made_examples_show_faulty_fields_inside_objects() -> None:
    """Leaving the field in question out of the example would teach the model to leave it out."""
    assert (
        '"guests": [{"email": "name@placeholder.example"}]'
        in objected(TRIP, {"city": "A", "guests": [{"email": "x"}]}).message
    )


def test_one_fault_is_told_once() -> None:
    """A value of another type that isn't listed either is one problem."""
    of = tool({"level": {"type": "integer", "enum": [1, 2]}})

    assert objected(of, {"level": True}).message.startswith("`level` must be one of `1`, `2`")


def test_malformed_text_is_never_repeated() -> None:
    """Long or structured wrong values don't come back to the model."""
    wrong = '{"city": {"deep": ["Turku"'
    message = objected(TRIP, {"city": "A", "guests": wrong, "date": "x" * 500}).message

    assert "deep" not in message
    assert "xxxxx" not in message


def test_strange_field_names_are_not_repeated() -> None:
    """A field name that holds markup or pages of text is not shown."""
    for name in ("`x`\n{", "k" * 900):
        message = objected(TRIP, {"city": "A", name: 1}).message
        assert name not in message
        assert "not a parameter" in message


def test_null_for_a_field_inside_a_list_is_named() -> None:
    """A null element is not dropped: positions would move."""
    of = tool({"stops": {"type": "array", "items": TEXT}})

    assert "`stops[1]` is null" in objected(of, {"stops": ["Oslo", None]}).message


def test_word_null_where_null_may_stand() -> None:
    """The word is not taken for the value, but the model is told how to send the value."""
    of = tool({"rooms": {"anyOf": [{"type": "array", "items": TEXT}, {"type": "null"}]}})

    assert "Send null without quotes" in objected(of, {"rooms": "null"}).message


ALTERNATIVES = tool(
    {
        "pay": {
            "oneOf": [
                {
                    "type": "object",
                    "properties": {"kind": {"const": "card"}, "digits": {"type": "string", "minLength": 4}},
                    "required": ["kind", "digits"],
                },
                {
                    "type": "object",
                    "properties": {"kind": {"const": "bank"}, "iban": TEXT},
                    "required": ["kind", "iban"],
                },
            ]
        },
        "size": {"anyOf": [{"type": "integer", "minimum": 1}, {"type": "null"}]},
    }
)


@pytest.mark.parametrize(
    ("sent", "words"),
    [
        pytest.param({"pay": {"kind": "card"}}, "`pay.digits` is missing", id="branch-by-its-mark"),
        pytest.param(
            {"pay": {"kind": "bank", "digits": "1234"}},
            "`pay.digits` is not a parameter",
            id="field-of-the-other-branch",
        ),
        pytest.param({"pay": {"kind": "cash"}}, "`card`, `bank`", id="no-such-mark"),
        pytest.param({"size": 0}, "at least 1", id="only-one-branch-has-the-type"),
        pytest.param({"size": "big"}, "a whole number or null", id="no-branch-has-the-type"),
    ],
)
def test_alternatives_are_explained_by_the_one_that_fits_best(sent: dict[str, JSON], words: str) -> None:
    """Where several shapes are allowed, the message speaks about the one that was meant."""
    message = objected(ALTERNATIVES, sent).message

    assert words in message, message
    assert "not valid under any" not in message


def test_field_of_another_alternative_is_not_let_through() -> None:
    """A field that only another alternative has is refused even beside fields of the whole."""
    of = tool(
        parameters={
            "type": "object",
            "properties": {"kind": {"enum": ["mail", "post"]}},
            "required": ["kind"],
            "oneOf": [
                {"properties": {"kind": {"const": "mail"}, "address": TEXT}},
                {"properties": {"kind": {"const": "post"}, "street": TEXT}},
            ],
        }
    )

    assert accepted(of, {"kind": "mail", "address": "a"}).repairs == ()
    assert "`street` is not allowed here" in objected(of, {"kind": "mail", "street": "b"}).message


def test_chinese_messages() -> None:
    """The locale chooses the language; everything unknown is English."""
    for locale in ("zh", "zh-CN", "zh_Hans"):
        assert "不是 `plan_trip` 的参数" in objected(TRIP, {"city": "A", "dat": "x"}, locale).message
    assert "is not a parameter" in objected(TRIP, {"city": "A", "dat": "x"}, "fr").message


def test_operator_line_has_code_and_path() -> None:
    """Records get one compact line."""
    assert objected(TRIP, {"city": "A", "nights": 0}).operator.startswith("plan_trip: out_of_range at nights")

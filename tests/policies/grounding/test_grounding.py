"""Marked fields need a value that was given; values of writes that nobody named become warnings, and nothing more."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reinforced_agent.policies.grounding import (
    Ground,
    GroundingLayer,
    GroundingPolicy,
    Kind,
    said_by_user,
)
from reinforced_agent.policies.situation import Situation
from reinforced_agent.policies.verdicts import Accept, ErrorKind, Revise, Verdict
from reinforced_agent.tools.call import Call
from reinforced_agent.tools.spec import Risk, ToolSpec


TEXT = {"type": "string"}
NUMBER = {"type": "number"}
BY_USER = {"type": "string", "x-ground": "user"}
IBAN = "DE89370400440532013000"


def tool(properties: Mapping[str, Any], *, required: tuple[str, ...] = (), risk: Risk = Risk.WRITE) -> ToolSpec:
    parameters = {"type": "object", "properties": properties, "required": list(required)}
    return ToolSpec(name="act", description="", parameters=parameters, risk=risk)


def verdict(spec: ToolSpec, arguments: dict[str, Any], request: str, **more: Any) -> Verdict:
    return GroundingLayer(GroundingPolicy())(
        Call("c1", "act", arguments), Situation(spec=spec, request=request, **more)
    )


def sent_back(found: Verdict) -> tuple[str, ...]:
    return found.fields if isinstance(found, Revise) else ()


def warned(found: Verdict) -> tuple[str, ...]:
    assert isinstance(found, Accept)
    return tuple(warning.field for warning in found.warnings)


@pytest.mark.parametrize(
    ("schema", "value"),
    [
        pytest.param(BY_USER, "John Smith", id="text"),
        pytest.param({"type": "string", "x-ground": "any"}, "John Smith", id="any"),
        pytest.param({"type": "array", "items": BY_USER}, ["John Smith"], id="items"),
        pytest.param({"type": "array", "items": TEXT, "x-ground": "user"}, ["John Smith"], id="list"),
        pytest.param({"anyOf": [TEXT, {"type": "null"}], "x-ground": "user"}, "John Smith", id="optional"),
        pytest.param({"$ref": "#/$defs/Name", "x-ground": "user"}, "John Smith", id="reference"),
        pytest.param(
            {"type": "object", "properties": {"name": TEXT}, "x-ground": "user"}, {"name": "John Smith"}, id="inherited"
        ),
        pytest.param({"type": "integer", "x-ground": "user"}, 50, id="number"),
        pytest.param({**BY_USER, "description": "Such as user@example.com"}, "user@example.com", id="copied-example"),
    ],
)
def test_a_made_up_value_of_a_marked_field_is_sent_back(schema: Any, value: Any) -> None:
    """What the host marked has to have been given."""
    spec = tool({"it": schema})
    spec = spec.declare(parameters={**spec.parameters, "$defs": {"Name": TEXT}})
    found = verdict(spec, {"it": value}, "Please do it for me")
    assert isinstance(found, Revise)
    assert found.kind is ErrorKind.UNGROUNDED_VALUE
    assert found.fields[0].startswith("it")


@pytest.mark.parametrize(
    ("schema", "value"),
    [
        pytest.param({"type": "string", "format": "date", "x-ground": "user"}, "2026-12-05", id="date"),
        pytest.param(BY_USER, "", id="empty"),
        pytest.param(BY_USER, "Ваня", id="another-script"),
        pytest.param(
            BY_USER, "a summary of all that was said in this long and winding conversation of ours", id="long"
        ),
        pytest.param({**BY_USER, "default": "basic"}, "basic", id="default"),
        pytest.param({**BY_USER, "enum": ["basic"]}, "basic", id="listed"),
        pytest.param({"type": "string", "x-ground": "off"}, "user@example.com", id="off"),
    ],
)
def test_what_can_not_be_compared_passes_in_a_marked_field(schema: Any, value: Any) -> None:
    """Nothing is called made up without proof."""
    found = verdict(tool({"it": schema}), {"it": value}, "Do it on Saturday for me")
    assert (sent_back(found), warned(found)) == ((), ())


@pytest.mark.parametrize(
    ("name", "schema", "value"),
    [
        pytest.param("email", TEXT, "user@example.com", id="email"),
        pytest.param("to", TEXT, "user@example.com", id="any-text-that-is-an-address"),
        pytest.param("note", TEXT, IBAN, id="any-text-that-is-an-iban"),
        pytest.param("note", TEXT, "+49 171 2345678", id="any-text-that-is-a-phone"),
        pytest.param("it", {"type": "string", "format": "uuid"}, "0b5a7f4e-4a3c-4b55-9c39-0f1f0a3a9b11", id="uuid"),
        pytest.param("account_number", TEXT, "12345678", id="account"),
        pytest.param("phone", TEXT, "555 123 4567", id="phone"),
        pytest.param("orderId", {"type": "integer"}, 4711, id="id-number"),
        pytest.param("amount", NUMBER, 49.9, id="amount"),
    ],
)
def test_a_write_is_warned_of_and_a_read_is_not(name: str, schema: Any, value: Any) -> None:
    """A value that nobody named never stops a call; who approves a write is told of it."""
    for risk, expected in ((Risk.WRITE, (name,)), (Risk.DESTRUCTIVE, (name,)), (Risk.READ, ())):
        assert warned(verdict(tool({name: schema}, risk=risk), {name: value}, "Please do it for me")) == expected


@pytest.mark.parametrize(
    ("name", "value"),
    [
        pytest.param("title", "A letter to John Smith", id="free-text"),
        pytest.param("count", 50, id="number"),
        pytest.param("calendar_id", "primary", id="id-without-a-digit"),
        pytest.param("page_id", 12, id="short-id"),
        pytest.param("paid", True, id="boolean"),
        pytest.param("email", None, id="null"),
        pytest.param("amount", 5, id="small-amount"),
        pytest.param("note", "DE00370400440532013000", id="iban-with-a-wrong-checksum"),
    ],
)
def test_other_values_are_not_compared(name: str, value: Any) -> None:
    """Free text, plain numbers, words, yes and no are nobody's to name."""
    assert warned(verdict(tool({name: {}}), {name: value}, "Please do it for me")) == ()


@pytest.mark.parametrize(
    ("request_text", "name", "value"),
    [
        pytest.param("Write to Bob.Smith@Example.com", "email", "bob.smith@example.com", id="email-case"),
        pytest.param("Forward it to Ann <ann@corp.example>.", "email", "ann@corp.example", id="email-in-brackets"),
        pytest.param("Where is order W2378156?", "order_id", "#W2378156", id="order-bare"),
        pytest.param("cancel order no. 1003", "order_id", 1003, id="order-number"),
        pytest.param("order A 1003 is late", "order_id", "A-1003", id="order-spaces"),
        pytest.param("to DE89 3704 0044 0532 0130 00", "iban", IBAN, id="iban-spaces"),
        pytest.param("use card 4111-1111-1111-1111", "card_number", "4111111111111111", id="card"),
        pytest.param("call me at (415) 555-0132", "phone", "+14155550132", id="phone-prefix"),
        pytest.param("ring 0171 2345678", "phone_number", "+491712345678", id="phone-zero"),
        pytest.param("transfer $1,250.50 to Bob", "amount", 1250.5, id="amount"),
        pytest.param("transfer 1.250,50 EUR", "amount", 1250.5, id="amount-comma"),
        pytest.param("virez 1 250 euros", "amount", 1250, id="amount-spaces"),
        pytest.param("charge $12.50", "amount_cents", 1250, id="cents"),
        pytest.param("转账５００元", "金额", 500, id="full-width"),
        pytest.param("Zahle 1.000.000 auf einmal", "amount", 1_000_000, id="groups"),
    ],
)
def test_what_was_said_in_another_spelling_was_said(request_text: str, name: str, value: Any) -> None:
    """Case, width, separators and prefixes make no other value."""
    assert warned(verdict(tool({name: {}}), {name: value}, request_text)) == ()


@pytest.mark.parametrize(
    ("request_text", "name", "value"),
    [
        pytest.param("Write to bob@corp.example.org", "email", "bob@corp.example", id="part-of-an-address"),
        pytest.param("I am notbob@corp.example", "email", "bob@corp.example", id="end-of-an-address"),
        pytest.param("Cancel order 10034", "order_id", 1003, id="part-of-a-number"),
        pytest.param("transfer 500 euros", "amount", 5000, id="another-amount"),
    ],
)
def test_a_part_of_a_value_is_another_one(request_text: str, name: str, value: Any) -> None:
    """What only lies inside a longer value was not named."""
    assert warned(verdict(tool({name: {}}), {name: value}, request_text)) == (name,)


@pytest.mark.parametrize(
    ("more", "named"),
    [
        pytest.param({"request": "I am bob@corp.example"}, True, id="request"),
        pytest.param({"said": ("I am bob@corp.example",)}, True, id="earlier-message"),
        pytest.param({"trusted": ("I am bob@corp.example",)}, True, id="result"),
        pytest.param({"untrusted": (("web", "bob@corp.example"),)}, True, id="untrusted-result"),
        pytest.param({"unread": True}, True, id="maybe-a-picture"),
        pytest.param({"request": ""}, True, id="nothing-is-known"),
        pytest.param({"facts": {"user": {"mail": ["bob@corp.example"]}}}, True, id="session-fact"),
        pytest.param({}, False, id="nobody"),
    ],
)
def test_anybody_but_the_model_may_name_an_unmarked_value(more: dict[str, Any], *, named: bool) -> None:
    """The user, the host and tools count; that only untrusted content named a value is a warning of its own."""
    found = verdict(tool({"email": TEXT}), {"email": "bob@corp.example"}, **({"request": "Subscribe me"} | more))
    assert warned(found) == (() if named else ("email",))


def test_a_tool_can_not_name_what_only_the_user_may() -> None:
    """What the user said in any message counts for a field marked `user`; the result of a tool doesn't."""
    spec, texts, arguments = tool({"email": BY_USER}), ("I am bob@corp.example",), {"email": "bob@corp.example"}
    assert sent_back(verdict(spec, arguments, "Subscribe me", trusted=texts)) == ("email",)
    assert sent_back(verdict(spec, arguments, "Subscribe me", trusted=texts, said=texts)) == ()


def test_what_the_user_was_asked_for_is_not_asked_again() -> None:
    """An answer in the user's own words is not held against digits a second time; the approver is told."""
    found = verdict(
        tool({"amount": {**NUMBER, "x-ground": "user"}}), {"amount": 20}, "twenty", asked=frozenset({"amount"})
    )
    assert warned(found) == ("amount",)


def test_what_the_user_has_answered_to_was_said() -> None:
    """A proposal that the user has seen is known, in whatever words the user goes on; what follows it is not."""
    turns = [("user", "Pay the gardener"), ("assistant", "20 euros?"), ("user", "go for it"), ("assistant", "90 then")]
    assert said_by_user(turns) == ("Pay the gardener", "20 euros?", "go for it")


def test_all_fields_are_named_in_one_message_without_their_values() -> None:
    """The model learns every field at once and reads none of its inventions again."""
    spec = tool({"email": BY_USER, "name": BY_USER}, required=("email",))
    found = verdict(spec, {"email": "user@example.com", "name": "Zoe"}, "Cancel A-1003")
    assert isinstance(found, Revise)
    assert found.fields == ("email", "name")
    assert all(name in found.message for name in ("`email`", "`name`", "one question"))
    assert not any(value in found.message + found.operator for value in ("example.com", "Zoe"))


@pytest.mark.parametrize(
    ("schema", "required", "locale", "words"),
    [
        pytest.param(BY_USER, True, "en", ["the user never gave", "ask the user"], id="user"),
        pytest.param({**TEXT, "x-ground": "any"}, True, "en", ["neither the user nor a tool"], id="any"),
        pytest.param(BY_USER, False, "en", ["Leave it out"], id="optional"),
        pytest.param({**TEXT, "x-ground": "any", "x-lookup": "find_user"}, True, "en", ["`find_user`"], id="lookup"),
        pytest.param(BY_USER, True, "zh-CN", ["用户从未提供", "询问"], id="chinese"),
        pytest.param(BY_USER, False, "fr", ["Leave it out"], id="unknown-language"),
    ],
)
def test_the_message_says_what_to_do(schema: Any, *, required: bool, locale: str, words: list[str]) -> None:
    """It tells the model to ask, to look up or to leave out, in the language of the session."""
    spec = tool({"email": schema}, required=("email",) if required else ())
    found = verdict(spec, {"email": "user@example.com"}, "Subscribe me", locale=locale)
    assert isinstance(found, Revise)
    assert [word for word in ["`email`", "`act`", *words] if word not in found.message] == []


@pytest.mark.parametrize(
    ("policy", "back", "told"),
    [
        pytest.param(GroundingPolicy(), (), ("email", "amount"), id="default"),
        pytest.param(GroundingPolicy(kinds=frozenset()), (), (), id="no-kinds"),
        pytest.param(GroundingPolicy(kinds=frozenset({Kind.AMOUNT})), (), ("amount",), id="one-kind"),
        pytest.param(GroundingPolicy(without=("act",)), (), (), id="without-the-tool"),
        pytest.param(GroundingPolicy(fields={"act": {"amount": Ground.OFF}}), (), ("email",), id="without-a-field"),
        pytest.param(GroundingPolicy(fields={"act": {"note.by": Ground.USER}}), ("note[0].by",), (), id="marked"),
        pytest.param(GroundingPolicy(enabled=False), (), (), id="off"),
    ],
)
def test_the_host_switches_tools_fields_and_kinds(
    policy: GroundingPolicy, back: tuple[str, ...], told: tuple[str, ...]
) -> None:
    """What the host says wins over recognition."""
    note = {"type": "array", "items": {"type": "object", "properties": {"by": TEXT}}}
    spec = tool({"email": TEXT, "amount": NUMBER, "note": note})
    call = Call("c1", "act", {"email": "user@example.com", "amount": 50, "note": [{"by": "John Smith"}]})
    found = GroundingLayer(policy)(call, Situation(spec=spec, request="Do it"))
    assert sent_back(found) == back
    assert back or warned(found) == told


def test_a_schema_that_contains_itself_is_looked_through() -> None:
    """Recursive objects are looked at some levels deep."""
    node = {"type": "object", "properties": {"email": TEXT, "next": {"$ref": "#/$defs/Node"}}}
    spec = tool({"node": {"$ref": "#/$defs/Node"}})
    spec = spec.declare(parameters={**spec.parameters, "$defs": {"Node": node}})
    found = verdict(spec, {"node": {"next": {"email": "user@example.com"}}}, "Do it")
    assert warned(found) == ("node.next.email",)


JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)


@given(st.dictionaries(st.sampled_from(["email", "amount", "user_id", "by", "who"]), JSON_VALUES), st.text(max_size=40))
def test_no_arguments_break_the_layer(arguments: dict[str, Any], request_text: str) -> None:
    """Whatever stands in the arguments, the layer gives a verdict."""
    spec = tool({"email": TEXT, "amount": NUMBER, "user_id": {}, "by": {"x-ground": "user"}})
    assert isinstance(verdict(spec, arguments, request_text), Accept | Revise)

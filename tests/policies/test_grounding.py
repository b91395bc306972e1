"""The grounding layer: which fields are checked, who may name their values, and what the model is told."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reinforced_agent.policies.grounding import Ground, GroundingLayer, GroundingPolicy, Kind, check_grounding
from reinforced_agent.policies.grounding.layer import judge
from reinforced_agent.policies.grounding.marks import leaves, marks_of
from reinforced_agent.policies.grounding.matching import Finding
from reinforced_agent.policies.grounding.said import Sources
from reinforced_agent.policies.situation import Situation
from reinforced_agent.policies.verdicts import Accept, ErrorKind, Revise, Verdict
from reinforced_agent.tools.call import Call
from reinforced_agent.tools.spec import Risk, ToolSpec


TEXT = {"type": "string"}
NUMBER = {"type": "number"}
BY_USER = {"type": "string", "x-ground": "user"}


def tool(properties: Mapping[str, Any], *, required: tuple[str, ...] = (), risk: Risk = Risk.WRITE) -> ToolSpec:
    """Describe a tool that does something with the fields."""
    parameters = {"type": "object", "properties": properties, "required": list(required)}
    return ToolSpec(name="act", description="", parameters=parameters, risk=risk)


def verdict(spec: ToolSpec, arguments: dict[str, Any], request: str, **more: Any) -> Verdict:
    """Judge a call by the default policy."""
    return check_grounding(Call("c1", "act", arguments), Situation(spec=spec, request=request, **more))


def named(found: Verdict) -> tuple[str, ...]:
    """Return the fields of an objection; none for acceptance."""
    return found.fields if isinstance(found, Revise) else ()


@pytest.mark.parametrize(
    ("schema", "value"),
    [
        pytest.param({"type": "string", "format": "email"}, "user@example.com", id="format-email"),
        pytest.param(TEXT, "user@example.com", id="any-text-that-is-an-address"),
        pytest.param(TEXT, "DE89370400440532013000", id="any-text-that-is-an-iban"),
        pytest.param({"type": "string", "format": "uuid"}, "0b5a7f4e-4a3c-4b55-9c39-0f1f0a3a9b11", id="format-uuid"),
        pytest.param(BY_USER, "John Smith", id="marked"),
        pytest.param({"type": "string", "x-ground": "any"}, "John Smith", id="marked-any"),
        pytest.param({"type": "array", "items": BY_USER}, ["John Smith"], id="marked-items"),
        pytest.param({"type": "array", "items": TEXT, "x-ground": "user"}, ["John Smith"], id="marked-list"),
        pytest.param({"anyOf": [TEXT, {"type": "null"}], "x-ground": "user"}, "John Smith", id="marked-optional"),
        pytest.param({"$ref": "#/$defs/Name", "x-ground": "user"}, "John Smith", id="marked-reference"),
        pytest.param(
            {"type": "object", "properties": {"name": TEXT}, "x-ground": "user"}, {"name": "John Smith"}, id="inherited"
        ),
        pytest.param({"type": "object", "properties": {"user_id": TEXT}}, {"user_id": "u-4711"}, id="inside"),
        pytest.param(
            {"type": "object", "additionalProperties": TEXT}, {"whatever": "user@example.com"}, id="undeclared-address"
        ),
        pytest.param({"type": "integer", "x-ground": "user"}, 50, id="marked-number"),
        pytest.param({"type": "string", "format": "date", "x-ground": "user"}, "2026-12-05", id="marked-date"),
        pytest.param({"type": "string", "enum": ["a", "b"], "x-ground": "user"}, "other one", id="not-in-the-enum"),
    ],
)
def test_a_made_up_value_is_sent_back(schema: Any, value: Any) -> None:
    """A value of a checked field that nobody gave stops the call."""
    spec = tool({"it": schema})
    spec = spec.declare(parameters={**spec.parameters, "$defs": {"Name": TEXT}})
    found = verdict(spec, {"it": value}, "Please do it for me")
    assert isinstance(found, Revise)
    assert found.kind is ErrorKind.UNGROUNDED_VALUE
    assert found.score < 0.5
    assert found.fields[0].startswith("it")


@pytest.mark.parametrize(
    ("name", "schema", "value"),
    [
        pytest.param("email", TEXT, "user@example.com", id="email"),
        pytest.param("cc_emails", {"type": "array", "items": TEXT}, ["user@example.com"], id="emails"),
        pytest.param("account_number", TEXT, "12345678", id="account"),
        pytest.param("cardNumber", TEXT, "4111 1111 1111 1111", id="card"),
        pytest.param("phone", TEXT, "+1 555 123 4567", id="phone"),
        pytest.param("mobile_number", TEXT, "5551234567", id="mobile"),
        pytest.param("user_id", TEXT, "u-4711", id="id"),
        pytest.param("orderId", {"type": "integer"}, 4711, id="id-number"),
        pytest.param("invoice_number", TEXT, "INV-4711", id="invoice"),
        pytest.param("amount", NUMBER, 49.9, id="amount"),
        pytest.param("loan_amount", NUMBER, 5000, id="amount-of-something"),
        pytest.param("amount_eur", NUMBER, 20, id="amount-in-a-currency"),
        pytest.param("手机号", TEXT, "13800138000", id="chinese-phone"),
        pytest.param("金额", NUMBER, 500, id="chinese-amount"),
    ],
)
def test_fields_are_recognised_by_their_names(name: str, schema: Any, value: Any) -> None:
    """Addresses, accounts, numbers of phones, ids and amounts are checked without a marker."""
    assert named(verdict(tool({name: schema}), {name: value}, "Please do it for me"))


@pytest.mark.parametrize(
    ("name", "schema", "value"),
    [
        pytest.param("title", TEXT, "A letter to John Smith", id="free-text"),
        pytest.param("count", NUMBER, 50, id="number"),
        pytest.param("calendar_id", TEXT, "primary", id="id-without-a-digit"),
        pytest.param("page_id", {"type": "integer"}, 12, id="short-id"),
        pytest.param("paid", {"type": "boolean"}, True, id="boolean"),
        pytest.param("confirmation_email", {"type": "boolean"}, True, id="boolean-about-email"),
        pytest.param("email", {"type": ["string", "null"]}, None, id="null"),
        pytest.param("valid_until", TEXT, "2026-12-05", id="date"),
        pytest.param("amount", {"type": "number", "default": 50}, 50, id="default"),
        pytest.param("amount", {**NUMBER, "description": "In euros. Defaults to 50."}, 50, id="default-in-words"),
        pytest.param("service_id", {"type": "integer", "description": "111 wash, 222 iron"}, 222, id="listed-code"),
        pytest.param("plan_id", {"type": "string", "enum": ["p100", "p200"]}, "p100", id="enum"),
        pytest.param("amount", NUMBER, 5, id="small-amount"),
        pytest.param("email", {"type": "string", "x-ground": "off"}, "user@example.com", id="marked-off"),
        pytest.param(
            "who", {"type": "object", "properties": {"email": TEXT}, "x-ground": "off"}, {"email": "a@b.example"},
            id="inside-marked-off",
        ),
        pytest.param("nickname", BY_USER, "", id="empty"),
        pytest.param("plan", {"type": "string", "x-ground": "user", "default": "basic"}, "basic", id="marked-default"),
        pytest.param("plan", {"type": "string", "x-ground": "user", "enum": ["basic"]}, "basic", id="marked-enum"),
    ],
)  # fmt: skip
def test_other_values_are_left_alone(name: str, schema: Any, value: Any) -> None:
    """Free text, plain numbers, words, yes and no, and what the schema itself gives are never objected to."""
    assert isinstance(verdict(tool({name: schema}), {name: value}, "Please do it for me"), Accept)


@pytest.mark.parametrize(
    ("schema", "description"),
    [
        pytest.param(TEXT, "Such as user@example.com", id="recognised"),
        pytest.param(BY_USER, "Such as user@example.com", id="marked"),
    ],
)
def test_an_example_gives_no_value(schema: dict[str, Any], description: str) -> None:
    """An address that was copied from an example is made up as well."""
    spec = tool({"email": {**schema, "description": description}})
    assert named(verdict(spec, {"email": "user@example.com"}, "Subscribe me")) == ("email",)


@pytest.mark.parametrize(
    ("risk", "objected"),
    [
        pytest.param(Risk.READ, ("email",), id="read"),
        pytest.param(Risk.WRITE, ("email", "amount"), id="write"),
        pytest.param(Risk.DESTRUCTIVE, ("email", "amount"), id="destructive"),
    ],
)
def test_amounts_are_checked_where_something_changes(risk: Risk, objected: tuple[str, ...]) -> None:
    """A made-up amount of a mere question does no harm."""
    spec = tool({"email": TEXT, "amount": NUMBER}, risk=risk)
    assert named(verdict(spec, {"email": "user@example.com", "amount": 50}, "Do it")) == objected


@pytest.mark.parametrize(
    ("more", "accepted"),
    [
        pytest.param({"request": "I am bob@corp.example"}, True, id="request"),
        pytest.param({"trusted": ("I am bob@corp.example",)}, True, id="earlier-message"),
        pytest.param({"facts": {"user": {"mail": ["bob@corp.example"]}}}, True, id="session-fact"),
        pytest.param({"untrusted": (("web", "bob@corp.example"),)}, True, id="untrusted-result"),
        pytest.param({}, False, id="nobody"),
    ],
)
def test_anybody_but_the_model_may_name_an_unmarked_value(more: dict[str, Any], *, accepted: bool) -> None:
    """The user, the host and tools count; what strangers wrote is held for a person by the risk layer."""
    situation = {"request": "Subscribe me"} | more
    assert isinstance(verdict(tool({"email": TEXT}), {"email": "bob@corp.example"}, **situation), Accept) is accepted


@pytest.mark.parametrize(
    ("ground", "sources", "finding"),
    [
        pytest.param("user", Sources(("bob@corp.example",)), Finding.SAID, id="user-by-the-user"),
        pytest.param("user", Sources((), ("bob@corp.example",)), Finding.UNSAID, id="user-by-a-tool"),
        pytest.param("any", Sources((), ("bob@corp.example",)), Finding.SAID, id="any-by-a-tool"),
        pytest.param("any", Sources(), Finding.UNSAID, id="any-by-nobody"),
    ],
)
def test_the_marker_says_who_may_name_a_value(ground: str, sources: Sources, finding: Finding) -> None:
    """`user` takes no result of a tool for an answer, `any` does."""
    spec = tool({"email": {"type": "string", "x-ground": ground}})
    policy = GroundingPolicy()
    found = leaves({"email": "bob@corp.example"}, marks_of(spec, policy), spec, policy)
    assert [judged for _, judged in judge(found, sources)] == [finding]


def test_all_fields_are_named_in_one_message_without_their_values() -> None:
    """The model learns every field at once and reads none of its inventions again."""
    items = {"type": "array", "items": {"type": "object", "properties": {"order_id": TEXT}}}
    spec = tool({"email": {**BY_USER, "format": "email"}, "items": items}, required=("email",))
    arguments = {"email": "user@example.com", "items": [{"order_id": "A-1003"}, {"order_id": "A-9999"}]}
    found = verdict(spec, arguments, "Cancel A-1003")
    assert isinstance(found, Revise)
    assert found.fields == ("email", "items[1].order_id")
    for text in (found.message, found.operator):
        assert "`email`" in text or "email (user)" in text
        assert "items[1].order_id" in text
        assert not {"example.com", "9999"} & {part for part in ("example.com", "9999") if part in text}
    assert "one question" in found.message


@pytest.mark.parametrize(
    ("schema", "required", "locale", "words"),
    [
        pytest.param(BY_USER, True, "en", ["the user never gave", "ask the user"], id="user"),
        pytest.param(TEXT, True, "en", ["neither the user nor a tool", "ask the user"], id="any"),
        pytest.param(TEXT, False, "en", ["Leave it out"], id="optional"),
        pytest.param({**TEXT, "x-lookup": "find_user"}, True, "en", ["look it up with `find_user`"], id="lookup"),
        pytest.param(BY_USER, True, "zh-CN", ["用户从未提供", "询问"], id="chinese"),
        pytest.param({**TEXT, "x-lookup": "find_user"}, False, "zh", ["`find_user` 查询"], id="chinese-lookup"),
        pytest.param(TEXT, False, "fr", ["Leave it out"], id="unknown-language"),
    ],
)
def test_the_message_says_what_to_do(schema: Any, *, required: bool, locale: str, words: list[str]) -> None:
    """It tells the model to ask, to look up or to leave out, in the language of the session."""
    spec = tool({"email": schema}, required=("email",) if required else ())
    found = verdict(spec, {"email": "user@example.com"}, "Subscribe me", locale=locale)
    assert isinstance(found, Revise)
    assert [word for word in ["`email`", "`act`", *words] if word not in found.message] == []


@pytest.mark.parametrize(
    ("arguments", "request_text", "score"),
    [
        pytest.param({"title": "x"}, "Do it", 1.0, id="nothing-to-check"),
        pytest.param({"amount": 20}, "Pay 20", 1.0, id="said"),
        pytest.param({"amount": 50}, "Pay 20 and 30", 0.8, id="derived"),
        pytest.param({"amount": 200}, "Überweise bitte zweihundert Euro", 0.9, id="unsure"),
        pytest.param({"amount": 50}, "Pay", 0.1, id="made-up"),
    ],
)
def test_the_score_says_how_sure_the_layer_is(arguments: dict[str, Any], request_text: str, score: float) -> None:
    """Said is sure, derived less so, made up hardly right."""
    assert verdict(tool({"title": TEXT, "amount": NUMBER}), arguments, request_text).score == score


def test_a_strict_policy_objects_to_what_was_only_computed() -> None:
    """The user is asked to confirm a sum instead of the model being told that it was made up."""
    spec = tool({"amount": NUMBER}, required=("amount",))
    situation = Situation(spec=spec, request="Pay 20 and 30")
    call = Call("c1", "act", {"amount": 50})
    found = GroundingLayer(GroundingPolicy(strict=True))(call, situation)
    assert isinstance(found, Revise)
    assert "how it was computed" in found.message
    assert isinstance(check_grounding(call, situation), Accept)


def test_an_id_is_never_taken_for_a_sum() -> None:
    """Nobody computes an identifier."""
    assert named(verdict(tool({"user_id": {"type": "integer"}}), {"user_id": 5000}, "It costs 2000 and 3000"))


@pytest.mark.parametrize(
    ("policy", "objected"),
    [
        pytest.param(GroundingPolicy(), ("email", "amount"), id="default"),
        pytest.param(GroundingPolicy(kinds={}), (), id="no-kinds"),
        pytest.param(GroundingPolicy(kinds={Kind.AMOUNT: Risk.READ}), ("amount",), id="one-kind"),
        pytest.param(GroundingPolicy(kinds={Kind.EMAIL: Risk.DESTRUCTIVE}), (), id="for-worse-tools"),
        pytest.param(GroundingPolicy(without=("act",)), (), id="without-the-tool"),
        pytest.param(GroundingPolicy(fields={"act": {"amount": Ground.OFF}}), ("email",), id="without-a-field"),
        pytest.param(
            GroundingPolicy(kinds={}, fields={"act": {"note.by": Ground.USER}}), ("note[0].by",), id="one-more-field"
        ),
    ],
)
def test_the_host_switches_tools_fields_and_kinds(policy: GroundingPolicy, objected: tuple[str, ...]) -> None:
    """What the host says wins over recognition."""
    note = {"type": "array", "items": {"type": "object", "properties": {"by": TEXT}}}
    spec = tool({"email": TEXT, "amount": NUMBER, "note": note})
    call = Call("c1", "act", {"email": "user@example.com", "amount": 50, "note": [{"by": "John Smith"}]})
    assert named(GroundingLayer(policy)(call, Situation(spec=spec, request="Do it"))) == objected


def test_a_schema_that_contains_itself_is_looked_through() -> None:
    """Recursive objects are checked some levels deep."""
    node = {"type": "object", "properties": {"email": TEXT, "next": {"$ref": "#/$defs/Node"}}}
    spec = tool({"node": {"$ref": "#/$defs/Node"}})
    spec = spec.declare(parameters={**spec.parameters, "$defs": {"Node": node}})
    found = verdict(spec, {"node": {"next": {"email": "user@example.com"}}}, "Do it")
    assert named(found) == ("node.next.email",)


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

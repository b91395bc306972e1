"""Which fields the grounding layer checks, and who may name their values."""

from __future__ import annotations

from typing import Any

import pytest

from reinforced_agent.policies.grounding import GroundingPolicy
from reinforced_agent.policies.grounding.layer import judge
from reinforced_agent.policies.grounding.marks import leaves, marks_of
from reinforced_agent.policies.grounding.matching import Finding
from reinforced_agent.policies.grounding.said import Sources
from reinforced_agent.policies.verdicts import Accept, ErrorKind, Revise
from reinforced_agent.tools.spec import Risk
from tests.policies.grounding import BY_USER, NUMBER, TEXT, named, tool, verdict


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
        pytest.param({"said": ("I am bob@corp.example",)}, True, id="earlier-message"),
        pytest.param({"trusted": ("I am bob@corp.example",)}, True, id="result"),
        pytest.param({"unread": True}, True, id="maybe-a-picture"),
        pytest.param({"request": ""}, True, id="nothing-is-known"),
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


def test_a_tool_can_not_name_what_only_the_user_may() -> None:
    """What the user said in any message counts for a field marked `user`; the result of a tool doesn't."""
    spec = tool({"email": BY_USER})
    texts = ("I am bob@corp.example",)
    arguments = {"email": "bob@corp.example"}
    assert named(verdict(spec, arguments, "Subscribe me", trusted=texts)) == ("email",)
    assert isinstance(verdict(spec, arguments, "Subscribe me", trusted=texts, said=texts), Accept)

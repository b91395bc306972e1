"""What the grounding layer says: every field at once, what to do, how sure it is, and what the host switches."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reinforced_agent.policies.grounding import Ground, GroundingLayer, GroundingPolicy, Kind, check_grounding
from reinforced_agent.policies.situation import Situation
from reinforced_agent.policies.verdicts import Accept, Revise
from reinforced_agent.tools.call import Call
from reinforced_agent.tools.spec import Risk
from tests.policies.grounding import BY_USER, NUMBER, TEXT, named, tool, verdict


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

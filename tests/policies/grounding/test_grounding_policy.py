"""Slips in a grounding policy, or in the markers of schemas, stop the build."""

from __future__ import annotations

from typing import Any

import pytest

from reinforced_agent.policies.grounding import Ground, GroundingPolicy, GroundingPolicyError, Kind, validate
from reinforced_agent.tools.spec import ToolSpec


def tool(**schema: Any) -> ToolSpec:
    """Describe a tool with one field."""
    parameters = {"type": "object", "properties": {"email": {"type": "string", **schema}}}
    return ToolSpec(name="subscribe", description="", parameters=parameters)


@pytest.mark.parametrize(
    ("policy", "spec", "words"),
    [
        pytest.param(GroundingPolicy(without=("subscrib",)), tool(), ["'subscrib'", "`subscribe`"], id="tool"),
        pytest.param(
            GroundingPolicy(fields={"subscrib": {"email": Ground.USER}}), tool(), ["`subscribe`"], id="tool-of-a-field"
        ),
        pytest.param(
            GroundingPolicy(fields={"subscribe": {"mail": Ground.USER}}), tool(), ["'mail'", "`email`"], id="field"
        ),
        pytest.param(
            GroundingPolicy(),
            tool(**{"x-ground": "usr"}),
            ["'subscribe'", "'usr'", "`user`, `any`, `off`"],
            id="marker",
        ),
        pytest.param(
            GroundingPolicy(), tool(**{"x-lookup": "find"}), ["'find'", "`subscribe`"], id="lookup-without-a-tool"
        ),
    ],
)
def test_a_slip_is_named_with_what_is_allowed(policy: GroundingPolicy, spec: ToolSpec, words: list[str]) -> None:
    """The error says where it is, what is wrong and what to write instead."""
    with pytest.raises(GroundingPolicyError) as raised:
        validate(policy, [spec])
    assert [word for word in words if word not in str(raised.value)] == []


def test_every_slip_is_named_at_once() -> None:
    """Nobody has to build again and again to find them all."""
    policy = GroundingPolicy(without=("one", "two"), fields={"subscribe": {"mail": Ground.ANY}})
    with pytest.raises(GroundingPolicyError) as raised:
        validate(policy, [tool()])
    assert len(str(raised.value).splitlines()) == 3


@pytest.mark.parametrize(
    ("policy", "spec"),
    [
        pytest.param(GroundingPolicy(), tool(), id="default"),
        pytest.param(GroundingPolicy(without=("subscribe",)), tool(), id="without"),
        pytest.param(GroundingPolicy(fields={"subscribe": {"email": Ground.OFF}}), tool(), id="field"),
        pytest.param(GroundingPolicy(), tool(**{"x-ground": "any", "x-lookup": "subscribe"}), id="markers"),
        pytest.param(GroundingPolicy(), tool(**{"x-ground": None}), id="marker-left-empty"),
    ],
)
def test_a_sound_policy_passes(policy: GroundingPolicy, spec: ToolSpec) -> None:
    """What fits the tools is no slip."""
    validate(policy, [spec])


def test_plain_words_do_for_kinds_and_grounds() -> None:
    """A policy can be written from settings, and is the same as one in types."""
    written: Any = {"kinds": ["email"], "fields": {"subscribe": {"email": "user"}}}
    policy = GroundingPolicy(**written)
    assert policy.kinds == {Kind.EMAIL}
    assert policy.fields == {"subscribe": {"email": Ground.USER}}


@pytest.mark.parametrize(
    "written",
    [
        pytest.param({"kinds": ["e-mail"]}, id="kind"),
        pytest.param({"fields": {"subscribe": {"email": "usr"}}}, id="ground"),
    ],
)
def test_an_unknown_word_is_refused(written: dict[str, Any]) -> None:
    """A misspelt word never silently means nothing."""
    with pytest.raises(ValueError, match="is not a valid"):
        GroundingPolicy(**written)

"""A policy that doesn't fit its tools stops the build, and the error says where and what is allowed."""

from __future__ import annotations

from typing import Any

import pytest

from reinforced_agent.policies.approval import (
    ApprovalPolicy,
    ApprovalPolicyError,
    ApprovalRule,
    Condition,
    Escalation,
    Exemption,
    validate,
)
from reinforced_agent.policies.pipeline import RuleBook
from tests.policies.approval.approvals import LOOK_UP, PAY


TOOLS = [PAY, LOOK_UP]


def escalating(**parts: Any) -> ApprovalPolicy:
    """Make a policy with one escalation."""
    return ApprovalPolicy(escalations=(Escalation(when=Condition(**parts)),))


def exempting(**parts: Any) -> ApprovalPolicy:
    """Make a policy with one exemption."""
    return ApprovalPolicy(exemptions=(Exemption(when=Condition(**parts)),))


@pytest.mark.parametrize(
    ("policy", "told"),
    [
        pytest.param(
            ApprovalPolicy(tools={"pya": ApprovalRule()}),
            "tools['pya']: there is no tool 'pya'. Use one of `pay`",
            id="tool",
        ),
        pytest.param(
            ApprovalPolicy(write=ApprovalRule(expires=-1)), "write.expires: -1 is no time", id="negative-time"
        ),
        pytest.param(ApprovalPolicy(write=ApprovalRule(expires=0)), "write.expires: 0 is no time", id="no-time"),
        pytest.param(ApprovalPolicy(read=ApprovalRule(expires=float("nan"))), "read.expires: nan", id="odd-time"),
        pytest.param(
            ApprovalPolicy(tools={"pay": ApprovalRule(expires=-5)}), "tools['pay'].expires: -5", id="time-of-a-tool"
        ),
        pytest.param(ApprovalPolicy(write=ApprovalRule(roles=("",))), "write.roles: ('',)", id="empty-role"),
        pytest.param(
            escalating(tools=("lookup",)), "escalations[0].when.tools: there is no tool 'lookup'", id="unknown"
        ),
        pytest.param(escalating(tools=("lookup",)), "Use one of `look_up`", id="nearest-tool"),
        pytest.param(
            ApprovalPolicy(escalations=(Escalation(when=Condition(tools=("pay",)), risk=PAY.risk),)),
            "escalations[0].risk: ",
            id="escalation-that-raises-nothing",
        ),
        pytest.param(escalating(field="amuont", above=5), "no tool has a field 'amuont'. Use `amount`", id="field"),
        pytest.param(
            escalating(tools=("pay",), field="recipient.acount", one_of=("a",)),
            "`pay` has no field 'recipient.acount'. Use `recipient.account`",
            id="inner-field",
        ),
        pytest.param(
            escalating(tools=("pay", "look_up"), field="amount", above=5),
            "`look_up` has no field",
            id="one-tool-lacks-it",
        ),
        pytest.param(escalating(field="amount.value", above=5), "no tool has a field 'amount.value'", id="too-deep"),
        pytest.param(
            escalating(field="query", above=5), "'query' of `look_up` is never a number", id="text-with-bound"
        ),
        pytest.param(escalating(field="amount", above=True), "escalations[0].when.above: True is no number", id="true"),
        pytest.param(escalating(field="amount", above=float("inf")), "above: inf is no number", id="infinite"),
        pytest.param(escalating(field="query", matches="(a"), "matches: '(a' is no regular expression", id="pattern"),
        pytest.param(escalating(field="amount"), "'amount' is put to no test", id="field-without-test"),
        pytest.param(escalating(above=5), "a test on a value needs a `field`", id="test-without-field"),
        pytest.param(
            escalating(tools=("pay",), also=(Condition(field="query", one_of=("a",)),)),
            "escalations[0].when.also[0].field: `pay` has no field 'query'",
            id="further-condition",
        ),
        pytest.param(ApprovalPolicy(on_doubt="ask"), "on_doubt: 'ask' is none of `hold`, `refuse`, `run`", id="doubt"),  # type: ignore[arg-type]
        pytest.param(exempting(), "exemptions[0].when: this would let every call run", id="lifts-all"),
        pytest.param(exempting(repaired=False), "this would let every call run", id="lifts-all-unrepaired"),
        pytest.param(exempting(tainted=False), "this would let every call run", id="lifts-all-untainted"),
        pytest.param(exempting(also=(Condition(),)), "this would let every call run", id="lifts-all-twice"),
    ],
)
def test_a_policy_that_does_not_fit_is_refused(policy: ApprovalPolicy, told: str) -> None:
    """The error names the entry and the nearest allowed names, and the rule book isn't built."""
    with pytest.raises(ApprovalPolicyError) as caught:
        RuleBook(TOOLS, approvals=policy)
    assert told in str(caught.value)


@pytest.mark.parametrize(
    "policy",
    [
        pytest.param(ApprovalPolicy(), id="default"),
        pytest.param(ApprovalPolicy(tools={"pay": ApprovalRule(expires=None, roles=("a",))}), id="tool"),
        pytest.param(escalating(), id="escalates-all"),
        pytest.param(escalating(field="amount", above=5), id="field-of-one-tool"),
        pytest.param(escalating(tools=("pay",), field="items.price", above=5), id="field-in-a-list"),
        pytest.param(escalating(tools=("pay",), field="copies", matches=".*@x"), id="list-of-texts"),
        pytest.param(escalating(tools=("pay",), field="labels.team", one_of=("a",)), id="free-field"),
        pytest.param(escalating(field="recipient", tainted=True), id="object-for-its-source"),
        pytest.param(exempting(tools=("pay",)), id="whole-tool"),
        pytest.param(exempting(repaired=False, also=(Condition(tools=("pay",)),)), id="tool-further-on"),
    ],
)
def test_a_policy_that_fits_is_taken(policy: ApprovalPolicy) -> None:
    """The rule book keeps it."""
    assert RuleBook(TOOLS, approvals=policy).approvals is policy


def test_all_slips_are_told_at_once() -> None:
    """One line each."""
    policy = ApprovalPolicy(
        write=ApprovalRule(expires=-1), tools={"x": ApprovalRule()}, exemptions=exempting().exemptions
    )
    with pytest.raises(ApprovalPolicyError) as caught:
        validate(policy, TOOLS)
    assert [line.split(":")[0] for line in str(caught.value).splitlines()] == [
        "tools['x']",
        "write.expires",
        "exemptions[0].when",
    ]


def test_without_tools_there_is_nothing_to_name() -> None:
    """The error still says what is wrong."""
    with pytest.raises(ApprovalPolicyError, match="No tools are registered"):
        validate(ApprovalPolicy(tools={"x": ApprovalRule()}), [])

"""Who may decide: roles, four eyes and tenants, and what isn't known never counts as given."""

from __future__ import annotations

import pytest

from reinforced_agent.policies.approval import DECISIONS, ApprovalRule, DecisionType, Person, may_decide


ANN = Person("ann", frozenset({"clerk"}), "acme")
BOB = Person("bob", frozenset({"finance", "clerk"}), "acme")
EVE = Person("eve", frozenset({"finance"}), "other")
NOBODY = Person()

ANYBODY = ApprovalRule()
FINANCE = ApprovalRule(roles=("finance", "board"))
TWO = ApprovalRule(four_eyes=True)


@pytest.mark.parametrize(
    ("rule", "requester", "decider", "reason"),
    [
        pytest.param(ANYBODY, ANN, ANN, None, id="own-call"),
        pytest.param(ANYBODY, NOBODY, NOBODY, None, id="nobody-known-and-nothing-asked"),
        pytest.param(ANYBODY, ANN, EVE, "another customer", id="other-tenant"),
        pytest.param(ANYBODY, ANN, Person("zoe"), "another customer", id="decider-without-tenant"),
        pytest.param(ANYBODY, Person("zoe"), EVE, "another customer", id="requester-without-tenant"),
        pytest.param(ANYBODY, ANN, Person("bob", frozenset(), " ACME"), None, id="tenant-written-another-way"),
        pytest.param(FINANCE, ANN, BOB, None, id="has-one-role"),
        pytest.param(FINANCE, ANN, ANN, "finance, board", id="lacks-the-role"),
        pytest.param(FINANCE, ANN, Person("", frozenset(), "acme"), "Sign in", id="role-not-known"),
        pytest.param(TWO, ANN, BOB, None, id="second-person"),
        pytest.param(TWO, ANN, ANN, "Somebody else", id="same-person"),
        pytest.param(TWO, ANN, Person("Ann ", frozenset(), "acme"), "Somebody else", id="same-person-in-capitals"),
        pytest.param(TWO, ANN, Person("\uff41nn", frozenset(), "acme"), "Somebody else", id="same-person-full-width"),
        pytest.param(TWO, ANN, Person("  ", frozenset(), "acme"), "isn't known", id="decider-of-white-space"),
        pytest.param(TWO, ANN, Person("", frozenset(), "acme"), "isn't known", id="decider-not-known"),
        pytest.param(TWO, NOBODY, Person("bob"), "isn't known", id="requester-not-known"),
        pytest.param(TWO, NOBODY, NOBODY, "isn't known", id="nobody-known"),
        pytest.param(ApprovalRule(roles=("finance",), four_eyes=True), BOB, BOB, "Somebody else", id="role-but-same"),
        pytest.param(ApprovalRule(roles=("finance",), four_eyes=True), ANN, EVE, "another customer", id="foreign-role"),
    ],
)
@pytest.mark.parametrize("decision", ["approve", "edit", "respond"])
def test_who_may_let_a_call_go_on(
    decision: DecisionType, rule: ApprovalRule, requester: Person, decider: Person, reason: str | None
) -> None:
    """The reason is in plain words for the person."""
    told = may_decide(decision, rule, requester=requester, decider=decider)
    assert (told is None) is (reason is None)
    assert reason is None or reason in (told or "")


@pytest.mark.parametrize(
    ("requester", "decider", "allowed"),
    [
        pytest.param(ANN, ANN, True, id="own-call"),
        pytest.param(ANN, Person("Ann", frozenset(), "acme"), True, id="own-call-without-roles"),
        pytest.param(ANN, Person("ann", frozenset(), "other"), False, id="another-ann-of-another-tenant"),
        pytest.param(ANN, Person("ann"), False, id="another-ann-of-no-tenant"),
        pytest.param(ANN, BOB, True, id="somebody-with-the-role"),
        pytest.param(ANN, Person("zoe", frozenset(), "acme"), False, id="somebody-without"),
        pytest.param(NOBODY, NOBODY, False, id="not-known-to-be-the-same"),
    ],
)
def test_whoever_asked_may_always_reject(*, requester: Person, decider: Person, allowed: bool) -> None:
    """Rejecting harms nobody; for others the rule holds."""
    rule = ApprovalRule(roles=("finance",), four_eyes=True)
    assert (may_decide("reject", rule, requester=requester, decider=decider) is None) is allowed


@pytest.mark.parametrize("decision", DECISIONS)
def test_the_reason_is_in_the_language_of_the_reader(decision: DecisionType) -> None:
    """Chinese readers get Chinese reasons."""
    assert "角色" in (may_decide(decision, FINANCE, requester=BOB, decider=ANN, locale="zh-CN") or "")

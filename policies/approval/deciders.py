"""Who may decide about a waiting call: roles, four eyes and tenants; what isn't known never counts as given."""

from __future__ import annotations

from dataclasses import dataclass

from reinforced_agent.policies.approval.decisions import DecisionType
from reinforced_agent.policies.approval.policy import ApprovalRule
from reinforced_agent.policies.messages.approvals import say
from reinforced_agent.tools.names import canonical_name, same_name


@dataclass(frozen=True, slots=True)
class Person:
    """Somebody who asks or decides, as the host's context names them."""

    user_id: str = ""
    """Empty where it isn't known."""
    roles: frozenset[str] = frozenset()
    tenant: str = ""
    """The customer the person belongs to; empty where it isn't known."""


def may_decide(
    decision_type: DecisionType, rule: ApprovalRule, *, requester: Person, decider: Person, locale: str = "en"
) -> str | None:
    """Tell why a person may not decide about a call; `None` when they may.

    Where the requester is known, somebody unknown never does: a token alone is not a person. Nor does a person of
    another tenant; somebody without a tenant is one of no tenant at all. Whoever asked may always reject: that keeps a
    call from running, which needs nobody's leave. Names are compared as `canonical_name` has them.

    Args:
        decision_type: What the person wants to decide.
        rule: The rule of the call's assessment.
        requester: Who asked for what the call does.
        decider: Who decides now.
        locale: Language of the reason, such as `en` or `zh-CN`.

    """
    if not same_name(decider.tenant, requester.tenant):
        return say("other_tenant", locale)
    who, asked = canonical_name(decider.user_id), canonical_name(requester.user_id)
    if asked and not who:
        # Whoever holds a token is nobody by that alone.
        return say("person_needed", locale)
    same = bool(who) and who == asked
    if decision_type == "reject" and same:
        return None
    if rule.roles and decider.roles.isdisjoint(rule.roles):
        return say("role_needed", locale, roles=", ".join(rule.roles))
    if not rule.four_eyes:
        return None
    if not who or not asked:
        return say("eyes_unknown", locale)
    return say("second_person", locale) if same else None

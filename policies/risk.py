"""The last layer: decide who must agree to a call, nobody or a person."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from reinforced_agent.policies.approval.rules import ApprovalPolicy
from reinforced_agent.policies.situation import Situation
from reinforced_agent.policies.verdicts import Accept, Ask, ErrorKind, Verdict
from reinforced_agent.policies.wording.approvals import sentence
from reinforced_agent.tools.call import Call


LAYER: Final = "risk"
TAINT: Final = "taint"
"""Name under which a call is held for where it comes from."""


@dataclass(frozen=True, slots=True)
class RiskLayer:
    """Holds the calls for a person that an approval policy asks about."""

    policy: ApprovalPolicy

    def __call__(self, call: Call, situation: Situation) -> Verdict:
        """Ask about a call with all reasons in one sentence, or accept it."""
        found = self.policy.assess(call, situation)
        if not found.ask:
            return Accept(layer=LAYER)
        message = sentence(found.reasons, situation.locale)
        return Ask(
            layer=TAINT if found.origins else LAYER,
            kind=ErrorKind.POLICY,
            message=message,
            score=1.0,
            fields=found.fields,
        )


check_risk: Final = RiskLayer(ApprovalPolicy())
"""The layer of the default policy: calls that change something ask, reads pass even when they had to be repaired."""

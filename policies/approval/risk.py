"""The last layer: decide who must agree to a call, nobody or a person."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from reinforced_agent.policies.approval.policy import ApprovalPolicy
from reinforced_agent.policies.messages.approvals import say, sentence
from reinforced_agent.policies.situation import Situation
from reinforced_agent.policies.verdicts import Accept, Ask, ErrorKind, Refuse, Verdict
from reinforced_agent.tools.call import Call


LAYER: Final = "risk"
TAINT: Final = "taint"
"""Name under which a call that a host rule lets run is stopped, because only untrusted content named a value of it."""


@dataclass(frozen=True, slots=True)
class RiskLayer:
    """Holds the calls for a person that an approval policy asks about."""

    policy: ApprovalPolicy

    def __call__(self, call: Call, situation: Situation) -> Verdict:
        """Ask about a call with all reasons in one sentence, accept it, or refuse it where nobody is to be asked."""
        found = self.policy.assess(call, situation)
        locale = situation.locale
        if not found.ask and not found.doubts:
            return Accept(layer=LAYER, warnings=found.warnings)
        layer = TAINT if found.doubts else LAYER
        fields = tuple(doubt.field for doubt in found.doubts)
        if found.ask:
            return Ask(
                layer=layer,
                kind=ErrorKind.POLICY,
                message=sentence(found.reasons, locale),
                score=1.0,
                fields=fields,
                warnings=found.warnings,
            )
        doubts = sentence([doubt.message for doubt in found.doubts], locale)
        return Refuse(
            layer=layer,
            kind=ErrorKind.POLICY,
            message=say("doubted", locale, tool=call.tool, doubts=doubts),
            fields=fields,
            warnings=found.warnings,
        )

"""Decide who must agree to a call: nobody, or a person."""

from __future__ import annotations

from typing import assert_never

from reinforced_agent.policies.reading.repairs import HARMLESS
from reinforced_agent.policies.situation import Situation
from reinforced_agent.policies.verdicts import Accept, Ask, ErrorKind, Verdict
from reinforced_agent.tools.call import Call
from reinforced_agent.tools.spec import Risk


LAYER = "risk"


def check_risk(call: Call, situation: Situation) -> Verdict:
    """Hold calls that change something for a person; reads pass, even when they had to be repaired."""
    spec = situation.spec
    match spec.risk:
        case Risk.READ:
            return Accept(layer=LAYER)
        case Risk.WRITE:
            reason = f"`{spec.name}` changes data"
        case Risk.DESTRUCTIVE:
            reason = f"`{spec.name}` can't be undone"
        case _:
            assert_never(spec.risk)
    repairs = [name for name in call.repairs if name not in HARMLESS]
    if repairs:
        reason += f"; the call was repaired first ({', '.join(repairs)})"
    return Ask(layer=LAYER, kind=ErrorKind.POLICY, message=f"{reason}.", score=1.0)

"""What leaves with a call or an answer: hosts as a browser reads them, private values, and links that carry one."""

from __future__ import annotations

from reinforced_agent.policies.egress.links import Inert, LinkGate, inert
from reinforced_agent.policies.egress.private import Leak, Private


__all__ = ["Inert", "Leak", "LinkGate", "Private", "inert"]

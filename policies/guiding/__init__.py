"""What a model may write, for servers that mask it: a call of a tool on offer with fitting arguments, or an answer.

A mask is looser than the checks, never tighter: a masked model bends a value that ought to be refused into one that
passes and is wrong. So masks keep the form of values (types, listed values, fields), and leave lengths, ranges,
patterns and formats to the checks.
"""

from __future__ import annotations

from reinforced_agent.policies.guiding.masks import Mask, Offer, Refused, mask_of, narrowed
from reinforced_agent.policies.guiding.strict import InexpressibleError, strict_parameters, without_fillers
from reinforced_agent.policies.guiding.wire import request_for


__all__ = [
    "InexpressibleError",
    "Mask",
    "Offer",
    "Refused",
    "mask_of",
    "narrowed",
    "request_for",
    "strict_parameters",
    "without_fillers",
]

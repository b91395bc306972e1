"""Take secrets out of plain data before it leaves the process: by the names of fields, and by the looks of values."""

from __future__ import annotations

from reinforced_agent.policies.redaction.masking import MASK, hide, masked, set_mask_key, unmarked


__all__ = ["MASK", "hide", "masked", "set_mask_key", "unmarked"]

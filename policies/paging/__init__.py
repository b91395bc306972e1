"""Show a long result within a budget: its shape, its head and its tail, and where to read on."""

from reinforced_agent.policies.paging.paging import PathError, Reader, Request
from reinforced_agent.policies.paging.previewing import Preview, preview


__all__ = ["PathError", "Preview", "Reader", "Request", "preview"]

"""Served models whose replies are masked by their server: what the request says, what is read, and what is remembered.

What may be written is decided elsewhere and comes as plain data. A server may refuse to be told, and is then asked as
if nothing were to be masked; or it may take no notice. What comes is read and checked as ever.
"""

from reinforced_agent.models.guided.heeding import GUIDED, Masking
from reinforced_agent.models.guided.model import GuidedChatModel


__all__ = ["GUIDED", "GuidedChatModel", "Masking"]
